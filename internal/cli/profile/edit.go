package profile

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/securefile"
	"github.com/payctl/payctl/internal/settings"
)

func newEdit(d *cmdutil.Deps) *cobra.Command {
	return &cobra.Command{
		Use:   "edit",
		Short: "Edit all profiles in your editor",
		Long: `Open the configuration file in the editor that VISUAL or else EDITOR names (on Windows, Notepad if
neither is set). When the editor ends, payctl checks the file and names the first mistake. Other
commands refuse a file with a mistake.`,
		Example: `  payctl profile edit
  EDITOR='code --wait' payctl profile edit`,
		Args: cmdutil.Args(),
		RunE: func(cmd *cobra.Command, _ []string) error { return edit(cmd.Context(), d) },
	}
}

// firstText is what a person who has no configuration file finds in the editor.
const firstText = `# The settings of payctl, such as these; payctl profile set --help lists all keys.
#
# current: production
# profiles:
#   production:
#     base_url: https://payments.example
`

func edit(ctx context.Context, d *cmdutil.Deps) error {
	dir, err := settings.Dir(d.Getenv)
	if err != nil {
		return err
	}
	path := filepath.Join(dir, settings.FileName)
	if err := runEditor(ctx, d, path); err != nil {
		return err
	}
	if _, err := d.Config(); err != nil { // which reads the file now
		return err
	}
	printer, err := d.PrinterAnyway(ctx)
	if err != nil {
		return err
	}
	result := struct {
		File string `json:"file"`
	}{path}
	return d.Done(printer, result, "%s has no mistakes.", path)
}

// editorEnds is how long an editor may take to end after a signal to payctl.
const editorEnds = 5 * time.Second

// runEditor runs the editor for a file, which it creates if there is none, until it ends. Ctrl-C is the editor's.
func runEditor(ctx context.Context, d *cmdutil.Deps, file string) error {
	variable := "VISUAL"
	if d.Getenv(variable) == "" {
		variable = "EDITOR"
	}
	name := d.Getenv(variable)
	if runtime.GOOS == "windows" {
		name = cmp.Or(name, "notepad")
	}
	if name == "" {
		return cmdutil.Usage("no editor is known: neither VISUAL nor EDITOR is set").WithHint("EDITOR=vi payctl profile edit")
	}
	program, args, err := cmdutil.FindProgram(variable, name)
	if err != nil {
		return err
	}
	args = append(args, file)
	if err := cmdutil.CheckArguments(program, args); err != nil {
		return fmt.Errorf("the editor %s cannot be run: %w", name, err)
	}
	if _, err := os.Lstat(file); errors.Is(err, fs.ErrNotExist) {
		err = securefile.MakeFolder(filepath.Dir(file))
		if err == nil {
			err = securefile.Replace(file, []byte(firstText))
		}
		if err != nil {
			return cmdutil.Unwritable("the configuration", file, err)
		}
	}
	cmd := exec.CommandContext(ctx, program, args...) //nolint:gosec // the user names it
	cmd.Env = cmdutil.ProgramEnvironment(os.Environ())
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = editorEnds
	if err = cmd.Start(); err == nil {
		cmdutil.LeaveInterrupts()
		err = cmd.Wait()
	}
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case err != nil:
		return fmt.Errorf("the editor %s failed: %v", name, cmdutil.WhyNotRun(err)) //nolint:errorlint // payctl reports it
	}
	return nil
}
