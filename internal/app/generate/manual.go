package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/cpuguy83/go-md2man/v2/md2man"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/payctl/payctl/internal/cli"
)

// manual writes a man page for each command. Cobra's own pages show the zero value of each flag as its default, and have
// neither exit codes nor environment nor files.
func manual(root *cobra.Command, dir string) error {
	if err := makeEmpty(dir); err != nil {
		return err
	}
	return manualBelow(root, dir)
}

func manualBelow(cmd *cobra.Command, dir string) error {
	path := filepath.Join(dir, pageName(cmd)+".1")
	if err := os.WriteFile(path, md2man.Render([]byte(manualPage(cmd))), 0o644); err != nil {
		return err
	}
	for _, below := range commandsBelow(cmd) {
		if err := manualBelow(below, dir); err != nil {
			return err
		}
	}
	return nil
}

// commandsBelow are the commands that have a page: help topics have none, and are on that of the program.
func commandsBelow(cmd *cobra.Command) (below []*cobra.Command) {
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() && !c.IsAdditionalHelpTopicCommand() {
			below = append(below, c)
		}
	}
	return below
}

func pageName(cmd *cobra.Command) string { return strings.ReplaceAll(cmd.CommandPath(), " ", "-") }

// manualPage is the Markdown of a page. The head has no date, which would change with the day.
func manualPage(cmd *cobra.Command) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%% %q %q %q %q %q\n", strings.ToUpper(pageName(cmd)), "1", "", cmd.Root().Name(), "")
	section := func(title, text string) {
		if text != "" {
			fmt.Fprintf(&b, "# %s\n\n%s\n\n", title, strings.Trim(text, "\n"))
		}
	}
	section("NAME", escaped(pageName(cmd)+" - "+cmd.Short))
	section("SYNOPSIS", "**"+escaped(cmd.UseLine())+"**")
	section("DESCRIPTION", cmd.Long)
	section("COMMANDS", commandList(cmd))
	section("OPTIONS", options(cmd.NonInheritedFlags()))
	if cmd.HasParent() {
		section("GLOBAL OPTIONS", fmt.Sprintf("The options of **%s**(1), such as **--profile** and **--output**, go with "+
			"every command.", cmd.Root().Name()))
	}
	if cmd.Example != "" {
		section("EXAMPLES", "```\n"+cmd.Example+"\n```")
	}
	section("EXIT STATUS", exitStatus())
	section("ENVIRONMENT", environment(cmd))
	section("FILES", files)
	section("SEE ALSO", seeAlso(cmd))
	return b.String()
}

// files is what payctl keeps on Linux.
const files = `~/.config/payctl/config.yaml
: the profiles: which service, and how to call it

~/.local/state/payctl/journal.db
: the journal, in which each write is recorded before it is sent

~/.local/state/payctl/credentials.json
: logins, with --credential-store file

The variables PAYCTL_CONFIG_DIR and PAYCTL_STATE_DIR name other folders.`

func exitStatus() string {
	var b strings.Builder
	for _, row := range cli.ExitCodes() {
		fmt.Fprintf(&b, "**%d**\n: %s\n\n", row.Code, escaped(row.Meaning))
	}
	return b.String()
}

// environment is the text of the help topic of that name, whose rows of two columns become a list. It is on the page of the
// program alone.
func environment(cmd *cobra.Command) string {
	if cmd.HasParent() {
		return fmt.Sprintf("Each global option has a variable, such as PAYCTL\\_BASE\\_URL for --base-url; **%s**(1) lists all "+
			"variables.", cmd.Root().Name())
	}
	var b strings.Builder
	for _, topic := range cmd.Commands() {
		if topic.Name() != "environment" {
			continue
		}
		for line := range strings.Lines(strings.ReplaceAll(topic.Long, "```\n", "")) {
			if name, meaning, isRow := strings.Cut(strings.TrimSpace(line), "  "); isRow {
				line = fmt.Sprintf("**%s**\n: %s\n\n", escaped(name), escaped(strings.TrimSpace(meaning)))
			} else {
				line = escaped(line)
			}
			b.WriteString(line)
		}
	}
	return b.String()
}

func commandList(cmd *cobra.Command) string {
	var b strings.Builder
	for _, below := range commandsBelow(cmd) {
		fmt.Fprintf(&b, "**%s**(1)\n: %s\n\n", escaped(pageName(below)), escaped(below.Short))
	}
	return b.String()
}

func options(flags *pflag.FlagSet) string {
	var b strings.Builder
	flags.VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			name, text := cli.FlagTexts(f)
			fmt.Fprintf(&b, "**%s**\n: %s\n\n", escaped(name), escaped(text))
		}
	})
	return b.String()
}

func seeAlso(cmd *cobra.Command) string {
	var pages []string
	for above := cmd.Parent(); above != nil; above = above.Parent() {
		pages = append(pages, "**"+escaped(pageName(above))+"**(1)")
	}
	return strings.Join(pages, ", ")
}

// escaped is a text whose characters mean nothing in Markdown.
func escaped(text string) string {
	return strings.NewReplacer(`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "<", `\<`, "[", `\[`, "]", `\]`).Replace(text)
}
