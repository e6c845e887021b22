// Package completion knows what can stand where on a command line, for the completions of shells.
//
// Usage texts name what they want in capitals: `payctl accounts get ACCOUNT`, `--contact CONTACT`. Those names are the
// vocabulary here, so that a new command is completed by the words of its usage.
package completion

import (
	"slices"
	"strings"
	"unicode"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/payments"
)

// A Candidate is a word that can stand somewhere, and what a person knows it by.
type Candidate struct {
	Value, Description string
}

// A place is where the cursor stands: the arguments before it, and what was typed of the word under it.
type place struct {
	args  []string
	begun string
}

// A source finds candidates for a place; those that do not go on from what was typed are left out afterwards. It never
// fails: what cannot be found out is left out.
type source func(place) []Candidate

// Attach gives every command its completions for a line, whose last word is the one under the cursor. Quick returns the service
// with credentials that nobody has to unlock, if there are such. It costs time and is for completing alone. The line's own output flags are ignored, because the shell reads
// standard output and the user does not see standard error.
func Attach(root *cobra.Command, d *cmdutil.Deps, quick func() (payments.Reads, bool), line []string) {
	s := &service{quick}
	c := &completer{deps: d, words: vocabulary(d, s), flags: flagSources(d, s)}
	c.behind = slices.Contains(line[:max(len(line)-1, 0)], "--")
	c.attach(root)
}

type completer struct {
	deps  *cmdutil.Deps
	words map[string]source // by the name of an argument or of a flag's value
	flags map[string]source // by the name of a flag, or by the path of its command and its name

	behind bool // the cursor stands behind --, which cobra does not tell
}

func (c *completer) attach(cmd *cobra.Command) {
	for _, child := range cmd.Commands() {
		c.attach(child)
	}
	if cmd.Name() == "help" {
		cmd.ValidArgsFunction = topics
		return
	}
	if cmd.Runnable() && cmd.ValidArgsFunction == nil && len(cmd.ValidArgs) == 0 {
		cmd.ValidArgsFunction = c.arguments(argumentNames(cmd.Use))
	}
	flags := func(flag *pflag.Flag) {
		if _, registered := cmd.GetFlagCompletionFunc(flag.Name); registered || flag.Value.Type() == "bool" {
			return
		}
		word, _ := pflag.UnquoteUsage(flag)
		if isFile(word) {
			return // a shell completes files by itself
		}
		find, known := c.flags[cmd.CommandPath()+" --"+flag.Name]
		if !known {
			find, known = c.flags[flag.Name]
		}
		if !known {
			find = c.words[word]
		}
		if values := flag.Annotations[cmdutil.AnnotationValues]; values != nil {
			find = words(values...)
		}
		// The error is that of a flag which has a completion already.
		_ = cmd.RegisterFlagCompletionFunc(flag.Name, c.value(find, strings.Contains(flag.Value.Type(), "Slice")))
	}
	cmd.LocalNonPersistentFlags().VisitAll(flags)
	cmd.PersistentFlags().VisitAll(flags)
}

// argumentNames lists what a usage such as "kyc ACCOUNT STATUS" names in capitals.
func argumentNames(use string) []string {
	usage, _, _ := strings.Cut(use, "--")
	var names []string
	for _, word := range strings.Fields(usage)[1:] {
		name := strings.Trim(word, "[]")
		if strings.IndexFunc(name, unicode.IsUpper) == 0 {
			names = append(names, name)
		}
	}
	return names
}

// isFile reports whether a placeholder in capitals stands for a file or folder.
func isFile(word string) bool {
	return strings.HasPrefix(word, "FILE") || word == "FOLDER" || word == "DIR" || word == "PATH" || word == "COMMAND"
}

// arguments completes the arguments of a command. The last of several names may stand for more than one. What stands behind
// -- is another program's line.
func (c *completer) arguments(names []string) cobra.CompletionFunc {
	return func(_ *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
		if c.behind {
			return nil, cobra.ShellCompDirectiveDefault
		}
		at := len(args)
		if last := len(names) - 1; at > last && last >= 0 && strings.HasSuffix(names[last], "…") {
			at = last
		}
		if at >= len(names) {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		name := strings.TrimSuffix(names[at], "…")
		if name != "PATH" && isFile(name) {
			return nil, cobra.ShellCompDirectiveDefault
		}
		return c.find(c.words[name], place{args, begun}, args)
	}
}

// topics completes what payctl help explains: commands, and texts that are no commands.
func topics(help *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
	var found []string
	if cmd, rest, err := help.Root().Find(args); err == nil && len(rest) == 0 {
		for _, below := range cmd.Commands() {
			if strings.HasPrefix(below.Name(), begun) && (below.IsAvailableCommand() || below.IsAdditionalHelpTopicCommand()) {
				found = append(found, below.Name()+"\t"+below.Short)
			}
		}
	}
	return found, cobra.ShellCompDirectiveNoFileComp
}

// value completes the value of a flag, or the last value of one that takes several, separated by commas.
func (c *completer) value(find source, several bool) cobra.CompletionFunc {
	return func(_ *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
		if !several {
			return c.find(find, place{args, begun}, nil)
		}
		before, last := "", begun
		if comma := strings.LastIndexByte(begun, ','); comma >= 0 {
			before, last = begun[:comma+1], begun[comma+1:]
		}
		found, directive := c.find(find, place{args, last}, strings.Split(before, ","))
		for i := range found {
			found[i] = before + found[i]
		}
		return found, directive | cobra.ShellCompDirectiveNoSpace
	}
}

// find lists the candidates that go on from what was begun and were not given already. Behind one that ends within a
// word the cursor stays.
func (c *completer) find(find source, at place, given []string) ([]string, cobra.ShellCompDirective) {
	directive := cobra.ShellCompDirectiveNoFileComp
	if find == nil {
		return nil, directive
	}
	// Both would write where the shell reads, or hold the program up.
	c.deps.Options.Curl, c.deps.Options.Verbose = false, false
	var lines []string
	for _, candidate := range find(at) {
		if !strings.HasPrefix(candidate.Value, at.begun) || slices.Contains(given, candidate.Value) {
			continue
		}
		if strings.HasSuffix(candidate.Value, "=") {
			directive |= cobra.ShellCompDirectiveNoSpace
		}
		line := candidate.Value
		if candidate.Description != "" {
			line += "\t" + candidate.Description
		}
		lines = append(lines, line)
	}
	return lines, directive
}
