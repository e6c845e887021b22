package cli

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/suggest"
)

// flagError explains a wrong flag in plain words, and guesses which one was meant. Args are the arguments of the
// program.
func (t *commandTree) flagError(cmd *cobra.Command, args []string, err error) error {
	unknown, isUnknown := errors.AsType[*pflag.NotExistError](err)
	if cmd.HasSubCommands() {
		// cobra takes the flags behind a misspelt command for those of the command above it.
		meant, misspelt := t.commandOf(args)
		if misspelt != nil {
			return misspelt
		}
		cmd = meant
	}
	if isUnknown {
		return unknownFlag(cmd, unknown)
	}
	usage := cmdutil.Usage("%v", err)
	if invalid, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		name, value := invalid.GetFlag().Name, invalid.GetValue()
		usage.Detail = fmt.Sprintf("--%s: %q %v", name, value, invalid.Unwrap())
		form := formOf(invalid.GetFlag())
		switch {
		case form != "" && mayHoldPassword(value):
			usage.Detail = fmt.Sprintf("--%s must be %s", name, form)
		case form != "":
			usage.Detail = fmt.Sprintf("--%s must be %s, not %q", name, form, value)
		}
	}
	if missing, ok := errors.AsType[*pflag.ValueRequiredError](err); ok {
		name, _ := pflag.UnquoteUsage(missing.GetFlag())
		usage.Detail = fmt.Sprintf("--%s needs a value: %s", missing.GetFlag().Name, name)
	}
	return usage
}

// unknownFlag returns the error of a flag that a command does not have, with the one that is most like it. One that the
// command has stands before it, where cobra took the next word for its value.
func unknownFlag(cmd *cobra.Command, unknown *pflag.NotExistError) error {
	name := unknown.GetSpecifiedName()
	if unknown.GetSpecifiedShortnames() != "" {
		return cmdutil.Usage("%s has no flag -%s", cmd.CommandPath(), name)
	}
	if cmd.Flags().Lookup(name) != nil {
		return cmdutil.Usage("--%s stands before the command that has it", name).WithHint(cmd.CommandPath() + " --" + name)
	}
	usage := cmdutil.Usage("%s has no flag --%s", cmd.CommandPath(), name)
	if near := suggest.Guess(name, flagNames(cmd)); near != "" {
		return usage.WithHint("did you mean --" + near + "?")
	}
	return usage
}

// flagNames lists the flags that a command shows.
func flagNames(cmd *cobra.Command) []string {
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			names = append(names, f.Name)
		}
	})
	return names
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
