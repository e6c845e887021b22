// Package rowsui sends a request for every row of a file, and reports what became of each row. A Command describes a
// batch of transfers, or an import of accounts or contacts.
package rowsui

import (
	"cmp"
	"context"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/cli/watchui"
	"github.com/payctl/payctl/internal/outbox"
	"github.com/payctl/payctl/internal/outbox/batch"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/rows"
	"github.com/payctl/payctl/internal/ui"
)

const maxConcurrency = 64

// ImportHelp is the part of a command's help that imports have in common.
const ImportHelp = `The column external_id is required: your own name for the row, which makes it repeatable. The whole
file is checked before anything is sent. If the import stops, run the same command again: a row that
exists is not created again, and one that exists with other content is reported and not changed.
Exit codes: 10 the outcome of some rows is unknown, 13 some rows were refused or are different`

// Flags are those of every command that sends the rows of a file.
type Flags struct {
	Mapping     cmdutil.Mapping
	Concurrency int
	Report      string
	Summary     string
	DryRun      bool
	SkipInvalid bool
	ShowPII     bool
	// Wait are the flags of a command that can wait for what it creates, which adds them.
	Wait watchui.Wait
}

// AddTo adds the flags. Constant is an example of --set.
func (o *Flags) AddTo(cmd *cobra.Command, constant string, concurrency int) {
	f := cmd.Flags()
	o.Mapping.AddTo(cmd, constant)
	f.IntVar(&o.Concurrency, "concurrency", concurrency, "send `N` rows at once, 1 to 64")
	f.StringVar(&o.Report, "report", "", "write the report to `FILE`, NDJSON or CSV by its ending")
	f.StringVar(&o.Summary, "summary", "", "write counts, totals and the batch id to `FILE`, as JSON")
	f.BoolVar(&o.SkipInvalid, "skip-invalid", false,
		"leave out rows with errors, report them as refused, and send the others")
	f.BoolVar(&o.DryRun, "dry-run", false, "show what would be sent, and send nothing")
}

// A Command describes what one command does with its rows.
type Command[T any] struct {
	Format batch.Format[T]
	// Table are the columns that a table shows.
	Table []string
	// Check completes the requests with what the service knows, and adds errors of rows. Nil means that there is
	// nothing to ask.
	Check func(context.Context, *outbox.Outbox, *batch.File[T]) error
	// Confirm sets how the rows are sent, shows the plan and asks. A dry run prints the plan as its result and stops
	// there. Nil means that nobody is asked.
	Confirm func(context.Context, *ui.Printer, *batch.Sender, *batch.File[T]) error
	// Created describes what is waited for with Flags.Wait, apart from its identifiers.
	Created func(*outbox.Outbox) watchui.Created
}

// Run sends the rows of a file and reports every one.
func Run[T any](ctx context.Context, d *cmdutil.Deps, o *Flags, path string, c Command[T]) error {
	switch {
	case o.Concurrency < 1 || o.Concurrency > maxConcurrency:
		return cmdutil.Usage("--concurrency must be 1 to %d", maxConcurrency)
	case o.Report != "" && cmdutil.IsSameFile(path, o.Report):
		return cmdutil.Usage("--report %s is the file of the rows, which it would overwrite", o.Report)
	case o.Summary != "" && (cmdutil.IsSameFile(path, o.Summary) || o.Summary == o.Report || cmdutil.IsSameFile(o.Report, o.Summary)):
		return cmdutil.Usage("--summary %s is another file, which it would overwrite", o.Summary)
	case o.ShowPII:
		c.Format.Shown = nil
	}
	if err := o.Wait.Check(d); err != nil {
		return err
	}
	printer, err := d.Printer(ctx)
	if err != nil {
		return err
	}
	service, err := d.Connect(cmdutil.Calls{Timeout: o.Wait.CallTimeout()})
	if err != nil {
		return err
	}
	resolved, err := d.Settings()
	if err != nil {
		return err
	}
	members := c.Format.Members()
	members.Further, c.Format.Needs = resolved.ServiceMap.Further(c.Format.Op), resolved.ServiceMap.Needs(c.Format.Op)
	defer debug.SetGCPercent(debug.SetGCPercent(200)) // the rows take most of the memory, and stay
	read, err := o.Mapping.ReadFile(ctx, d, path, members, batch.MaxRows)
	if err != nil {
		return err
	}
	file := batch.Read(cmdutil.InputName(path), read, c.Format)
	refused, err := checkRows(d, o, path, file, func() error {
		if c.Check == nil {
			return nil
		}
		return c.Check(ctx, service, file)
	})
	if err == nil {
		err = batch.MarkSent(ctx, service, refused)
	}
	switch {
	case err != nil:
		return batch.Unsettled(ctx, service, err, file.Rows)
	case len(file.Errors) > 0:
		return d.RowErrors(path, file.Errors, "nothing was sent")
	}
	sender := &batch.Sender{
		Outbox: service, Concurrency: o.Concurrency, Ahead: o.Concurrency,
		RowTimeout: 3 * cmp.Or(o.Wait.CallTimeout(), resolved.Timeout),
	}
	r := &report{d: d, refused: refused, summary: o.Summary, columns: columns(file.Columns)}
	r.out = printer.With(context.WithoutCancel(ctx)) // also after Ctrl-C
	switch {
	case c.Confirm != nil:
		err = c.Confirm(ctx, printer, sender, file)
	case o.DryRun:
		d.Notef("Nothing was sent. Without --dry-run, %s would be, unless they exist.",
			cmdutil.Count(len(file.Rows), "row(s)"))
		return r.write(r.out, file.Rows)
	}
	if err != nil || o.DryRun {
		return err
	}
	for _, cell := range file.Rows[0].Results() {
		file.Columns = append(file.Columns, cell.Column)
	}
	r.columns = columns(file.Columns)
	if o.Report == "" && printer.Format() == ui.FormatTable && d.Options.JQ == "" {
		r.columns, r.failedOnly = columns(c.Table), sender.BatchID != ""
	}
	if o.Wait.Given() {
		r.wait = func() error { return waitFor(ctx, d, &o.Wait, service, c.Created(service), file.Rows) }
	}
	if d.Getenv("GOGC") == "" {
		debug.SetGCPercent(200) // the rows stay in memory, and would be marked again and again
	}
	return r.send(ctx, sender, file.Rows, o.Report)
}

// checkRows checks a file at the service. With --skip-invalid it takes out the rows with errors, and returns them as
// refused. Else, or if no row is left or some cannot be read, the file keeps its errors.
func checkRows[T any](
	d *cmdutil.Deps, o *Flags, path string, file *batch.File[T], check func() error,
) (refused []*batch.Row, err error) {
	for {
		if len(file.Errors) == 0 {
			err = check()
		}
		isCut := slices.ContainsFunc(file.Errors, func(wrong *rows.Error) bool { return wrong.IsLast })
		if err != nil || len(file.Errors) == 0 || !o.SkipInvalid || isCut {
			return refused, err
		}
		faults := file.Errors
		left := file.LeaveOut()
		if len(file.Rows) == 0 {
			file.Errors = faults
			return nil, nil
		}
		d.ListRowErrors(path, faults)
		refused = append(refused, left...)
	}
}

// columns are columns of a report. A narrow table keeps names, outcomes and details longest.
func columns(names []string) (all []ui.Column) {
	ranks := []string{"status", "id", "detail", "external_id", "outcome"}
	for _, name := range names {
		rank := slices.Index(ranks, name)
		all = append(all, ui.Column{
			Header: strings.ReplaceAll(name, "_", " "), Name: name, Rank: rank, Keep: rank > 2,
			Right: name == "amount", Whole: name == "id",
		})
	}
	return all
}

// waitFor waits for what rows have created, and sets the state that each then has.
func waitFor(
	ctx context.Context, d *cmdutil.Deps, w *watchui.Wait, service payments.Service, created watchui.Created, all []*batch.Row,
) error {
	rows := map[string]*batch.Row{}
	for _, row := range all {
		if row.Exists() && rows[row.ID] == nil {
			rows[row.ID] = row
			created.IDs = append(created.IDs, row.ID)
		}
	}
	if len(rows) == 0 {
		return nil
	}
	created.Counted = true
	summary, err := w.Run(ctx, d, service, created)
	d.Notef("%d of %s reached %s, %d failed", len(summary.Reached), w.Resource.Count(len(rows)), w.Until,
		len(summary.Failed))
	for _, one := range slices.Concat(summary.Reached, summary.Failed, summary.Waiting) {
		rows[one.ID].State = cmp.Or(one.Status, rows[one.ID].State)
	}
	for _, one := range summary.Failed {
		rows[one.ID].Detail = cmp.Or(one.Why, "it ended as "+one.Status)
	}
	return err
}
