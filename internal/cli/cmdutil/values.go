package cmdutil

import (
	"errors"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/payctl/payctl/internal/payments"
)

// CheckStatuses refuses statuses of a flag that are nearly the same as one of the contract's. A misspelt one would
// select nothing, or be waited for for ever. Another one may be the service's own. A note says so.
func CheckStatuses[V ~string](d *Deps, flag string, statuses []V, known []string) error {
	for _, status := range statuses {
		switch err := CheckValue("--"+flag, status, known); {
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
	cmd.Flags().Func(name, usage, func(text string) error {
		for value := range strings.SplitSeq(text, ",") {
			if value = strings.TrimSpace(value); value == "" || strings.HasPrefix(value, "--") ||
				len(value) == 2 && value[0] == '-' {
				return errors.New("see whether a variable is not set, and write \"$VARIABLE\" with its quotes")
			}
			*values = append(*values, T(value))
		}
		return nil
	})
}

// DurationVar adds a flag that takes a duration, such as 90s, 2d or 1w. Commands refuse zero where they need more.
func DurationVar(f *pflag.FlagSet, p *time.Duration, name string, usual time.Duration, usage string) {
	*p = usual
	f.Func(name, usage, func(text string) (err error) {
		if *p, err = time.ParseDuration(text); err != nil {
			*p, err = payments.ParseDuration(text)
		}
		if err == nil && *p < 0 {
			err = errors.New("must not be negative")
		}
		return err
	})
	if usual != 0 {
		f.Lookup(name).DefValue = usual.String()
	}
}
