package cli

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/shell"
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
		if isUnknown && !meant.HasSubCommands() {
			return t.misplacedFlag(meant, args, unknown)
		}
	}
	if isUnknown {
		return t.unknownFlag(cmd, args, unknown)
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

// misplacedFlag returns the error of a flag before the command that may have it: cobra took the next word for its value.
func (t *commandTree) misplacedFlag(cmd *cobra.Command, args []string, unknown *pflag.NotExistError) error {
	name := unknown.GetSpecifiedName()
	if cmd.Flags().Lookup(name) == nil {
		return t.unknownFlag(cmd, args, unknown)
	}
	return cmdutil.Usage("--%s stands before the command that has it", name).WithHint(withWords(cmd, nil) + " --" + name)
}

// unknownFlag returns the error of a flag that a command does not have.
func (t *commandTree) unknownFlag(cmd *cobra.Command, args []string, unknown *pflag.NotExistError) error {
	name := "--" + unknown.GetSpecifiedName()
	if letters := unknown.GetSpecifiedShortnames(); letters != "" {
		name = "-" + unknown.GetSpecifiedName()
	}
	usage := cmdutil.Usage("%s has no flag %s", cmd.CommandPath(), name)
	value := valueBehind(args, name)
	known := guesses(value)
	for _, key := range []string{guessKey(cmd, name), anyCommand + name} {
		if found, ok := known[key]; ok {
			return found.of(usage)
		}
	}
	if near := renamedFlag(cmd, name); near != "" {
		words := t.arguments(args)
		for c := cmd; c.HasParent() && len(words) > 0; c = c.Parent() {
			words = words[1:]
		}
		hint := withWords(cmd, words) + " --" + near
		if takesValue := !strings.Contains(near, " ") && cmd.Flags().Lookup(near).NoOptDefVal == ""; takesValue {
			placeholder, _ := pflag.UnquoteUsage(cmd.Flags().Lookup(near))
			if mayHoldPassword(value) {
				value = ""
			}
			hint += shell.Hint(" VALUE", shell.Values{"VALUE": cmp.Or(value, placeholder)})
		}
		return usage.WithHint(hint)
	}
	if near := suggest.Guess(unknown.GetSpecifiedName(), flagNames(cmd)); near != "" && strings.HasPrefix(name, "--") {
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

// valueBehind returns the value that was given for a flag which no command has, or an empty string.
func valueBehind(args []string, name string) string {
	for i, arg := range args {
		if value, ok := strings.CutPrefix(arg, name+"="); ok {
			return value
		}
		if arg == name && i+1 < len(args) && !strings.HasPrefix(args[i+1], "-") {
			return args[i+1]
		}
	}
	return ""
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
