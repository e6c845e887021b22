package sandbox

import (
	"context"
	"slices"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/securefile"
	"github.com/payctl/payctl/internal/ui"
)

// maxSnapshot is the most bytes of a snapshot that are read from a file; the service accepts no larger one.
const maxSnapshot = 64 << 20

func newReset(d *cmdutil.Deps) *cobra.Command {
	return &cobra.Command{
		Use:   "reset",
		Short: "Empty the sandbox and begin its clock anew",
		Long: `Empty the sandbox and begin its clock anew. All accounts, contacts, transfers and idempotency keys of
the client are deleted, and so are its request log and its faults; those of serve --fault are set
again. Your login goes on working.`,
		Example: "  payctl sandbox reset",
		RunE: func(cmd *cobra.Command, _ []string) error {
			return replace(cmd.Context(), d, "resetting the sandbox", "Delete everything in this sandbox?",
				func(s payments.Sandbox) (payments.SandboxWorld, error) { return s.ResetSandbox(cmd.Context()) })
		},
	}
}

// replace begins a new instance of the world, after a confirmation if one is needed.
func replace(
	ctx context.Context, d *cmdutil.Deps, doing, question string,
	begin func(payments.Sandbox) (payments.SandboxWorld, error),
) error {
	asks, err := d.MustAsk(doing)
	if err == nil && asks {
		err = d.Confirmed(ctx, question)
	}
	if err != nil {
		return err
	}
	return show(ctx, d, begin, func(w payments.SandboxWorld) ui.Details {
		return cmdutil.Field("World", w.Instance)
	})
}

func newSnapshot(d *cmdutil.Deps) *cobra.Command {
	return &cobra.Command{
		Use:   "snapshot FILE",
		Short: "Save the sandbox to a file",
		Long: `Save the sandbox to a file, or write it to standard output with -: everything in it, everything that
is still to happen, and its clock. The file is JSON. Only you can read it, because payment
coordinates in it are not masked. You may indent it, but not change its content.`,
		Example: `  payctl sandbox snapshot sandbox.json
  payctl sandbox snapshot - | gzip > sandbox.json.gz`,
		RunE: func(cmd *cobra.Command, args []string) error { return snapshot(cmd.Context(), d, args[0]) },
	}
}

// savedSnapshot is the output about a snapshot that was written to a file.
type savedSnapshot struct {
	File     string    `json:"file"`
	Instance string    `json:"instance"`
	TakenAt  time.Time `json:"takenAt"`
	Bytes    int       `json:"bytes"`
}

func snapshot(ctx context.Context, d *cmdutil.Deps, path string) error {
	printer, err := d.Printer(ctx)
	if err != nil {
		return err
	}
	sandbox, err := d.Client()
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
	if path == "-" {
		if d.OutTTY {
			text = ui.HarmlessJSON(text)
		}
		_, err := d.Out.Write(text)
		return err
	}
	if err := securefile.Write(path, text); err != nil {
		return cmdutil.Unwritable("the snapshot", err)
	}
	saved := savedSnapshot{path, snapshot.Instance, snapshot.TakenAt, len(text)}
	return printer.Print(saved, func() ui.Details {
		return slices.Concat(cmdutil.Field("File", saved.File), cmdutil.Field("World", saved.Instance),
			cmdutil.Field("Taken", cmdutil.Time(saved.TakenAt)), cmdutil.Field("Size", cmdutil.Count(saved.Bytes, "bytes")))
	})
}

func newRestore(d *cmdutil.Deps) *cobra.Command {
	return &cobra.Command{
		Use:   "restore FILE",
		Short: "Replace the sandbox with a snapshot",
		Long: `Replace the sandbox with a snapshot from a file, or from standard input with -. The present content of
the sandbox is deleted. The clock goes on from the time of the snapshot.`,
		Example: "  payctl sandbox restore sandbox.json",
		RunE: func(cmd *cobra.Command, args []string) error {
			snapshot, err := readSnapshot(cmd.Context(), d, args[0])
			if err != nil {
				return err
			}
			return replace(cmd.Context(), d, "replacing the sandbox", "Replace everything in this sandbox with the snapshot?",
				func(s payments.Sandbox) (payments.SandboxWorld, error) {
					return s.RestoreSandboxSnapshot(cmd.Context(), snapshot)
				})
		},
	}
}

// readSnapshot reads a file, or standard input with -.
func readSnapshot(ctx context.Context, d *cmdutil.Deps, path string) (snapshot payments.SandboxSnapshot, err error) {
	text, err := d.Content(ctx, path, maxSnapshot)
	if err != nil {
		return snapshot, err
	}
	if err := json.Unmarshal(text, &snapshot); err != nil || snapshot.World.Kind() != '{' {
		return snapshot, cmdutil.Usage("%s is not a snapshot of a sandbox", cmdutil.TheInput(path))
	}
	return snapshot, nil
}
