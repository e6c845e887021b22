package cli

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
)

// widestHelp is the width of help texts where the terminal is wider or there is none: longer lines are hard to read.
const widestHelp = 100

// writeHelp writes the help of a command, which fits on a screen: what it does, its usage, examples, the commands below it
// and its flags. What is longer is in docs.
func writeHelp(w io.Writer, cmd *cobra.Command, width int) error {
	sections := []string{cmp.Or(cmd.Long, cmd.Short)}
	add := func(title, text string) {
		if text = strings.TrimRight(text, "\n"); text != "" {
			sections = append(sections, strings.TrimLeft(title+"\n"+text, "\n"))
		}
	}
	if !isTopic(cmd) {
		add("Usage:", usage(cmd))
		add("Examples:", cmd.Example)
		for _, group := range cmd.Groups() {
			add(group.Title, commandRows(cmd, group.ID))
		}
		add(otherCommands(cmd), commandRows(cmd, ""))
		add("Help topics:", topicRows(cmd))
		add("Flags:", ownFlags(cmd).FlagUsagesWrapped(width))
		if cmd.HasAvailableSubCommands() && cmd.Name() != serveName {
			add("", "Every command has --help, and the flags of payctl help flags.")
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
	if cmd.HasAvailableSubCommands() && cmd.Name() != serveName {
		lines = "  " + cmd.CommandPath() + " COMMAND [flags]\n"
	} else {
		lines = "  " + cmd.UseLine() + "\n"
	}
	if len(cmd.Aliases) > 0 {
		lines += "\nAlso called: " + strings.Join(cmd.Aliases, ", ") + "\n"
	}
	return lines
}

// commandRows returns a row for each command below another one that is in a group.
func commandRows(cmd *cobra.Command, group string) string {
	var rows [][2]string
	for _, c := range cmd.Commands() {
		if c.GroupID == group && c.IsAvailableCommand() {
			rows = append(rows, [2]string{c.Name(), c.Short})
		}
	}
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

// globalFlagTexts is the help topic `payctl help flags`.
func globalFlagTexts(root *cobra.Command) string {
	var b strings.Builder
	b.WriteString(`Every command accepts these flags, before or behind its name. Some mean something to a few commands
only. Each has a variable in the environment too: PAYCTL_BASE_URL for --base-url (payctl help
environment).

`)
	b.WriteString(strings.TrimRight(root.PersistentFlags().FlagUsages(), "\n"))
	return b.String()
}
