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
			return &UsageError{Reason: fmt.Sprintf("%s takes no argument %q", cmd.CommandPath(), args[len(names)]), Hint: swallowedHint(cmd)}
		}
		return nil
	}
}

// swallowed finds a flag that took the next one for its value, as where a variable of a script is not set and not quoted.
func swallowed(cmd *cobra.Command) (flag *pflag.Flag, next string) {
	cmd.Flags().Visit(func(f *pflag.Flag) {
		for _, value := range values(f) {
			if isFlag(cmd, value) {
				flag, next = f, value
			}
		}
	})
	return flag, next
}

// values are what a flag was given.
func values(f *pflag.Flag) []string {
	if several, ok := f.Value.(pflag.SliceValue); ok {
		return several.GetSlice()
	}
	return []string{f.Value.String()}
}

// isFlag says whether a text is one of the command's own flags, with or without its value.
func isFlag(cmd *cobra.Command, text string) bool {
	if name, long := strings.CutPrefix(text, "--"); long {
		name, _, _ = strings.Cut(name, "=")
		return name != "" && cmd.Flags().Lookup(name) != nil
	}
	letter, short := strings.CutPrefix(text, "-")
	return short && len(letter) == 1 && cmd.Flags().ShorthandLookup(letter) != nil
}

func swallowedHint(cmd *cobra.Command) string {
	flag, next := swallowed(cmd)
	if flag == nil {
		return ""
	}
	return fmt.Sprintf("see whether a variable is not set: --%s took %s for its value", flag.Name, next)
}

// RefuseSwallowedFlags refuses a flag that stands where the value of the one before it should be. Else --reference $UNSET
// --dry-run would pay, with the reference "--dry-run".
func RefuseSwallowedFlags(cmd *cobra.Command) error {
	flag, next := swallowed(cmd)
	if flag == nil {
		return nil
	}
	return &UsageError{
		Reason: fmt.Sprintf("--%s was given no value but the next flag, %s", flag.Name, next),
		Hint:   "see whether a variable is not set, and write \"$VARIABLE\" with its quotes",
	}
}

// exclusive is where cobra notes which flags exclude each other.
const exclusive = "cobra_annotation_mutually_exclusive"

// RefuseExclusiveFlags refuses flags together that exclude each other.
func RefuseExclusiveFlags(cmd *cobra.Command) error {
	if cmd.ValidateFlagGroups() == nil {
		return nil
	}
	var given []string
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if f.Annotations[exclusive] != nil {
			given = append(given, "--"+f.Name)
		}
	})
	return Usage("%s exclude each other", strings.Join(given, " and "))
}

// Value is the name of an argument that may be empty.
const Value = "VALUE"

// RefuseEmptyFlags refuses flags that were given an empty value. A script whose variable is not set must not lose a limit
// or a reference by it.
func RefuseEmptyFlags(cmd *cobra.Command) (err error) {
	cmd.Flags().Visit(func(f *pflag.Flag) {
		all := values(f)
		if empty := len(all) == 0 || slices.Contains(all, ""); empty && err == nil {
			err = &UsageError{Reason: "--" + f.Name + " was given an empty value", Hint: "leave it out, or see whether a variable is not set"}
		}
	})
	return err
}

// Group makes a command that only holds others.
func Group(use, short string, commands ...*cobra.Command) *cobra.Command {
	cmd := &cobra.Command{Use: use, Short: short}
	OnlyHolds(cmd)
	cmd.AddCommand(commands...)
	return cmd
}

// OnlyHolds has a command that only holds others show its help when it is called by itself, and refuse a name that none of
// them has: help with exit code 0 would be taken for what was asked for.
func OnlyHolds(cmd *cobra.Command) {
	cmd.SuggestionsMinimumDistance = 2
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		if len(args) > 0 {
			return unknownCommand(cmd, args[0])
		}
		return nil
	}
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if f := cmd.Flags(); f.Changed("output") || f.Changed("jq") || f.Changed("curl") {
			return Usage("%s needs a command", cmd.CommandPath()) // whoever wants data must not get help
		}
		return cmd.Help()
	}
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
