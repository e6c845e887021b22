package sandbox

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/deps"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/safefile"
	"github.com/payctl/payctl/internal/term"
)

// maxSnapshot is the most bytes of a snapshot that are read from a file.
const maxSnapshot = 64 << 20

func newReset(d *deps.Deps) *cobra.Command {
	return &cobra.Command{
		Use:   "reset",
		Short: "Begin anew with an empty world",
		Long: `Begin anew with an empty world: every account, contact, transfer and idempotency key of the client is gone, and the clock
begins as that of a new world. The login goes on working.`,
		Example: "  payctl sandbox reset",
		Args:    deps.Args(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return renew(cmd.Context(), d, "resetting the world", "Throw this world away?",
				func(s payments.Sandbox) (payments.SandboxWorld, error) { return s.ResetSandbox(cmd.Context()) })
		},
	}
}

// renew begins a new life of the world, which may have to be confirmed.
func renew(ctx context.Context, d *deps.Deps, doing, question string, begin func(payments.Sandbox) (payments.SandboxWorld, error)) error {
	asks, err := d.MustAsk(doing)
	if err != nil {
		return err
	}
	if asks {
		if err := d.Confirmed(ctx, question); err != nil {
			return err
		}
	}
	return show(ctx, d, begin, func(w payments.SandboxWorld) term.Details {
		return term.Details{field("World", term.Toned(term.Bold, w.Instance))}
	})
}

func newSnapshot(d *deps.Deps) *cobra.Command {
	return &cobra.Command{
		Use:   "snapshot FILE",
		Short: "Write the whole world into a file",
		Long: `Write the whole world into a file, or to standard output with -: everything in it, what is still to happen, and its clock. The
file is JSON, readable by its owner alone, since payment coordinates in it are not masked. It may be indented, but not
changed.`,
		Example: `  payctl sandbox snapshot world.json
  payctl sandbox snapshot - | gzip > world.json.gz`,
		Args: deps.Args("FILE"),
		RunE: func(cmd *cobra.Command, args []string) error { return snapshot(cmd.Context(), d, args[0]) },
	}
}

// taken is what is told of a snapshot that was written to a file.
type taken struct {
	File     string    `json:"file"`
	Instance string    `json:"instance"`
	TakenAt  time.Time `json:"takenAt"`
	Bytes    int       `json:"bytes"`
}

func snapshot(ctx context.Context, d *deps.Deps, path string) error {
	printer, err := d.Printer(ctx)
	if err != nil {
		return err
	}
	sandbox, err := d.Sandbox()
	if err != nil {
		return err
	}
	snapshot, err := sandbox.GetSandboxSnapshot(ctx)
	if err != nil {
		return err
	}
	text, err := json.Marshal(snapshot, json.Deterministic(true))
	if err != nil {
		return err
	}
	text = append(text, '\n')
	if form := printer.Format(); path == "-" && (form == term.FormatYAML || form == term.FormatCSV || d.Options.JQ != "") {
		return printer.Print(snapshot, nil)
	}
	if path == "-" {
		if d.OutTTY {
			text = term.HarmlessJSON(text)
		}
		_, err := d.Out.Write(text)
		return err
	}
	err = safefile.Write(path, text)
	if unsafe, ok := errors.AsType[*safefile.Error](err); ok {
		return &deps.UsageError{Reason: "the snapshot cannot be written: " + unsafe.Reason, Hint: unsafe.Next}
	}
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
		return deps.Usage("the snapshot cannot be written: %v", err)
	}
	if err != nil {
		return fmt.Errorf("the snapshot cannot be written: %w", err)
	}
	told := taken{path, snapshot.Instance, snapshot.TakenAt, len(text)}
	return printer.Print(told, func() term.View {
		return term.Details{
			field("File", term.Text(told.File)), field("World", term.Text(told.Instance)),
			field("Taken", term.Text(deps.Time(told.TakenAt))), field("Size", term.Text(deps.Count(told.Bytes, "bytes"))),
		}
	})
}

func newRestore(d *deps.Deps) *cobra.Command {
	return &cobra.Command{
		Use:   "restore FILE",
		Short: "Put a snapshot in place of the world",
		Long: `Put a snapshot in place of the world, read from a file or from standard input with -. What is there now is gone. The clock goes
on from the moment of the snapshot.`,
		Example: "  payctl sandbox restore world.json",
		Args:    deps.Args("FILE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			snapshot, err := readSnapshot(cmd.Context(), d, args[0])
			if err != nil {
				return err
			}
			return renew(cmd.Context(), d, "replacing the world", "Replace this world by the snapshot?",
				func(s payments.Sandbox) (payments.SandboxWorld, error) {
					return s.RestoreSandboxSnapshot(cmd.Context(), snapshot)
				})
		},
	}
}

// readSnapshot reads a file, or standard input with -.
func readSnapshot(ctx context.Context, d *deps.Deps, path string) (snapshot payments.SandboxSnapshot, err error) {
	text, err := d.Content(ctx, path, maxSnapshot)
	if err != nil {
		return snapshot, err
	}
	if err := json.Unmarshal(text, &snapshot); err != nil || snapshot.World.Kind() != '{' {
		return snapshot, deps.Usage("%s is no snapshot of a world", deps.TheInput(path))
	}
	return snapshot, nil
}
