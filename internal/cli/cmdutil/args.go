package cmdutil

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// Value is the name of an argument that may be empty.
const Value = "VALUE"

// Args takes exactly the named arguments. Anything else is a usage error that names them. An empty argument is one
// too: most often it is a variable of a script that is not set.
func Args(names ...string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		empty := slices.Index(args, "")
		switch {
		case empty >= 0 && empty < len(names) && names[empty] != Value:
			return Usage("%s was given an empty %s", cmd.CommandPath(), names[empty])
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
	cmd := &cobra.Command{Use: use, Short: short}
	MakeGroup(cmd)
	cmd.AddCommand(commands...)
	return cmd
}

// MakeGroup makes a command that only holds others show its help when it is called alone, and refuse unknown names: a
// script would take help with exit code 0 for success.
func MakeGroup(cmd *cobra.Command) {
	cmd.SuggestionsMinimumDistance = 2
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return nil
		}
		err := Usage("%s has no command %q", cmd.CommandPath(), args[0])
		if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
			return err.WithHint("did you mean " + cmd.CommandPath() + " " + strings.Join(near, " or ") + "?")
		}
		return err
	}
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if f := cmd.Flags(); f.Changed("output") || f.Changed("jq") || f.Changed("curl") {
			return Usage("%s needs a command", cmd.CommandPath()) // these flags ask for data, not for help
		}
		return cmd.Help()
	}
}
