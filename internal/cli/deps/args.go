package deps

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Args takes exactly the named arguments. A wrong number is a UsageError that names them, and so is an empty one: it is
// most often a variable of a script that is not set.
func Args(names ...string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		empty := slices.Index(args, "")
		switch {
		case empty >= 0 && empty < len(names) && names[empty] != Value:
			return Usage("%s was given an empty %s", cmd.CommandPath(), names[empty])
		case len(args) < len(names):
			return Usage("%s needs %s", cmd.CommandPath(), strings.Join(names[len(args):], " and "))
		case len(args) > len(names):
			return &UsageError{Reason: fmt.Sprintf("%s takes no argument %q", cmd.CommandPath(), args[len(names)]), Hint: swallowed(cmd)}
		}
		return nil
	}
}

// swallowed tells of a flag that took the next one for its value, as where a variable of a script is not set and not quoted: then
// the value of that next one is an argument too many. Empty: there is none.
func swallowed(cmd *cobra.Command) (hint string) {
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if name, isFlag := strings.CutPrefix(f.Value.String(), "--"); isFlag && cmd.Flags().Lookup(name) != nil {
			hint = fmt.Sprintf("see whether a variable is not set: --%s took --%s for its value", f.Name, name)
		}
	})
	return hint
}

// Value is the name of an argument that may be empty.
const Value = "VALUE"

// RefuseEmptyFlags refuses flags that were given an empty value. A script whose variable is not set must not lose a limit
// or a reference by it.
func RefuseEmptyFlags(cmd *cobra.Command) (err error) {
	cmd.Flags().Visit(func(f *pflag.Flag) {
		empty := f.Value.String() == ""
		if several, ok := f.Value.(pflag.SliceValue); ok {
			all := several.GetSlice()
			empty = len(all) == 0 || slices.Contains(all, "")
		}
		if empty && err == nil {
			err = &UsageError{Reason: "--" + f.Name + " was given an empty value", Hint: "leave it out, or see whether a variable is not set"}
		}
	})
	return err
}

// Group makes a command that only holds others.
func Group(use, short string, commands ...*cobra.Command) *cobra.Command {
	cmd := &cobra.Command{
		Use:                        use,
		Short:                      short,
		SuggestionsMinimumDistance: 2,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return unknownCommand(cmd, args[0])
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error {
			if f := cmd.Flags(); f.Changed("output") || f.Changed("jq") || f.Changed("curl") {
				return Usage("%s needs a command", cmd.CommandPath()) // whoever wants data must not get help
			}
			return cmd.Help()
		},
	}
	cmd.AddCommand(commands...)
	return cmd
}

func unknownCommand(cmd *cobra.Command, name string) error {
	err := &UsageError{Reason: fmt.Sprintf("%s has no command %q", cmd.CommandPath(), name)}
	if near := cmd.SuggestionsFor(name); len(near) > 0 {
		err.Hint = "did you mean " + cmd.CommandPath() + " " + strings.Join(near, " or ") + "?"
	}
	return err
}

// OptionalArg takes the named argument or none.
func OptionalArg(name string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) > 1 {
			return Usage("%s takes one %s, not %q too", cmd.CommandPath(), name, args[1])
		}
		return nil
	}
}
