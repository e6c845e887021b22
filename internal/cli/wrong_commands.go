package cli

import (
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/shell"
	"github.com/payctl/payctl/internal/suggest"
)

// WithNextStep adds the help of a command to a usage error of it that has no next step, and to the error of an argument
// that does not exist at the service where to look for it.
func WithNextStep(cmd *cobra.Command, err error) error {
	if usage, ok := errors.AsType[*cmdutil.Error](err); ok && errors.Is(usage, cmdutil.ErrUsage) && len(usage.Next) == 0 {
		usage.Next = []string{cmd.CommandPath() + " --help"}
	}
	return cmdutil.WithSearch(cmd, err)
}

// withGuess adds what may have been meant to the error of arguments that a command does not take.
func withGuess(cmd *cobra.Command, args []string, err error) error {
	usage, ok := errors.AsType[*cmdutil.Error](err)
	if !ok || len(args) == 0 {
		return err
	}
	if known, ok := guesses(word(args, 1))[guessKey(cmd, args[0])]; ok {
		return known.of(usage)
	}
	if cmd.HasSubCommands() && child(cmd, args[0]) == nil && len(usage.Next) == 0 {
		usage.Next = meant(cmd, args)
	}
	return usage
}

// commandOf returns the command that the words of a line name, whichever flags stand between them, or the error of the
// first word that should be a command and is none.
func (t *commandTree) commandOf(args []string) (*cobra.Command, error) {
	cmd := t.root
	words := t.arguments(args)
	for i, word := range words {
		next := child(cmd, word)
		if next == nil {
			return nil, cmd.ValidateArgs(words[i:])
		}
		if cmd = next; !cmd.HasSubCommands() {
			break
		}
	}
	return cmd, nil
}

// arguments returns the words of a line that are neither flags nor their values, whichever command the flags belong to.
func (t *commandTree) arguments(args []string) []string {
	var words []string
	for i := 0; i < len(args) && args[i] != "--"; i++ {
		name, isFlag := strings.CutPrefix(args[i], "-")
		switch {
		case !isFlag || name == "":
			words = append(words, args[i])
		case i+1 < len(args) && !strings.Contains(name, "=") && t.takesNext(name, args[i+1]):
			i++
		}
	}
	return words
}

// takesNext reports whether a flag, written without its first hyphen, takes the next word of the line as its value. One
// that no command has takes it unless it is a command.
func (t *commandTree) takesNext(name, next string) bool {
	long, isLong := strings.CutPrefix(name, "-")
	if !isLong && len(name) > 1 {
		return false // letters together, or a letter with its value
	}
	t.complete()
	var found *pflag.Flag
	var look func(*cobra.Command)
	look = func(c *cobra.Command) {
		for _, flags := range []*pflag.FlagSet{c.Flags(), c.PersistentFlags()} {
			flag := flags.Lookup(long)
			if !isLong {
				flag = flags.ShorthandLookup(name)
			}
			if found == nil || flag != nil && flag.NoOptDefVal != "" { // --wait takes a time in some commands, in others none
				found = flag
			}
		}
		for _, below := range c.Commands() {
			look(below)
		}
	}
	look(t.root)
	if found != nil {
		return found.NoOptDefVal == ""
	}
	return !strings.HasPrefix(next, "-") && child(t.root, next) == nil
}

// meant returns the commands that may have been meant by words, of which the first is no command below a command.
func meant(cmd *cobra.Command, words []string) []string {
	wrong := strings.ToLower(words[0])
	if wrong == cmd.Root().Name() && len(words) > 1 {
		return []string{"did you mean " + line(cmd.Root(), words[1:]) + "?"}
	}
	if len(words) > 1 { // as in kubectl: the verb first
		if noun := child(cmd, words[1]); noun != nil && noun.HasSubCommands() {
			if next := verbOf(noun, wrong, words[2:]); next != nil {
				return next
			}
		}
	}
	if near := nearest(cmd, wrong); near != nil {
		return []string{"did you mean " + line(near, words[1:]) + "?"}
	}
	if get := child(cmd, "get"); get != nil && strings.Contains(wrong, "_") { // an identifier
		return []string{line(get, words)}
	}
	var lines []string
	for _, found := range everywhere(cmd.Root(), wrong) {
		lines = append(lines, line(found, words[1:]))
	}
	if len(lines) <= mostMeant {
		return lines
	}
	return nil
}

// verbOf returns the commands for a noun and a verb that may have been meant, with the words behind them.
func verbOf(noun *cobra.Command, verb string, rest []string) []string {
	if known, ok := guesses(word(rest, 0))[guessKey(noun, verb)]; ok {
		return known.next
	}
	found, list := child(noun, verb), child(noun, "list")
	if found == nil {
		return nil
	}
	if len(rest) == 0 && found.Name() == "get" && list != nil {
		found = list
	}
	return []string{line(found, rest)}
}

// line returns the line of a command, or of the one below it that the words name, with the words behind it as its
// arguments, or with the names of the arguments that it needs.
func line(cmd *cobra.Command, words []string) string {
	for len(words) > 0 && child(cmd, words[0]) != nil {
		cmd, words = child(cmd, words[0]), words[1:]
	}
	if len(words) == 0 {
		_, arguments, _ := strings.Cut(cmd.Use, " ")
		required, _, _ := strings.Cut(arguments, "[")
		return strings.TrimSpace(cmd.CommandPath() + " " + required)
	}
	return withWords(cmd, words)
}

// withWords returns the line of a command with words as its arguments.
func withWords(cmd *cobra.Command, words []string) string {
	text := cmd.CommandPath()
	for _, word := range words {
		text += shell.Hint(" WORD", shell.Values{"WORD": word})
	}
	return text
}

// mostMeant is how many commands a guess names: more are no help.
const mostMeant = 8

// nearest returns the command below another one that a misspelt name means most likely, or nil.
func nearest(cmd *cobra.Command, wrong string) *cobra.Command {
	var names []string
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() || c.IsAdditionalHelpTopicCommand() {
			names = append(append(names, c.Name()), c.Aliases...)
		}
	}
	if near := suggest.Guess(wrong, names); near != "" {
		return child(cmd, near)
	}
	// Two letters exchanged are two edits.
	for i := range len(wrong) - 1 {
		exchanged := wrong[:i] + wrong[i+1:i+2] + wrong[i:i+1] + wrong[i+2:]
		if slices.Contains(names, exchanged) {
			return child(cmd, exchanged)
		}
	}
	started := slices.DeleteFunc(names, func(name string) bool { return len(wrong) < 2 || !strings.HasPrefix(name, wrong) })
	if len(started) == 0 {
		return nil
	}
	return child(cmd, started[0])
}

// everywhere returns all commands of a name, below other commands than this one too.
func everywhere(cmd *cobra.Command, name string) []*cobra.Command {
	var found []*cobra.Command
	for _, c := range cmd.Commands() {
		if c.Name() == name || c.HasAlias(name) {
			found = append(found, c)
		}
		found = append(found, everywhere(c, name)...)
	}
	return found
}

// word returns a word of a line, or an empty string.
func word(words []string, i int) string {
	if i >= len(words) {
		return ""
	}
	return words[i]
}
