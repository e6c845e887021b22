package cli

import (
	"errors"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/payctl/payctl/internal/cli/cmdutil"
)

// WithNextStep adds the help of a command to a usage error of it that has no next step, and to the error of an argument
// that does not exist at the service where to look for it.
func WithNextStep(cmd *cobra.Command, err error) error {
	if usage, ok := errors.AsType[*cmdutil.Error](err); ok && errors.Is(usage, cmdutil.ErrUsage) && len(usage.Next) == 0 {
		usage.Next = []string{cmd.CommandPath() + " --help"}
	}
	return cmdutil.WithSearch(cmd, err)
}

// withSuggestions adds to the error of a word that is no command below this one what cobra finds to be similar, or meant
// by what a command says in SuggestFor.
func withSuggestions(cmd *cobra.Command, args []string, err error) error {
	usage, ok := errors.AsType[*cmdutil.Error](err)
	if !ok || len(args) == 0 || !cmd.HasSubCommands() || len(usage.Next) > 0 {
		return err
	}
	cmd.SuggestionsMinimumDistance = 2 // as cobra has it in its own errors
	for _, name := range cmd.SuggestionsFor(args[0]) {
		usage.Next = append(usage.Next, "did you mean "+cmd.CommandPath()+" "+name+"?")
	}
	return usage
}

// commandOf returns the command that a line names, whichever flags stand between its words, or the error of the first
// word that should be a command and is none.
func (t *commandTree) commandOf(args []string) (*cobra.Command, error) {
	t.complete()
	cmd := t.root
	for i := 0; i < len(args) && args[i] != "--" && cmd.HasSubCommands(); i++ {
		if strings.HasPrefix(args[i], "-") {
			if t.takesNext(cmd, args[i]) {
				i++
			}
			continue
		}
		next := child(cmd, args[i])
		if next == nil {
			return nil, cmd.ValidateArgs(args[i : i+1])
		}
		cmd = next
	}
	return cmd, nil
}

// takesNext reports whether an argument is a flag, a global one or one of a command, whose value is the next argument.
func (t *commandTree) takesNext(cmd *cobra.Command, arg string) bool {
	for _, flags := range []*pflag.FlagSet{t.root.PersistentFlags(), cmd.Flags()} {
		flag := flags.Lookup(strings.TrimPrefix(arg, "--"))
		if letter := strings.TrimPrefix(arg, "-"); len(letter) == 1 {
			flag = flags.ShorthandLookup(letter)
		}
		if flag != nil {
			return flag.NoOptDefVal == ""
		}
	}
	return false
}
