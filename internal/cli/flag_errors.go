package cli

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/payctl/payctl/internal/cli/deps"
	"github.com/payctl/payctl/internal/nearest"
)

// flagError tells what is wrong with a flag in words that are no programmer's, and what may have been meant.
func flagError(cmd *cobra.Command, err error) error {
	told := &deps.UsageError{Reason: err.Error(), Hint: "see " + cmd.CommandPath() + " --help"}
	if unknown, ok := errors.AsType[*pflag.NotExistError](err); ok && unknown.GetSpecifiedShortnames() == "" {
		var names []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if !f.Hidden {
				names = append(names, f.Name)
			}
		})
		if near := nearest.Guess(unknown.GetSpecifiedName(), names); near != "" {
			told.Hint = "did you mean --" + near + "?"
		}
	}
	if invalid, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		if form := formOf(invalid.GetFlag()); form != "" {
			told.Reason = fmt.Sprintf("--%s must be %s, not %q", invalid.GetFlag().Name, form, invalid.GetValue())
		}
	}
	return told
}

// formOf says how the values of a flag are written, where what refuses them speaks of Go.
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
