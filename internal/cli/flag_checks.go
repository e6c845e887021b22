package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/settings"
)

// checkArgs makes a command and those below it refuse a swallowed flag before they look at their arguments, to which
// the swallowed flag's own value was added, and suggest commands in place of a word that is none.
func (t *commandTree) checkArgs(cmd *cobra.Command) {
	check := cmd.Args
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		if err := refuseSwallowedFlags(cmd); err != nil || check == nil {
			return err
		}
		err := check(cmd, args)
		if err != nil {
			t.complete()
		}
		return withSuggestions(cmd, args, err)
	}
	for _, below := range cmd.Commands() {
		t.checkArgs(below)
	}
}

// refuseSwallowedFlags refuses a flag in the place of the value of the flag before it. Without this, --reference
// $UNSET --dry-run would pay, with the reference "--dry-run".
func refuseSwallowedFlags(cmd *cobra.Command) (err error) {
	cmd.Flags().Visit(func(f *pflag.Flag) {
		for _, value := range values(f) {
			if err == nil && isFlag(cmd, value) {
				err = cmdutil.Usage("--%s was given no value but the next flag, %s", f.Name, value).
					WithHint(`see whether a variable is not set, and write "$VARIABLE" with its quotes`)
			}
		}
	})
	return err
}

// refuseEmptyFlags refuses flags with an empty value. A script whose variable is not set must not lose a limit or a
// reference.
func refuseEmptyFlags(cmd *cobra.Command) (err error) {
	cmd.Flags().Visit(func(f *pflag.Flag) {
		all := values(f)
		if empty := len(all) == 0 || slices.Contains(all, ""); empty && err == nil {
			err = cmdutil.Usage("--%s was given an empty value", f.Name).
				WithHint("leave it out, or see whether a variable is not set")
		}
	})
	return err
}

// refuseTildes refuses a path that begins with ~ where a shell would have put the home folder in its place: a folder of
// that name in the working directory is never meant.
func refuseTildes(cmd *cobra.Command) (err error) {
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if kind, _ := pflag.UnquoteUsage(f); kind != "FILE" && kind != "FOLDER" {
			return
		}
		for _, path := range values(f) {
			if wrong := settings.CheckTilde(path); wrong != nil && err == nil {
				err = cmdutil.Usage("--%s: %v", f.Name, wrong)
			}
		}
	})
	return err
}

// refuseRepeatedFlags refuses two values for a flag that takes one, of which only the last would count. Args are the
// arguments of the program.
func refuseRepeatedFlags(cmd *cobra.Command, args []string) error {
	if cmd.DisableFlagParsing { // completes another command's line
		return nil
	}
	given := map[string]string{}
	again := pflag.NewFlagSet(cmd.Name(), pflag.ContinueOnError) // reads the line once more, and sets nothing
	again.AddFlagSet(cmd.Flags())
	return again.ParseAll(args, func(f *pflag.Flag, value string) error {
		before, isRepeated := given[f.Name]
		given[f.Name] = value
		if !isRepeated || before == value || takesSeveral(f) {
			return nil
		}
		refused := cmdutil.Usage("--%s takes one value, and was given %q and %q", f.Name, before, value)
		if mayHoldPassword(before) || mayHoldPassword(value) {
			refused.Detail = "--" + f.Name + " takes one value, and was given two"
		}
		return refused.WithHint("give --" + f.Name + " once")
	})
}

// mayHoldPassword reports whether a value may be a URL or the words of libpq with a password, and so is not repeated.
func mayHoldPassword(value string) bool {
	return strings.Contains(value, "://") && strings.Contains(value, "@") || strings.Contains(value, "password")
}

// takesSeveral reports whether a flag may be repeated with another value.
func takesSeveral(f *pflag.Flag) bool {
	switch f.Value.Type() {
	case "bool", "stringToString":
		return true
	}
	_, several := f.Value.(pflag.SliceValue)
	return several
}

// refuseExclusiveFlags refuses flags that exclude each other.
func refuseExclusiveFlags(cmd *cobra.Command) error {
	if cmd.ValidateFlagGroups() == nil {
		return nil
	}
	const exclusive = "cobra_annotation_mutually_exclusive" // where cobra records it
	var given []string
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if f.Annotations[exclusive] != nil {
			given = append(given, "--"+f.Name)
		}
	})
	return cmdutil.Usage("%s exclude each other", strings.Join(given, " and "))
}

// values are the values that a flag was given.
func values(f *pflag.Flag) []string {
	if several, ok := f.Value.(pflag.SliceValue); ok {
		return several.GetSlice()
	}
	return []string{f.Value.String()}
}

// isFlag reports whether a text is one of the command's own flags, with or without a value.
func isFlag(cmd *cobra.Command, text string) bool {
	if name, long := strings.CutPrefix(text, "--"); long {
		name, _, _ = strings.Cut(name, "=")
		return name != "" && cmd.Flags().Lookup(name) != nil
	}
	letter, short := strings.CutPrefix(text, "-")
	return short && len(letter) == 1 && cmd.Flags().ShorthandLookup(letter) != nil
}
