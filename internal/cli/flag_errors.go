package cli

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/suggest"
)

// flagError explains a wrong flag in plain words, and guesses which one was meant.
func flagError(cmd *cobra.Command, err error) error {
	usage := cmdutil.Usage("%v", err).WithHint("see " + cmd.CommandPath() + " --help")
	if unknown, ok := errors.AsType[*pflag.NotExistError](err); ok && unknown.GetSpecifiedShortnames() == "" {
		var names []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if !f.Hidden {
				names = append(names, f.Name)
			}
		})
		if near := suggest.Guess(unknown.GetSpecifiedName(), names); near != "" {
			usage = usage.WithHint("did you mean --" + near + "?")
		}
	}
	if invalid, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		if form := formOf(invalid.GetFlag()); form != "" {
			usage.Detail = fmt.Sprintf("--%s must be %s, not %q", invalid.GetFlag().Name, form, invalid.GetValue())
		}
	}
	return usage
}

// formOf is how the values of a flag are written, for types whose own errors name Go functions.
func formOf(f *pflag.Flag) string {
	switch f.Value.Type() {
	case "int", "uint64":
		return "a whole number"
	case "duration":
		return "a number with a unit, such as 90s, 5m or 1h30m"
	case "bool":
		return "true or false"
	case "stringToString":
		return "KEY=VALUE"
	}
	return ""
}
