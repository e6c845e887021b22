package rowsui

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/payctl/payctl/internal/cli/display"
	"github.com/payctl/payctl/internal/cli/exit"
	"github.com/payctl/payctl/internal/cli/invocation"
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

// A report reports what became of every row of a file: as rows of the output or of a file, and in numbers. It implements
// batch.Report: it writes the rows as they come, counts them and shows the progress.
type report struct {
	summary
	*progress.Progress

	columns []ui.Column // may be chosen until the first row is written
	// failedOnly shows only the rows that do not exist, or of which something is to be told.
	failedOnly bool
	// wait waits for what the rows have created and sets its states; nil: there is nothing to wait for. Rows are held until
	// then.
	wait func(context.Context, []*batch.Row) error
	held []*batch.Row

	d       *invocation.Deps
	out     *ui.Printer      // of the command
	printer *ui.Printer      // of the rows
	file    *reportfile.File // nil: standard output
	path    string           // of the file
	stream  *ui.Stream       // once something is written
	failure error            // the report cannot be written
}

// newReport begins the report of so many rows: to a file, or with the printer if path is empty. It is written also after
// ctx has ended. Sending ends it.
func newReport(
	ctx context.Context, d *invocation.Deps, printer *ui.Printer, path string, rows int, outcomes []batch.Outcome,
) (*report, error) {
	out := printer.With(context.WithoutCancel(ctx))
	r := &report{d: d, out: out, printer: out, path: path}
	r.rows, r.order, r.of, r.others = rows, outcomes, map[batch.Outcome]int{}, map[string]int{}
	if path != "" {
		file, err := reportfile.Create(path)
		if err != nil {
			return nil, exit.Unwritable("the report", err)
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

// Ended implements batch.Report.
func (r *report) Ended(outcome batch.Outcome, requested bool) { r.Add(string(outcome), 1, requested) }

// Row implements batch.Report. Once the report cannot be written, it only counts.
func (r *report) Row(row *batch.Row) error {
	r.count(row)
	row.Write = nil // which takes more memory than the rest
	if r.wait != nil {
		r.held = append(r.held, row)
		return nil
	}
	return r.show(row)
}

// show writes a row.
func (r *report) show(row *batch.Row) error {
	if r.failure != nil || r.failedOnly && row.Exists() && row.Detail == "" {
		return r.failure
	}
	cells := make([]ui.Cell, len(r.columns))
	for i := range r.columns {
		cells[i] = ui.Text(row.Cell(r.columns[i].Name))
	}
	r.failure = r.output().Write(row, cells)
	return r.failure
}

// output returns the stream of the rows, which it begins.
func (r *report) output() *ui.Stream {
	if r.stream == nil {
		r.stream = r.printer.Stream(r.columns)
		r.stream.Advice = "use a wider terminal or -o csv"
	}
	return r.stream
}

// finish writes the rest of the report. A file is kept, and the summary printed in its place. A table of failed rows has no
// header if there are none.
func (r *report) finish() error {
	for _, row := range r.held {
		_ = r.show(row) // which keeps a failure
	}
	if r.failedOnly && r.stream == nil && r.exist() == r.rows {
		return r.failure
	}
	err := cmp.Or(r.failure, r.output().Close())
	if r.file == nil || err != nil {
		return err
	}
	if err := r.file.Keep(); err != nil {
		return err
	}
	return r.out.Print(r.document(), r.view)
}

// tell prints how the rows ended. What other files have paid before, and why rows were refused, is printed with --quiet too.
func (r *report) tell() {
	text := r.String()
	if r.BatchID != "" {
		text += " (" + r.BatchID + ")"
	}
	r.d.Notef("%s", text)
	for _, other := range slices.Sorted(maps.Keys(r.others)) {
		r.d.Errorf("%s paid before by %s", display.Count(r.others[other], "row(s)"), other)
	}
	for _, reason := range r.refusals {
		r.d.Errorf("%s", reason)
	}
	if len(r.refusals) > 0 && r.path != "" {
		r.d.Notef("the report is %s", r.path)
	}
}

// send sends the rows and reports them, also those that were not reached when ctx ended. The error says that not every row
// exists, and why.
func (r *report) send(ctx context.Context, sender *batch.Sender, rows batch.Rows) error {
	defer func() {
		r.Stop()
		if r.file != nil {
			r.file.Discard()
		}
	}()
	stopNotice := context.AfterFunc(ctx, func() {
		r.d.Notef("Finishing the rows that are being sent; no others are sent. " +
			"Ctrl-C again leaves at once, and their outcome is then unknown.")
	})
	sendErr := sender.Run(ctx, rows, r)
	stopNotice()
	r.Stop()
	r.paidTwice = sender.PaidTwice()
	r.tell()
	var waitErr error
	if r.wait != nil && sendErr == nil {
		waitErr = r.wait(ctx, r.held)
	}
	reportErr := r.finish()
	cause := sendErr
	if reportErr != nil && !errors.Is(reportErr, sendErr) { // otherwise the report stopped the rows
		cause = errors.Join(sendErr, fmt.Errorf("the report cannot be written: %w", reportErr))
	}
	switch {
	case r.exist() < r.rows || len(r.paidTwice) > 0:
		failed := r.failed(cause)
		if waitErr != nil {
			failed.Detail += "\n" + waitErr.Error()
		}
		return failed
	case errors.Is(sendErr, batch.ErrUnchecked):
		r.d.Warnf("%v; run the same command again to check it", sendErr)
	}
	return cmp.Or(waitErr, exit.OutputFailed(reportErr, "every row "+r.done()))
}
