package cliflags

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/exit"
	"github.com/payctl/payctl/internal/cli/invocation"
)

// CheckStatuses refuses statuses that a flag names and that are nearly the same as one of the contract's: misspelt, one
// would select nothing, or be waited for for ever. Another one that the contract does not have may be the service's own:
// that is said once.
func CheckStatuses[V ~string](d *invocation.Deps, flag string, statuses []V, known []string) error {
	for _, status := range statuses {
		switch err := exit.CheckValue("--"+flag, status, known); {
		case status == "", err != nil && len(err.Next) > 0:
			return err
		case err != nil:
			d.Notef("--%s: %q is no status that payctl knows: it has to be one of the service's own.", flag, string(status))
		}
	}
	return nil
}

// AnnotationValues is the annotation of a flag with the values that it takes, for completion.
const AnnotationValues = "payctl:values"

// Annotate notes the values that flags of a command take, if it has these flags.
func Annotate(cmd *cobra.Command, values []string, flags ...string) {
	for _, name := range flags {
		if flag := cmd.Flags().Lookup(name); flag != nil {
			flag.Annotations = map[string][]string{AnnotationValues: values}
		}
	}
}

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
