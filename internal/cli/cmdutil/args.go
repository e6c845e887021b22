package cmdutil

import (
	"errors"
	"slices"
	"strings"
	"unicode"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/shell"
)

// value is the name of an argument that may be empty.
const value = "VALUE"

// Arguments returns the names of the arguments in the usage of a command: its words in capitals. NAME… may be repeated.
// Those without brackets are required.
func Arguments(cmd *cobra.Command) (all, required []string) {
	usage, _, _ := strings.Cut(cmd.Use, "--")
	for _, word := range strings.Fields(usage)[1:] {
		name := strings.TrimSuffix(strings.Trim(word, "[]"), "|-")
		if strings.IndexFunc(name, unicode.IsUpper) != 0 {
			continue
		}
		all = append(all, name)
		if word[0] != '[' {
			required = append(required, name)
		}
	}
	return all, required
}

// Args takes the arguments that the usage of a command names. Anything else is a usage error that names them. An empty
// argument is one too: most often it is a variable of a script that is not set.
func Args(cmd *cobra.Command, args []string) error {
	all, names := Arguments(cmd)
	if len(args) > len(names) {
		names = all[:min(len(args), len(all))]
	}
	if n := len(all); n > 0 && strings.HasSuffix(all[n-1], "…") {
		args = args[:min(len(args), len(names))]
	}
	empty := slices.Index(args, "")
	switch {
	case empty >= 0 && empty < len(names) && names[empty] != value:
		return Usage("%s was given an empty %s", cmd.CommandPath(), names[empty]).
			WithNote("see whether a variable is not set")
	case len(args) < len(names):
		missing := Usage("%s needs %s", cmd.CommandPath(), strings.Join(names[len(args):], " and "))
		if list := lists[names[len(args)]]; list != "" {
			return missing.WithHint(shell.Payctl(list))
		}
		return missing.WithNote(UsageLine(cmd))
	case len(args) > len(names):
		return Usage("%s takes no argument %q", cmd.CommandPath(), args[len(names)])
	}
	return nil
}

// lists are the commands that show what an argument of a name can be.
var lists = map[string]string{
	"ACCOUNT": "accounts list", "CONTACT": "contacts list", "TRANSFER": "transfer list", "PROFILE": "profile list",
}

// WithSearch adds a next step to the error of an argument that does not exist at the service: the command that finds
// it. People write names of their own where an identifier is asked for.
func WithSearch(cmd *cobra.Command, err error) error {
	args := cmd.Flags().Args()
	explained, isExplained := errors.AsType[*Error](err)
	names, _ := Arguments(cmd)
	if !payments.IsProblem(err, payments.ProblemNotFound) || len(args) == 0 || len(names) == 0 ||
		isExplained && len(explained.Next) > 0 {
		return err
	}
	list := lists[strings.TrimSuffix(names[0], "…")]
	switch { // the ids of the reference service begin as acc_
	case list == "":
		return err
	case len(args) > 1 || len(args[0]) > 3 && args[0][3] == '_' || cmd.Name() == "get":
		return Hint(err, shell.Payctl(list))
	}
	return Hint(err, shell.Payctl(strings.TrimSuffix(list, "list")+"get --", args[0]).With("finds its id"))
}

// UsageLine is how a command is written.
func UsageLine(cmd *cobra.Command) string {
	_, arguments, _ := strings.Cut(cmd.Use, " ")
	return strings.TrimSpace(cmd.CommandPath() + " " + arguments)
}

// Group makes a command that only holds others. It shows its help when it is called alone, and refuses unknown names: a
// script would take help with exit code 0 for success.
func Group(use, short string, commands ...*cobra.Command) *cobra.Command {
	cmd := &cobra.Command{Use: use, Short: short}
	cmd.AddCommand(commands...)
	// cobra adds --help only to the command that it runs, and would take the next word for its value here.
	cmd.Flags().BoolP("help", "h", false, "help for "+cmd.Name())
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 || len(args) == 1 && args[0] == "help" {
			return nil
		}
		unknown := Usage("%s has no command %q", cmd.CommandPath(), args[0])
		cmd.SuggestionsMinimumDistance = 2 // as cobra has it in its own errors
		for _, name := range cmd.SuggestionsFor(args[0]) {
			unknown.Next = append(unknown.Next, shell.Note("did you mean "+cmd.CommandPath()+" "+name+"?"))
		}
		return unknown
	}
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if f := cmd.Flags(); f.Changed("output") || f.Changed("jq") || f.Changed("curl") {
			return Usage("%s needs a command", cmd.CommandPath()) // these flags ask for data, not for help
		}
		return cmd.Help()
	}
	return cmd
}
