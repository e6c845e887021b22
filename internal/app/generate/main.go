// Command generate derives from the commands what repeats them: the shell completions, the man pages and the reference
// in docs/cli. Run it from the project's root.
package main

import (
	"fmt"
	"log"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"github.com/payctl/payctl/internal/app"
)

func main() {
	log.SetFlags(0)
	root := app.Command()
	root.DisableAutoGenTag = true // it holds the day of the build
	for _, step := range []func(*cobra.Command) error{completions, manual, reference, exitCodes, operations} {
		if err := step(root); err != nil {
			log.Fatal(err)
		}
	}
}

func completions(root *cobra.Command) error {
	if err := emptied("completions"); err != nil {
		return err
	}
	return firstError(
		root.GenBashCompletionFileV2("completions/payctl.bash", true),
		root.GenZshCompletionFile("completions/payctl.zsh"),
		root.GenFishCompletionFile("completions/payctl.fish", true),
		root.GenPowerShellCompletionFileWithDesc("completions/payctl.ps1"),
	)
}

func manual(root *cobra.Command) error {
	if err := emptied("docs/man"); err != nil {
		return err
	}
	epoch := time.Unix(0, 0).UTC() // a page must not change with the day
	return doc.GenManTree(root, &doc.GenManHeader{Title: "PAYCTL", Section: "1", Source: "payctl", Date: &epoch}, "docs/man")
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
