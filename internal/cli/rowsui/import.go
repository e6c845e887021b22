package rowsui

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/outbox"
	"github.com/payctl/payctl/internal/outbox/batch"
	"github.com/payctl/payctl/internal/rows"
)

// importConcurrency is how many rows of an import are sent at once: few enough for any service.
const importConcurrency = 4

// ImportHelp is the part of a command's help that imports have in common.
const ImportHelp = `The column external_id is required: your own name for the row, which makes it repeatable. The whole
file is checked before anything is sent. If the import stops, run the same command again: a row that
exists is not created again, and one that exists with other content is reported and not changed.
Exit codes: 10 the outcome of some rows is unknown, 13 some rows were refused or are different`

// ImportOptions are the flags of a command that imports.
type ImportOptions struct {
	Flags
	showPII bool
}

// AddTo adds the flags. Constant is an example of --set.
func (o *ImportOptions) AddTo(d *cmdutil.Deps, cmd *cobra.Command, constant string) {
	o.Flags.AddTo(cmd, constant, importConcurrency)
	cmdutil.AddShowPII(d, cmd, &o.showPII)
}

// An Import is what one command does with its rows.
type Import[T any] struct {
	Kind batch.Kind[T]
	// Columns are those that a table shows.
	Columns []string
	// Prepare completes the requests with what the service knows, and adds errors of rows; it may be nil.
	Prepare func(context.Context, *outbox.Outbox, *batch.Import[T]) error
	// CallTimeout bounds one call; zero: as the settings have it.
	CallTimeout time.Duration
	// Wait waits for those of the rows that exist and sets their statuses; nil: there is nothing to wait for.
	Wait func(context.Context, *outbox.Outbox, []*batch.Row) error
}

// RunImport imports a file and reports every row.
func RunImport[T any](ctx context.Context, d *cmdutil.Deps, o *ImportOptions, path string, im Import[T]) error {
	if err := o.Check(path); err != nil {
		return err
	}
	if o.showPII {
		im.Kind.Shown = func(request T) any { return request }
	}
	printer, err := d.Printer(ctx)
	if err != nil {
		return err
	}
	service, err := d.Connect(cmdutil.ClientOptions{Timeout: im.CallTimeout})
	if err != nil {
		return err
	}
	file, err := readImport(ctx, d, o, path, im.Kind)
	if err != nil {
		return err
	}
	if len(file.First) == 0 && im.Prepare != nil {
		if err := im.Prepare(ctx, service, file); err != nil {
			return err
		}
	}
	if len(file.First) > 0 {
		return d.RowErrors(path, file.Errors, "nothing was sent")
	}
	if o.DryRun {
		d.Notef("Nothing was sent. Without --dry-run, %s would be, unless they exist.", cmdutil.Count(len(file.Rows), "row(s)"))
		return PrintPlanned(d, printer, Columns(file.Columns), file.All())
	}
	resolved, err := d.Settings()
	if err != nil {
		return err
	}
	report, err := NewReport(ctx, d, printer, o.Report, len(file.Rows),
		batch.Created, batch.Existed, batch.Different, batch.Refused, batch.Unknown)
	if err != nil {
		return err
	}
	report.Columns = Columns(slices.Concat(file.Columns, batch.ImportColumns))
	if report.IsTable() {
		report.Columns = Columns(im.Columns)
	}
	if report.Holds = im.Wait != nil; report.Holds {
		report.Wait = func(ctx context.Context, all []*batch.Row) error { return im.Wait(ctx, service, all) }
	}
	return report.Send(ctx, o.Sender(service, resolved.Timeout), file.All())
}

// readImport reads the file of an import.
func readImport[T any](
	ctx context.Context, d *cmdutil.Deps, o *ImportOptions, path string, kind batch.Kind[T],
) (*batch.Import[T], error) {
	mapping, err := o.Mapping.Read(kind.Members())
	if err != nil {
		return nil, err
	}
	from, err := d.OpenInput(ctx, path)
	if err != nil {
		return nil, err
	}
	defer from.Close()
	file, err := batch.ReadImport(ctx, cmdutil.InputName(path), from, mapping, kind)
	if errors.Is(err, rows.ErrUnusable) {
		err = cmdutil.Usage("%v", err)
	}
	if err == nil {
		d.NoteUnused(file.Unused)
	}
	return file, err
}
