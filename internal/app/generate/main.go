// Command generate writes what is derived from the commands. Without an argument that is what the repository holds: the shell
// completions and the table of exit codes. With the argument docs it is what only a release packs: the man pages, and a page for
// each command in docs/cli. Run it from the project's root.
package main

import (
	"bytes"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"github.com/payctl/payctl/internal/app"
	"github.com/payctl/payctl/internal/cli"
)

func main() {
	log.SetFlags(0)
	root := app.Command()
	root.DisableAutoGenTag = true // it holds the day of the build
	steps := []func(*cobra.Command) error{completions, exitCodes}
	if len(os.Args) > 1 && os.Args[1] == "docs" {
		steps = []func(*cobra.Command) error{pages}
	}
	for _, step := range steps {
		if err := step(root); err != nil {
			log.Fatal(err)
		}
	}
}

func completions(root *cobra.Command) error {
	if err := makeEmpty("completions"); err != nil {
		return err
	}
	cmd, _, err := root.Find([]string{"completion"})
	if err != nil {
		return err
	}
	for shell, suffix := range map[string]string{"bash": "bash", "zsh": "zsh", "fish": "fish", "powershell": "ps1"} {
		var script bytes.Buffer
		cmd.SetOut(&script)
		if err := firstError(cmd.RunE(cmd, []string{shell}), os.WriteFile("completions/payctl."+suffix, script.Bytes(), 0o644)); err != nil {
			return err
		}
	}
	return nil
}

// pages writes the man pages and a page for each command.
func pages(root *cobra.Command) error {
	const commands = "docs/cli"
	fence(root)
	return firstError(manual(root, "docs/man"), makeEmpty(commands), doc.GenMarkdownTree(root, commands))
}

// fence marks the indented lines in the texts of all commands as code blocks.
func fence(root *cobra.Command) {
	root.Long = fenced(root.Long)
	for _, cmd := range root.Commands() {
		fence(cmd)
	}
}

// indented matches lines that begin with a space, with the empty lines between and around them.
var indented = regexp.MustCompile(`\n*(?m:^)( .*(?:\n+ .*)*)\n*`)

// fenced is a text whose indented lines are code blocks of Markdown, which would otherwise be reflowed.
func fenced(text string) string {
	return strings.Trim(indented.ReplaceAllString(text, "\n\n```\n$1\n```\n\n"), "\n")
}

// exitCodes writes the table of exit codes into its page, between two comments.
func exitCodes(*cobra.Command) error {
	const path, begin, end = "docs/OUTPUT.md", "<!-- generated: exit codes -->\n", "<!-- end of exit codes -->"
	page, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	before, rest, begins := strings.Cut(string(page), begin)
	_, after, ends := strings.Cut(rest, end)
	if !begins || !ends {
		return fmt.Errorf("%s has no place for the exit codes", path)
	}
	table := "| code | meaning |\n| --- | --- |\n"
	for _, row := range cli.ExitCodes() {
		table += fmt.Sprintf("| %d | %s |\n", row.Code, row.Meaning)
	}
	return os.WriteFile(path, []byte(before+begin+table+end+after), 0o644)
}

// makeEmpty makes an empty folder, so that the pages of removed commands go.
func makeEmpty(dir string) error {
	return firstError(os.RemoveAll(dir), os.MkdirAll(filepath.Clean(dir), 0o755))
}

func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
