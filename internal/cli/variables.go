package cli

import (
	"errors"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/settings"
)

// serveName is the command whose own flags have variables too, since services are set up by their environment.
const serveName = "serve"

// useVariables gives the flags of a command that are not on the command line the values of their variables:
// PAYCTL_<FLAG> for a global flag, PAYCTL_SERVE_<FLAG> for one of serve. An empty variable counts as not set. Global
// flags that are settings stay as they are: package settings reads their variables. From then on, usage errors of the
// command name the variable in place of the flag.
func useVariables(cmd *cobra.Command, getenv func(string) string) error {
	used := map[string]string{} // flag → variable
	set := func(f *pflag.Flag, variable string, assign func(text string) error) error {
		text := getenv(variable)
		if text == "" {
			return nil
		}
		used[f.Name] = variable
		err := assign(text)
		if form := formOf(f); err != nil && form != "" {
			return cmdutil.Usage("%s must be %s, not %q", variable, form, text)
		} else if err != nil {
			return cmdutil.Usage("%s: %v", variable, err)
		}
		return nil
	}
	var failures []error
	cmd.Root().PersistentFlags().VisitAll(func(f *pflag.Flag) {
		// A command may have a flag of its own in place of the global one, for the same value.
		_, isSetting := settings.OfFlag(f.Name)
		if own := cmd.Flags().Lookup(f.Name); own != nil && !own.Changed && !isSetting {
			failures = append(failures, set(f, globalVariable(f), f.Value.Set)) // Changed is what the command line has
		}
	})
	if isServe(cmd) {
		ownFlags(cmd).VisitAll(func(f *pflag.Flag) {
			if !f.Changed {
				failures = append(failures, set(f, serveVariable(f), func(text string) error {
					return setEach(cmd.Flags(), f, text)
				}))
			}
		})
	}
	if i := slices.IndexFunc(failures, func(err error) bool { return err != nil }); i >= 0 {
		return failures[i]
	}
	if run := cmd.RunE; len(used) > 0 && run != nil {
		cmd.RunE = func(cmd *cobra.Command, args []string) error { return nameVariables(run(cmd, args), used) }
	}
	return nil
}

// setEach sets a flag to a text, or a flag that may be repeated to each line of it.
func setEach(flags *pflag.FlagSet, f *pflag.Flag, text string) error {
	if _, repeats := f.Value.(pflag.SliceValue); !repeats {
		return flags.Set(f.Name, text)
	}
	for line := range strings.Lines(text) {
		if line = strings.TrimRight(line, "\r\n"); line == "" {
			continue
		}
		if err := flags.Set(f.Name, line); err != nil {
			return err
		}
	}
	return nil
}

// nameVariables returns a usage error with the variables in place of the flags whose values they gave.
func nameVariables(err error, used map[string]string) error {
	wrong, ok := errors.AsType[*cmdutil.Error](err)
	if !ok || !errors.Is(wrong, cmdutil.ErrUsage) {
		return err
	}
	flag := regexp.MustCompile(`--[a-z0-9-]+`)
	name := func(text string) string {
		return flag.ReplaceAllStringFunc(text, func(found string) string {
			if variable, ok := used[strings.TrimPrefix(found, "--")]; ok {
				return variable
			}
			return found
		})
	}
	named := *wrong
	named.Detail, named.Next = name(wrong.Detail), slices.Clone(wrong.Next)
	for i := range named.Next {
		named.Next[i] = name(named.Next[i])
	}
	return &named
}

func isServe(cmd *cobra.Command) bool { return cmd.Name() == serveName && cmd.Parent() == cmd.Root() }

// ownFlags are the flags of a command apart from the global ones and --help.
func ownFlags(cmd *cobra.Command) *pflag.FlagSet {
	own := pflag.NewFlagSet(cmd.Name(), pflag.ContinueOnError)
	own.SortFlags = cmd.Flags().SortFlags
	cmd.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) {
		if f.Name != "help" {
			own.AddFlag(f)
		}
	})
	return own
}

// globalVariable is the environment variable of a global flag.
func globalVariable(f *pflag.Flag) string { return settings.Variable(f.Name) }

// serveVariable is the environment variable of a flag of serve.
func serveVariable(f *pflag.Flag) string { return settings.Variable(serveName, f.Name) }
