package cli

import (
	"cmp"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/payctl/payctl/internal/cli/cmdutil"
)

// widestHelp is the width of help texts where the terminal is wider or there is none: longer lines are hard to read.
const widestHelp = 100

// writeHelp writes the help of a command: what it does, its usage and examples, then everything else about it.
func writeHelp(w io.Writer, cmd *cobra.Command, width int) error {
	about, details, _ := strings.Cut(strings.TrimSpace(cmp.Or(cmd.Long, cmd.Short)), "\n\n")
	if isTopic(cmd) || !cmd.HasParent() {
		about, details = strings.TrimSpace(cmd.Long), ""
	}
	sections := []string{wrapped(about, width)}
	add := func(title, text string) {
		if text = strings.TrimRight(text, "\n"); text != "" {
			sections = append(sections, strings.TrimLeft(title+"\n"+text, "\n"))
		}
	}
	if !isTopic(cmd) {
		add("Usage:", wrapped(usage(cmd), width))
		add("Examples:", wrapped(examples(runtime.GOOS, cmd.Example), width))
		add("", wrapped(details, width))
		for _, group := range cmd.Groups() {
			add(group.Title, wrapped(commandRows(cmd, group.ID), width))
		}
		add(otherCommands(cmd), wrapped(commandRows(cmd, ""), width))
		add("Help topics:", wrapped(topicRows(cmd), width))
		add("Flags:", wrapped(shownFlags(cmd).FlagUsages(), width))
		add("", wrapped(globalFlags(cmd), width))
		if cmd.HasAvailableSubCommands() {
			add("", wrapped("Run "+cmd.CommandPath()+" COMMAND --help for more about a command.", width))
		}
	}
	_, err := io.WriteString(w, strings.Join(sections, "\n\n")+"\n")
	return err
}

// otherCommands is the title of the commands that are in no group.
func otherCommands(cmd *cobra.Command) string {
	if len(cmd.Groups()) > 0 {
		return "Other commands:"
	}
	return "Commands:"
}

// isTopic reports whether a command only has a text.
func isTopic(cmd *cobra.Command) bool { return !cmd.Runnable() && !cmd.HasSubCommands() }

// usage returns the lines of a command, and its other names.
func usage(cmd *cobra.Command) string {
	var lines string
	if cmd.HasAvailableSubCommands() {
		lines = "  " + cmd.CommandPath() + " COMMAND [flags]\n"
	}
	if cmd.Name() == serveName || !cmd.HasAvailableSubCommands() {
		lines = "  " + cmd.UseLine() + "\n" + lines
	}
	if len(cmd.Aliases) > 0 {
		lines += "\nAlso called: " + strings.Join(cmd.Aliases, ", ") + "\n"
	}
	return lines
}

// commandRows returns a row for each command below another one that is in a group. A name that users look for has a row
// of its own.
func commandRows(cmd *cobra.Command, group string) string {
	var rows [][2]string
	for _, c := range cmd.Commands() {
		if c.GroupID != group || !c.IsAvailableCommand() {
			continue
		}
		if name := cmdutil.ListedAlias(c); name != "" {
			rows = append(rows, [2]string{name, c.Short}, [2]string{c.Name(), "The same as " + name + ": the name that the API has for it"})
			continue
		}
		rows = append(rows, [2]string{c.Name(), c.Short})
	}
	slices.SortFunc(rows, func(a, b [2]string) int { return strings.Compare(a[0], b[0]) })
	return table(rows)
}

// topicRows returns a row for each help topic.
func topicRows(cmd *cobra.Command) string {
	var rows [][2]string
	for _, c := range cmd.Commands() {
		if isTopic(c) {
			rows = append(rows, [2]string{"help " + c.Name(), c.Short})
		}
	}
	return table(rows)
}

// table aligns rows of a name and its meaning.
func table(rows [][2]string) string {
	widest := 0
	for _, row := range rows {
		widest = max(widest, len(row[0]))
	}
	var b strings.Builder
	for _, row := range rows {
		fmt.Fprintf(&b, "  %-*s   %s\n", widest, row[0], row[1])
	}
	return b.String()
}

// shownFlags are the flags of a command that its help explains: not the global ones, and not --help.
func shownFlags(cmd *cobra.Command) *pflag.FlagSet {
	shown := ownFlags(cmd)
	shown.SortFlags = cmd.Flags().SortFlags
	return shown
}

// globalFlags names the global flags that a command uses.
func globalFlags(cmd *cobra.Command) string {
	var names []string
	local := cmd.LocalNonPersistentFlags()
	cmd.Root().PersistentFlags().VisitAll(func(f *pflag.Flag) {
		if own := local.Lookup(f.Name); (own == nil || own == f) && usesFlag(cmd, f.Name) {
			names = append(names, "--"+f.Name)
		}
	})
	if len(names) == 0 {
		return ""
	}
	return "Global flags: " + strings.Join(names, ", ") + " (see payctl help flags)"
}

// asking are the commands that may ask before they change something, which --yes answers.
var asking = []string{
	"contacts delete", "profile remove", "sandbox reset", "sandbox restore", "transfer auto", "transfer batch", "transfer resolve",
}

// usesFlag reports whether a global flag means something to a command, or to one below it. Every command accepts all
// of them, so that a script may add the same flags to each.
func usesFlag(cmd *cobra.Command, flag string) bool {
	if cmd.HasAvailableSubCommands() && cmd.Name() != serveName {
		return slices.ContainsFunc(cmd.Commands(), func(c *cobra.Command) bool { return c.IsAvailableCommand() && usesFlag(c, flag) })
	}
	_, path, _ := strings.Cut(cmd.CommandPath(), " ")
	noun, _, _ := strings.Cut(path, " ")
	switch {
	case noun == completionName || noun == "help":
		return false
	case flag == "no-color" || flag == "quiet":
		return true
	case flag == "output" || flag == "jq":
		return path != serveName
	case flag == "yes":
		return slices.Contains(asking, path)
	case flag == "verbose" && path == serveName:
		return true
	case flag == "curl" || flag == "verbose":
		return !cmdutil.IsLocal(cmd)
	}
	return !cmdutil.IsLocal(cmd) || path == "profile show"
}

// globalFlagTexts is the help topic `payctl help flags`.
func globalFlagTexts(root *cobra.Command) string {
	var b strings.Builder
	b.WriteString(`Every command accepts these flags, before or behind its name. Some mean something to a few commands only. Each has
a variable in the environment too: PAYCTL_BASE_URL for --base-url (payctl help environment).

`)
	b.WriteString(strings.TrimRight(root.PersistentFlags().FlagUsages(), "\n"))
	return b.String()
}
