package cli

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/settings"
	"github.com/payctl/payctl/internal/shell"
	"github.com/payctl/payctl/internal/textutil"
)

// serveName is the command whose own flags have variables too, since services are set up by their environment.
const serveName = "serve"

// WithNextStep adds a next step to an error of a command: its help to a usage error without one, and where to look to
// the error of an argument that does not exist at the service.
func WithNextStep(cmd *cobra.Command, err error) error {
	if usage, ok := errors.AsType[*cmdutil.Error](err); ok && errors.Is(usage, cmdutil.ErrUsage) && len(usage.Next) == 0 {
		usage.Next = []shell.Hint{{Command: append(strings.Fields(cmd.CommandPath()), "--help")}}
	}
	return cmdutil.WithSearch(cmd, err)
}

// flagError guesses which flag a wrong one means. Cobra takes the flags behind a misspelt command for those of the
// command above it; then the command is what is wrong. Args are the arguments of the program.
func flagError(cmd *cobra.Command, args []string, err error) error {
	if cmd.HasSubCommands() && cmd.Args != nil {
		if _, rest, _ := cmd.Root().Find(args); len(rest) > 0 && !strings.HasPrefix(rest[0], "-") {
			if wrong := cmd.Args(cmd, rest[:1]); wrong != nil {
				return wrong
			}
		}
	}
	if invalid, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		if wrong := numberError(invalid.GetFlag(), err); wrong != nil {
			return cmdutil.Usage("--%s: %v", invalid.GetFlag().Name, wrong)
		}
	}
	usage := cmdutil.Usage("%v", err)
	if unknown, ok := errors.AsType[*pflag.NotExistError](err); ok {
		var known []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) { known = append(known, f.Name) })
		if near := textutil.Guess(unknown.GetSpecifiedName(), known); near != "" {
			usage.Next = []shell.Hint{shell.Note("did you mean --" + near + "?")}
		}
	}
	return usage
}

// numberError is the error of a value that is no number, or neither true nor false, without the names of Go's functions.
func numberError(f *pflag.Flag, err error) error {
	number, ok := errors.AsType[*strconv.NumError](err)
	if !ok {
		return nil
	}
	isNot := map[bool]string{true: "neither true nor false", false: "not a whole number that fits"}
	return fmt.Errorf("%q is %s", number.Num, isNot[f.Value.Type() == "bool"])
}

// checkFlags refuses flags that exclude each other, an empty value, and a path with a ~ that no shell has replaced. It
// also refuses a flag that stands where the value of another one is missing. A script whose variable is not set must
// not lose a limit, nor pay with the reference "--dry-run".
func checkFlags(cmd *cobra.Command) error {
	if err := cmd.ValidateFlagGroups(); err != nil {
		if _, given, isExclusive := strings.Cut(err.Error(), "none of the others can be; ["); isExclusive {
			names := strings.Fields(strings.TrimSuffix(given, "] were all set"))
			return cmdutil.Usage("--%s exclude each other", strings.Join(names, " and --"))
		}
		return cmdutil.Usage("%v", err)
	}
	var wrong error
	cmd.Flags().Visit(func(f *pflag.Flag) {
		all := []string{f.Value.String()}
		if several, ok := f.Value.(pflag.SliceValue); ok {
			all = several.GetSlice()
		} else if f.Value.Type() == "func" {
			return // which checks what it is given
		}
		kind, _ := pflag.UnquoteUsage(f)
		for _, value := range all {
			name, isLong := strings.CutPrefix(value, "--")
			name, _, _ = strings.Cut(name, "=")
			switch {
			case value == "":
				wrong = cmdutil.Usage("--%s was given an empty value", f.Name).
					WithNote("leave it out, or see whether a variable is not set")
			case isLong && cmd.Flags().Lookup(name) != nil,
				len(value) == 2 && value[0] == '-' && cmd.Flags().ShorthandLookup(value[1:]) != nil:
				wrong = cmdutil.Usage("--%s was given no value but the next flag, %s", f.Name, value).
					WithNote(`see whether a variable is not set, and write "$VARIABLE" with its quotes`)
			case (kind == "FILE" || kind == "FOLDER") && settings.CheckTilde(value) != nil:
				wrong = cmdutil.Usage("--%s: %v", f.Name, settings.CheckTilde(value))
			}
		}
	})
	return wrong
}

// useVariables gives the flags of a command that are not on the command line the values of their variables:
// PAYCTL_<FLAG> for a global flag, PAYCTL_SERVE_<FLAG> for one of serve. An empty variable counts as not set. Global
// flags that are settings stay as they are: package settings reads their variables.
func useVariables(cmd *cobra.Command, getenv func(string) string) (failure error) {
	set := func(f *pflag.Flag, variable string, assign func(text string) error) {
		values := []string{getenv(variable)}
		if _, repeats := f.Value.(pflag.SliceValue); repeats {
			values = strings.FieldsFunc(values[0], func(r rune) bool { return r == '\r' || r == '\n' }) // one a line
		}
		for _, text := range values {
			if text == "" || failure != nil {
				continue
			}
			if err := assign(text); err != nil {
				failure = cmdutil.Usage("%s: %v", variable, cmp.Or(numberError(f, err), err)).WithHint(shell.Unset(variable))
			}
		}
	}
	cmd.Root().PersistentFlags().VisitAll(func(f *pflag.Flag) {
		// A command may have its own flag instead of the global one, for the same value.
		_, isSetting := settings.OfFlag(f.Name)
		if own := cmd.Flags().Lookup(f.Name); own != nil && !own.Changed && !isSetting {
			set(f, settings.Variable(f.Name), f.Value.Set) // Changed is what the command line has
		}
	})
	if cmd.Name() == serveName && cmd.Parent() == cmd.Root() {
		for _, f := range ownFlags(cmd) {
			if !f.Changed {
				set(f, settings.Variable(serveName, f.Name), func(text string) error { return cmd.Flags().Set(f.Name, text) })
			}
		}
	}
	return failure
}

// ownFlags are the flags of a command apart from the global ones and --help.
func ownFlags(cmd *cobra.Command) (own []*pflag.Flag) {
	cmd.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) { own = append(own, f) })
	return slices.DeleteFunc(own, func(f *pflag.Flag) bool { return f.Name == "help" })
}
