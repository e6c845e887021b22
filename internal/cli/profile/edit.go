package profile

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/securefile"
	"github.com/payctl/payctl/internal/settings"
	"github.com/payctl/payctl/internal/shell"
	"github.com/payctl/payctl/internal/ui"
)

func newEdit(d *cmdutil.Deps) *cobra.Command {
	var from string
	cmd := &cobra.Command{
		Use:   "edit",
		Short: "Edit all profiles in your editor",
		Long: `Edit a copy of the configuration file in the editor that VISUAL or else EDITOR names (on Windows, Notepad if neither is
set). When the editor ends, payctl checks the copy and replaces the file in one step. With a mistake in it the file stays
as it is; at a terminal you can edit the copy again. The copy is kept unless it has replaced the file.

This also repairs a file that other commands refuse.`,
		Example: `  payctl profile edit
  EDITOR='code --wait' payctl profile edit`,
		Args: cmdutil.Args(),
		RunE: func(cmd *cobra.Command, _ []string) error { return edit(cmd.Context(), d, from) },
	}
	cmd.Flags().StringVar(&from, "from", "", "begin with the text of `FILE`, such as a copy that was kept")
	return cmd
}

// firstText is what a person who has no configuration file finds in the editor. It ends with an empty line, since editors
// make the line behind a comment another one.
const firstText = `# The settings of payctl, such as these; payctl profile set --help lists all keys.
#
# current: production
# profiles:
#   production:
#     base_url: https://payments.example

`

// maxCopy is the most bytes that are read of a copy: more than a configuration file may have, so that one which is too
// large is reported as such.
const maxCopy = 2 << 20

func edit(ctx context.Context, d *cmdutil.Deps, from string) error {
	printer, err := d.PrinterAnyway(ctx)
	if err != nil {
		return err
	}
	editor, err := newEditor(d)
	if err != nil {
		return err
	}
	draft, err := d.Draft()
	if err != nil {
		return err
	}
	text := draft.Text()
	if len(text) == 0 {
		text = []byte(firstText)
	}
	if from != "" {
		if text, err = d.Content(ctx, from, maxCopy); err != nil {
			return err
		}
	}
	copied, err := newCopy(text)
	if err != nil {
		return err
	}
	edited, err := editor.edit(ctx, d, draft, copied, from == "")
	if err != nil {
		return keepCopy(ctx, d, err, copied, text)
	}
	if edited != nil {
		if err := draft.Save(edited); err != nil {
			return keepCopy(ctx, d, err, copied, text)
		}
	}
	if err := securefile.RemoveAll(filepath.Dir(copied)); err != nil {
		return err
	}
	result := struct {
		File    string `json:"file"`
		Changed bool   `json:"changed"`
	}{draft.Path(), edited != nil}
	if edited == nil {
		return d.Done(printer, result, "Nothing was changed.")
	}
	return d.Done(printer, result, "Changed %s.", draft.Path())
}

// newCopy writes a text to a file in a folder of its own, where the editor may put more, and that only the user can
// read.
func newCopy(text []byte) (path string, err error) {
	dir, err := os.MkdirTemp("", "payctl-edit-")
	if err != nil {
		return "", cmdutil.Usage("there is no place for a copy to edit: %v", err).
			WithHint(cmdutil.TempFolderHint())
	}
	path = filepath.Join(dir, settings.FileName)
	return path, os.WriteFile(path, text, 0o600)
}

// keepCopy adds to an error where the copy is. It removes a copy that still has the text from before.
func keepCopy(ctx context.Context, d *cmdutil.Deps, err error, copied string, before []byte) error {
	text, reading := readCopy(copied)
	if reading != nil || bytes.Equal(text, before) { // nothing was written, or the editor has taken the copy away
		return errors.Join(err, securefile.RemoveAll(filepath.Dir(copied)))
	}
	if ctx.Err() != nil { // the error of a signal says nothing else
		d.Warnf("Nothing was changed. What you wrote is kept in %s.", copied)
	}
	kept := &cmdutil.Error{
		Kind: "not-changed", Title: "Nothing was changed.", Cause: err,
		Detail: fmt.Sprintf("%s What you wrote is kept in %s.", payments.Sentence(err.Error()), copied),
	}
	return kept.WithHint(shell.Hint("payctl profile edit --from FILE   (to go on with it)", shell.Values{"FILE": copied}))
}

// readCopy reads the copy. What is no file, such as a pipe that the editor has left in its place, could hold the program up.
func readCopy(path string) ([]byte, error) {
	if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("the editor has left something in place of %s that is no file", path)
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return io.ReadAll(io.LimitReader(file, maxCopy))
}

// An editor is a program with its first arguments.
type editor struct {
	name, path string
	args       []string
}

// newEditor finds the program that the environment names.
func newEditor(d *cmdutil.Deps) (*editor, error) {
	variable := "VISUAL"
	if d.Getenv(variable) == "" {
		variable = "EDITOR"
	}
	text := cmp.Or(d.Getenv(variable), systemEditor)
	if text == "" {
		return nil, cmdutil.Usage("no editor is known: neither VISUAL nor EDITOR is set").
			WithHint("EDITOR=vi payctl profile edit")
	}
	path, args, err := cmdutil.FindProgram(variable, text)
	return &editor{text, path, args}, err
}

// editorEnds is how long an editor may take to end after a signal to payctl.
const editorEnds = 5 * time.Second

// edit runs the editor until the copy has no mistake, or the person gives up, and returns its text. It is nil if the
// file has that text already or, where mustDiffer is set, the editor has changed nothing.
func (e *editor) edit(ctx context.Context, d *cmdutil.Deps, draft *settings.Draft, copied string, mustDiffer bool) ([]byte, error) {
	before, err := readCopy(copied)
	if err != nil {
		return nil, err
	}
	for {
		if err := e.run(ctx, copied); err != nil {
			return nil, err
		}
		text, err := readCopy(copied)
		if err != nil {
			return nil, err
		}
		if bytes.Equal(text, draft.Text()) || mustDiffer && bytes.Equal(text, before) {
			return nil, nil
		}
		wrong := draft.Check(copied, text)
		if wrong == nil || !d.InTTY || !d.ErrTTY {
			return text, wrong
		}
		d.Warnf("%v", wrong)
		switch again, err := askAgain(ctx, d); {
		case err != nil && ctx.Err() == nil:
			return nil, ui.ErrInterrupted
		case err != nil:
			return nil, err
		case !again:
			return nil, wrong
		}
	}
}

// run runs the editor for a file until it ends. Ctrl-C is the editor's, also where it runs another program.
func (e *editor) run(ctx context.Context, path string) error {
	args := append(e.args, path)
	if err := cmdutil.CheckArguments(e.path, args); err != nil {
		return fmt.Errorf("the editor %s cannot be run: %w", e.name, err)
	}
	cmd := exec.CommandContext(ctx, e.path, args...) //nolint:gosec // the user names it
	cmd.Env = cmdutil.ProgramEnvironment(os.Environ())
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = editorEnds
	err := cmd.Start()
	if err == nil {
		cmdutil.LeaveInterrupts()
		err = cmd.Wait()
	}
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case err != nil:
		return fmt.Errorf("the editor %s failed: %v", e.name, cmdutil.WhyNotRun(err)) //nolint:errorlint // payctl reports it
	}
	return nil
}

// askAgain asks whether to run the editor again. Ctrl-C, which run ignores, means no.
func askAgain(ctx context.Context, d *cmdutil.Deps) (bool, error) {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt)
	defer stop()
	return d.Confirm(ctx, "Edit it again?")
}
