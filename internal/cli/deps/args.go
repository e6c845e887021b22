package deps

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

// Args takes exactly the named arguments. A wrong number is a UsageError that names them.
func Args(names ...string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) < len(names):
			return Usage("%s needs %s", cmd.CommandPath(), strings.Join(names[len(args):], " and "))
		case len(args) > len(names):
			return Usage("%s takes no argument %q", cmd.CommandPath(), args[len(names)])
		}
		return nil
	}
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
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
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
