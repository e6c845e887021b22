// Command generate writes files that are derived from the commands. Without an argument it writes the shell
// completions, which are committed. With the argument docs it writes the man pages and a page for each command in
// docs/cli, which a release packs. Run it from the project's root.
package main

import (
	"bytes"
	"errors"
	"log"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"github.com/payctl/payctl/internal/app"
)

func main() {
	log.SetFlags(0)
	root := app.Command()
	root.DisableAutoGenTag = true // it contains the day of the build
	step := completions
	if len(os.Args) > 1 && os.Args[1] == "docs" {
		step = pages
	}
	if err := step(root); err != nil {
		log.Fatal(err)
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
		if err := cmd.RunE(cmd, []string{shell}); err != nil {
			return err
		}
		if err := os.WriteFile("completions/payctl."+suffix, script.Bytes(), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// pages writes the man pages and a page for each command.
func pages(root *cobra.Command) error {
	const manual, commands = "docs/man", "docs/cli"
	header := &doc.GenManHeader{Section: "1", Date: &time.Time{}, Manual: root.Name()} // the same in each build
	if err := errors.Join(makeEmpty(manual), doc.GenManTree(root, header, manual)); err != nil {
		return err
	}
	fence(root)
	return errors.Join(makeEmpty(commands), doc.GenMarkdownTree(root, commands))
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

// fenced makes the indented lines of a text code blocks of Markdown, which would otherwise be reflowed.
func fenced(text string) string {
	return strings.Trim(indented.ReplaceAllString(text, "\n\n```\n$1\n```\n\n"), "\n")
}

// makeEmpty makes an empty folder, without the pages of removed commands.
func makeEmpty(dir string) error {
	return errors.Join(os.RemoveAll(dir), os.MkdirAll(filepath.Clean(dir), 0o755))
}
