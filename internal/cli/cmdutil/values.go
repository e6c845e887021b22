package cmdutil

import (
	"strings"

	"github.com/spf13/cobra"
)

// AddValues adds a flag that takes several values of a kind of text, separated by commas or with the flag repeated.
func AddValues[T ~string](cmd *cobra.Command, values *[]T, name, usage string) {
	cmd.Flags().Var(&valuesFlag[T]{values}, name, usage)
}

// valuesFlag implements pflag.Value and pflag.SliceValue.
type valuesFlag[T ~string] struct{ values *[]T }

// String implements pflag.Value.
func (f *valuesFlag[T]) String() string {
	if f.values == nil {
		return ""
	}
	return strings.Join(f.GetSlice(), ",")
}

// Type implements pflag.Value.
func (*valuesFlag[T]) Type() string { return "textSlice" }

// Set implements pflag.Value. An empty value stays one, so that it is refused as for any other flag.
func (f *valuesFlag[T]) Set(text string) error {
	for value := range strings.SplitSeq(text, ",") {
		_ = f.Append(strings.TrimSpace(value)) // it always succeeds
	}
	return nil
}

// Append implements pflag.SliceValue.
func (f *valuesFlag[T]) Append(value string) error {
	*f.values = append(*f.values, T(value))
	return nil
}

// Replace implements pflag.SliceValue.
func (f *valuesFlag[T]) Replace(values []string) error {
	*f.values = nil
	for _, value := range values {
		*f.values = append(*f.values, T(value))
	}
	return nil
}

// GetSlice implements pflag.SliceValue.
func (f *valuesFlag[T]) GetSlice() []string {
	values := []string{}
	for _, value := range *f.values {
		values = append(values, string(value))
	}
	return values
}
