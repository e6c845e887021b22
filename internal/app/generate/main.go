// Command generate derives from the commands what repeats them: the shell completions, the man pages and the reference
// in docs/cli. Run it from the project's root.
package main

import (
	"bytes"
	"fmt"
	"io/fs"
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
	root.DisableAutoGenTag = true // it holds the day of the build
	for _, step := range []func(*cobra.Command) error{completions, exitCodes, operations, pages} {
		if err := step(root); err != nil {
			log.Fatal(err)
		}
	}
}

func completions(root *cobra.Command) error {
	if err := emptied("completions"); err != nil {
		return err
	}
	for _, shell := range []string{"bash", "zsh", "fish"} {
		cmd, _, err := root.Find([]string{"completion", shell})
		if err != nil {
			return err
		}
		var script bytes.Buffer
		cmd.SetOut(&script)
		if err := firstError(cmd.RunE(cmd, nil), os.WriteFile("completions/payctl."+shell, script.Bytes(), 0o644)); err != nil {
			return err
		}
	}
	return root.GenPowerShellCompletionFileWithDesc("completions/payctl.ps1")
}

// pages are made last: they want what the help aligns to be marked.
func pages(root *cobra.Command) error {
	fence(root)
	return firstError(manual(root, "docs/man"), reference(root))
}

// fence marks in the texts of all commands what they align.
func fence(root *cobra.Command) {
	root.Long = fenced(root.Long)
	for _, cmd := range root.Commands() {
		fence(cmd)
	}
}

// indented are lines that begin with a space, with the empty ones between them and around them.
var indented = regexp.MustCompile(`\n*(?m:^)( .*(?:\n+ .*)*)\n*`)

// fenced is a text whose indented lines are code blocks of Markdown; all other lines are filled there.
func fenced(text string) string {
	return strings.Trim(indented.ReplaceAllString(text, "\n\n```\n$1\n```\n\n"), "\n")
}

func manual(root *cobra.Command, dir string) error {
	if err := emptied(dir); err != nil {
		return err
	}
	epoch := time.Unix(0, 0).UTC()
	if err := doc.GenManTree(root, &doc.GenManHeader{Section: "1", Source: "payctl", Date: &epoch}, dir); err != nil {
		return err
	}
	return undated(dir, epoch)
}

// undated takes the date, without which no page is made, out of the heads of pages: a page must not change with the day.
func undated(dir string, date time.Time) error {
	at, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer at.Close()
	pages, err := fs.Glob(at.FS(), "*.1")
	if err != nil {
		return err
	}
	for _, page := range pages {
		text, err := at.ReadFile(page)
		if err != nil {
			return err
		}
		text = bytes.Replace(text, []byte(date.Format(`"Jan 2006"`)), []byte(`""`), 1)
		if err := at.WriteFile(page, text, 0o644); err != nil {
			return err
		}
	}
	return nil
}

func reference(root *cobra.Command) error {
	if err := emptied("docs/cli"); err != nil {
		return err
	}
	return doc.GenMarkdownTree(root, "docs/cli")
}

// exitCodes writes the table of exit codes, which the program holds as a help topic.
func exitCodes(root *cobra.Command) error {
	return topic(root, "exit-codes", "docs/EXIT-CODES.md", "# Exit codes\n\n```text\n%s\n```\n\n`payctl help exit-codes` shows the same table.\n")
}

// operations writes how a profile maps operations, which the program holds as a help topic.
func operations(root *cobra.Command) error {
	return topic(root, "operations", "docs/OPERATIONS.md", "# A service that has its operations elsewhere\n\n```text\n%s\n```\n\n`payctl help operations` shows the same.\n")
}

// topic writes a help topic as a page.
func topic(root *cobra.Command, name, path, page string) error {
	cmd, _, err := root.Find([]string{name})
	if err != nil {
		return err
	}
	return os.WriteFile(path, fmt.Appendf(nil, page, cmd.Long), 0o644)
}

// emptied makes a folder that holds nothing, so that pages of removed commands go.
func emptied(dir string) error {
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
