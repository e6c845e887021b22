// Package rowreport reports what became of every row of a file: as rows of the output or of a file, and in numbers.
package rowreport

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/outbox/batch"
	"github.com/payctl/payctl/internal/ui"
)

// Counts are the outcomes of the rows of a file.
type Counts struct {
	Rows   int
	Of     map[batch.Outcome]int
	Before int // rows that existed before this run
	// AbsentIn is how long it takes until all unknown rows that the service does not show count as not done; zero if none
	// does.
	AbsentIn time.Duration

	refusals []refusal // in the order of the file
}

// Exist is how many rows exist as the file has them.
func (c *Counts) Exist() int { return c.Of[batch.Created] + c.Of[batch.Existed] }

// established is how many rows have an outcome that needs no further run.
func (c *Counts) established() int {
	return c.Exist() + c.Of[batch.Refused] + c.Of[batch.Different]
}

// Complete counts the rows that were not read again after a fault, of so many.
func (c *Counts) Complete(rows int) {
	if c.Rows < rows {
		c.Of[batch.NotChecked] += rows - c.Rows
	}
}

// String counts the outcomes in words, in an order, and those that are not checked if there are some.
func (c *Counts) String(outcomes ...batch.Outcome) string {
	var parts []string
	for _, outcome := range outcomes {
		parts = append(parts, fmt.Sprintf("%d %s", c.Of[outcome], strings.ReplaceAll(string(outcome), "_", " ")))
	}
	if unchecked := c.Of[batch.NotChecked]; unchecked > 0 {
		parts = append(parts, fmt.Sprintf("%d not checked", unchecked))
	}
	return strings.Join(parts, ", ")
}

// A refusal is a reason for which rows were refused.
type refusal struct {
	outcome      batch.Outcome
	kind, detail string // detail is that of the first row
	lines        []int  // of the first rows
	rows         int
}

const (
	maxRefusals     = 10 // reasons that are shown
	maxRefusedLines = 5  // lines that are named for each
)

// refuse counts a refused row by its reason.
func (c *Counts) refuse(result *batch.Result) {
	kind := cmp.Or(result.ProblemType, result.Detail)
	at := slices.IndexFunc(c.refusals, func(r refusal) bool { return r.kind == kind && r.outcome == result.Outcome })
	if at < 0 {
		if len(c.refusals) == maxRefusals {
			return
		}
		at = len(c.refusals)
		c.refusals = append(c.refusals, refusal{outcome: result.Outcome, kind: kind, detail: result.Detail})
	}
	r := &c.refusals[at]
	if r.rows++; len(r.lines) < maxRefusedLines {
		r.lines = append(r.lines, result.Line)
	}
}

// String describes a reason with its rows.
func (r refusal) String() string {
	lines := strings.Trim(strings.ReplaceAll(fmt.Sprint(r.lines), " ", ", "), "[]")
	if r.rows > len(r.lines) {
		lines += ", …"
	}
	return fmt.Sprintf("%s %s (line %s): %s", cmdutil.Count(r.rows, "row(s)"), r.outcome, lines, r.detail)
}

// tallies are what the progress counts. Rows that were not reached have not ended.
var tallies = []cmdutil.Tally{
	{Name: string(batch.Created), Tone: ui.Good}, {Name: string(batch.Existed), Tone: ui.Good},
	{Name: string(batch.Different), Tone: ui.Staff}, {Name: string(batch.Unknown), Tone: ui.Staff},
	{Name: string(batch.Refused), Tone: ui.Bad},
}

// reportPage is how many rows of a report are written at once: enough that a fast batch does not wait for its report.
const reportPage = 128

// A Report implements batch.Report: it writes the rows as they come, counts them and shows the progress.
type Report struct {
	Counts
	*cmdutil.Progress

	// Columns are those of the report. They may be chosen until the first row is written.
	Columns []ui.Column
	// FailedOnly shows only the rows that do not exist, or of which something is to be told.
	FailedOnly bool
	// Holds keeps the rows in Held until the end: something of them may change until then.
	Holds bool
	Held  []batch.Result
	// Count is called with each row; it may be nil.
	Count func(*batch.Result)

	d         *cmdutil.Deps
	printer   *ui.Printer
	file      *cmdutil.ReportFile // nil: standard output
	path      string              // of the file
	stream    *ui.Stream          // once something is written
	page      cmdutil.Rows
	failure   error     // the report cannot be written
	requested int       // rows that took a request
	began     time.Time // when the first row could be sent
}

// NewReport begins the report of so many rows: to a file, or with the printer if path is empty. It is written also after
// ctx has ended. Discard ends it.
func NewReport(ctx context.Context, d *cmdutil.Deps, printer *ui.Printer, path string, rows int) (*Report, error) {
	r := &Report{Counts: Counts{Of: map[batch.Outcome]int{}}, d: d, path: path}
	if path != "" {
		file, err := cmdutil.CreateReport(ctx, path)
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
	}
	r.printer = printer.With(context.WithoutCancel(ctx))
	r.Progress = d.StartProgress(rows, "", tallies...)
	return r, nil
}

// IsTable reports whether people read the rows.
func (r *Report) IsTable() bool { return r.printer.Format() == ui.FormatTable }

// Listed implements batch.Report.
func (r *Report) Listed(transfers int) {
	r.Note(cmdutil.Count(transfers, "transfer(s)") + " of this batch found")
}

// Begin implements batch.Report.
func (r *Report) Begin() {
	r.began = r.d.Now()
	r.Progress.Begin()
}

// Ended implements batch.Report.
func (r *Report) Ended(outcome batch.Outcome, requested bool) { r.Add(string(outcome), 1, requested) }

// Row implements batch.Report. Once the report cannot be written, it only counts.
func (r *Report) Row(result batch.Result) error {
	r.Rows++
	r.Of[result.Outcome]++
	switch result.Outcome {
	case batch.Refused, batch.Different:
		r.refuse(&result)
	case batch.Unknown:
		r.AbsentIn = max(r.AbsentIn, result.AbsentIn)
	}
	if result.ExistedBefore() {
		r.Before++
	}
	if result.Requested {
		r.requested++
	}
	if r.Count != nil {
		r.Count(&result)
	}
	if r.Holds {
		r.Held = append(r.Held, result)
		return nil
	}
	return r.show(result)
}

// show writes a row.
func (r *Report) show(result batch.Result) error {
	if r.failure != nil || r.FailedOnly && result.Exists() && result.Detail == "" {
		return r.failure
	}
	cells := make([]ui.Cell, len(r.Columns))
	for i := range r.Columns {
		cells[i] = ui.Text(result.Cell(r.Columns[i].Name))
	}
	r.page.Add(&result, cells)
	if len(r.page.Values) < reportPage {
		return nil
	}
	return r.flush()
}

// Idle implements batch.Report. A page that is nearly empty waits for more rows.
func (r *Report) Idle() error {
	if r.FailedOnly || len(r.page.Values) < reportPage/4 || r.failure != nil {
		return r.failure
	}
	return r.flush()
}

func (r *Report) flush() error {
	if r.stream == nil {
		r.stream = r.printer.Stream(r.Columns)
		r.stream.Advice = "use a wider terminal or -o csv"
	}
	if len(r.page.Values) > 0 {
		r.failure = r.stream.WritePage(r.page.Values, r.page.Cells)
		r.page = cmdutil.Rows{}
	}
	return r.failure
}

// Finish writes the rest of the report. A file is kept, and the summary printed in its place. A table of failed rows has no
// header if there are none.
func (r *Report) Finish(printer *ui.Printer, summary any, view func() ui.View) error {
	for _, result := range r.Held {
		_ = r.show(result) // which keeps a failure
	}
	if r.FailedOnly && r.stream == nil && len(r.page.Values) == 0 && r.Exist() == r.Rows {
		return r.failure
	}
	err := cmp.Or(r.failure, r.flush())
	if closing := r.stream.Close(); err == nil {
		err = closing
	}
	if r.file == nil || err != nil {
		return err
	}
	established := r.established()
	isComplete := established == r.Rows || r.file.EarlierCount(batch.CountEstablished) <= established
	if err := r.file.Keep(isComplete && r.Of[batch.NotChecked] == 0); err != nil {
		return err
	}
	return printer.Print(summary, view)
}

// Discard removes the progress, and a file that was not kept.
func (r *Report) Discard() {
	r.Stop()
	if r.file != nil {
		r.file.Discard()
	}
}

// leastMeasured is the shortest time that tells how fast rows are sent.
const leastMeasured = 200 * time.Millisecond

// Speed says how long it took to send the rows, and how fast that was; empty if it is too early to tell.
func (r *Report) Speed() string {
	took := r.d.Now().Sub(r.began)
	if r.requested == 0 || took < leastMeasured {
		return ""
	}
	return fmt.Sprintf("; %.1f s, %.0f rows/s", took.Seconds(), float64(r.requested)/took.Seconds())
}

// PrintRefusals prints why rows were refused, also with --quiet, and where the report is.
func (r *Report) PrintRefusals() {
	for _, reason := range r.refusals {
		r.d.Errorf("%s", reason)
	}
	if len(r.refusals) > 0 && r.path != "" {
		r.d.Notef("the report is %s", r.path)
	}
}

// PrintPlanned prints rows that are not sent.
func PrintPlanned(printer *ui.Printer, columns []ui.Column, rows batch.Jobs) error {
	r := &Report{printer: printer, Columns: columns}
	for job, end := rows(); end == nil; job, end = rows() {
		if err := r.show(job.Result); err != nil {
			return err
		}
	}
	return cmp.Or(r.flush(), r.stream.Close())
}
