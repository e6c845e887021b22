package rowsui

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/cli/progress"
	"github.com/payctl/payctl/internal/cli/reportfile"
	"github.com/payctl/payctl/internal/outbox/batch"
	"github.com/payctl/payctl/internal/ui"
)

// tallies are what the progress counts. Rows that were not reached have not ended.
var tallies = []progress.Tally{
	{Name: string(batch.Created), Tone: ui.Good}, {Name: string(batch.Existed), Tone: ui.Good},
	{Name: string(batch.Different), Tone: ui.Reviewer}, {Name: string(batch.Unknown), Tone: ui.Reviewer},
	{Name: string(batch.Refused), Tone: ui.Bad},
}

// A Report reports what became of every row of a file: as rows of the output or of a file, and in numbers. It implements
// batch.Report: it writes the rows as they come, counts them and shows the progress.
type Report struct {
	Summary
	*progress.Progress

	// Columns are those of the report. They may be chosen until the first row is written.
	Columns []ui.Column
	// FailedOnly shows only the rows that do not exist, or of which something is to be told.
	FailedOnly bool
	// Holds keeps the rows in Held until the end: something of them may change until then.
	Holds bool
	Held  []*batch.Row
	// Wait waits for what the rows have created and sets its states; nil: there is nothing to wait for.
	Wait func(context.Context, []*batch.Row) error

	d       *cmdutil.Deps
	out     *ui.Printer      // of the command
	printer *ui.Printer      // of the rows
	file    *reportfile.File // nil: standard output
	path    string           // of the file
	rows    int              // that the file has
	stream  *ui.Stream       // once something is written
	failure error            // the report cannot be written
}

// NewReport begins the report of so many rows: to a file, or with the printer if path is empty. It is written also after
// ctx has ended. Send ends it.
func NewReport(
	ctx context.Context, d *cmdutil.Deps, printer *ui.Printer, path string, rows int, outcomes ...batch.Outcome,
) (*Report, error) {
	out := printer.With(context.WithoutCancel(ctx))
	r := &Report{d: d, out: out, printer: out, path: path, rows: rows}
	r.order, r.of, r.others = outcomes, map[batch.Outcome]int{}, map[string]int{}
	if path != "" {
		file, err := reportfile.Create(ctx, path)
		if err != nil && ctx.Err() == nil {
			err = cmdutil.Unwritable("the report", path, err)
		}
		if err != nil {
			return nil, err
		}
		r.file = file
		if printer, err = file.Printer(); err != nil {
			file.Discard()
			return nil, err
		}
		r.printer = printer.With(context.WithoutCancel(ctx))
	}
	r.Progress = progress.Start(d, rows, "", tallies...)
	return r, nil
}

// IsTable reports whether people read the rows.
func (r *Report) IsTable() bool { return r.printer.Format() == ui.FormatTable }

// Ended implements batch.Report.
func (r *Report) Ended(outcome batch.Outcome, requested bool) { r.Add(string(outcome), 1, requested) }

// Row implements batch.Report. Once the report cannot be written, it only counts.
func (r *Report) Row(row *batch.Row) error {
	r.count(row)
	row.Write = nil // which takes more memory than the rest
	if r.Holds {
		r.Held = append(r.Held, row)
		return nil
	}
	return r.show(row)
}

// show writes a row.
func (r *Report) show(row *batch.Row) error {
	if r.failure != nil || r.FailedOnly && row.Exists() && row.Detail == "" {
		return r.failure
	}
	cells := make([]ui.Cell, len(r.Columns))
	for i := range r.Columns {
		cells[i] = ui.Text(row.Cell(r.Columns[i].Name))
	}
	r.failure = r.output().Write(row, cells)
	return r.failure
}

// output returns the stream of the rows, which it begins.
func (r *Report) output() *ui.Stream {
	if r.stream == nil {
		r.stream = r.printer.Stream(r.Columns)
		r.stream.Advice = "use a wider terminal or -o csv"
	}
	return r.stream
}

// finish writes the rest of the report. A file is kept, and the summary printed in its place. A table of failed rows has no
// header if there are none.
func (r *Report) finish() error {
	for _, row := range r.Held {
		_ = r.show(row) // which keeps a failure
	}
	if r.FailedOnly && r.stream == nil && r.exist() == r.Rows {
		return r.failure
	}
	err := cmp.Or(r.failure, r.output().Close())
	if r.file == nil || err != nil {
		return err
	}
	established := r.established()
	isComplete := established == r.Rows || r.file.EarlierCount(batch.CountEstablished) <= established
	if err := r.file.Keep(isComplete && r.of[batch.NotChecked] == 0); err != nil {
		return err
	}
	return r.out.Print(r.document(), r.view)
}

// printSummary prints how the rows ended. What other files have paid before, and why rows were refused, is printed with --quiet too.
func (r *Report) printSummary() {
	text := r.String()
	if r.BatchID != "" {
		text += " (" + r.BatchID + ")"
	}
	r.d.Notef("%s", text)
	for _, other := range slices.Sorted(maps.Keys(r.others)) {
		r.d.Errorf("%s paid before by %s", cmdutil.Count(r.others[other], "row(s)"), other)
	}
	for _, reason := range r.refusals {
		r.d.Errorf("%s", reason)
	}
	if len(r.refusals) > 0 && r.path != "" {
		r.d.Notef("the report is %s", r.path)
	}
}

// Send sends the rows and reports them, also those that were not reached when ctx ended. The error says that not every row
// exists, and why.
func (r *Report) Send(ctx context.Context, sender *batch.Sender, next batch.Rows) error {
	defer r.Discard()
	stopNotice := context.AfterFunc(ctx, func() {
		r.d.Notef("Finishing the rows that are being sent; no others are sent. " +
			"Ctrl-C again leaves at once, and their outcome is then unknown.")
	})
	sendErr := sender.Run(ctx, next, r)
	stopNotice()
	r.Stop()
	r.complete(r.rows)
	r.PaidTwice = sender.PaidTwice()
	var waitErr error
	waits := r.Wait != nil && sendErr == nil
	if waits {
		r.printSummary()
		waitErr = r.Wait(ctx, r.Held)
	}
	reportErr := r.finish()
	if !waits {
		r.printSummary()
	}
	if r.exist() < r.Rows || len(r.PaidTwice) > 0 {
		failed := r.failed(r.cause(sendErr, reportErr))
		if waitErr != nil {
			failed.Detail += "\n" + waitErr.Error()
		}
		return failed
	}
	if errors.Is(sendErr, batch.ErrUnchecked) {
		r.d.Warnf("%v; run the same command again to check it", sendErr)
	}
	if waitErr != nil {
		return waitErr
	}
	return cmdutil.OutputFailed(reportErr, "every row "+r.done())
}

// cause returns what stopped the rows, or why their report is incomplete. Of two causes the second is printed as a
// warning.
func (r *Report) cause(sendErr, reportErr error) error {
	if reportErr == nil || sendErr != nil && errors.Is(reportErr, sendErr) { // the report stopped the rows
		return sendErr
	}
	if _, ok := errors.AsType[*reportfile.NotReplacedError](reportErr); !ok {
		reportErr = fmt.Errorf("the report cannot be written: %w", reportErr)
	}
	if sendErr == nil {
		return reportErr
	}
	r.d.Warnf("%v", reportErr)
	return sendErr
}

// Discard removes the progress, and a file that was not kept.
func (r *Report) Discard() {
	r.Stop()
	if r.file != nil {
		r.file.Discard()
	}
}

// PrintPlanned prints rows that are not sent.
func PrintPlanned(d *cmdutil.Deps, printer *ui.Printer, columns []ui.Column, next batch.Rows) error {
	r := &Report{d: d, printer: printer, Columns: columns}
	for row, end := next(); end == nil; row, end = next() {
		if err := r.show(row); err != nil {
			return err
		}
	}
	return r.output().Close()
}
