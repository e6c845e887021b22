package transfer

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/payctl/payctl/internal/batch"
	"github.com/payctl/payctl/internal/cli/deps"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/term"
	"github.com/payctl/payctl/internal/wait"
)

// reportPage is how many rows of a report are written at once.
const reportPage = 128

// A summary is what became of a batch in all.
type summary struct {
	BatchID string        `json:"batchId"`
	Rows    int           `json:"rows"`
	Created int           `json:"created"`
	Refused int           `json:"refused"`
	Unknown int           `json:"unknown"`
	NotSent int           `json:"notSent"`
	Totals  []batch.Total `json:"totalsCreated"`

	before int // of those created, those that were there before
}

// notNew tells, behind how many rows are transfers, how many of them were before.
func (s *summary) notNew() string {
	if s.before == 0 {
		return ""
	}
	return fmt.Sprintf(" (%d of them before)", s.before)
}

// batchReport writes the rows as they come, and counts them.
type batchReport struct {
	summary
	d       *deps.Deps
	stream  *term.Stream
	columns []string
	trouble bool // only rows that are not created
	page    deps.Rows
	show    *progress
	of      int       // rows of the file
	asked   int       // rows that took a request
	began   time.Time // when the first row could be sent
}

// LookedUp implements batch.Report.
func (r *batchReport) LookedUp(done, all int) {
	r.show.draw(func() string { return fmt.Sprintf("looking up %d of %d references", done, all) })
}

// Begin implements batch.Report.
func (r *batchReport) Begin() { r.began = r.d.Now() }

// Trouble implements batch.Report.
func (r *batchReport) Trouble(err error) { r.show.beside(func() { r.d.Trouble(err) }) }

// Recovered implements batch.Report.
func (r *batchReport) Recovered() { r.show.beside(r.d.Recovered) }

// Row implements batch.Report.
func (r *batchReport) Row(result batch.Result) error {
	r.count(result)
	r.show.draw(r.far)
	if r.stream == nil || r.trouble && result.Outcome == batch.Created {
		return nil
	}
	cells := make([]term.Cell, len(r.columns))
	for i, column := range r.columns {
		cells[i] = term.Text(result.Cell(column))
	}
	r.page.Add(&result, cells)
	if len(r.page.Values) < reportPage {
		return nil
	}
	return r.flush()
}

// Idle implements batch.Report.
func (r *batchReport) Idle() error {
	if len(r.page.Values) == 0 || r.trouble || len(r.page.Values) < reportPage/4 {
		return nil
	}
	return r.flush()
}

func (r *batchReport) flush() error {
	if len(r.page.Values) == 0 {
		return nil
	}
	r.show.clear()
	err := r.stream.WritePage(r.page.Values, r.page.Cells)
	r.page = deps.Rows{}
	return err
}

// far says how far the batch is. What the journal told at once says nothing of the time that the rest takes.
func (r *batchReport) far() string {
	text := fmt.Sprintf("%d of %d, ", r.Rows, r.of)
	pace := r.pace(r.d.Now())
	if pace > 0 {
		text += fmt.Sprintf("%.0f/s, ", pace)
	}
	text += fmt.Sprintf("%d refused, %d unknown", r.Refused, r.Unknown)
	if pace > 0 {
		left := time.Duration(float64(r.of-r.Rows) / pace * float64(time.Second))
		text += fmt.Sprintf(", %s left", left.Round(time.Second))
	}
	return text
}

// pace is how many rows the service was asked about in a second; zero: none, or for too short a time to tell.
func (r *batchReport) pace(now time.Time) float64 {
	took := now.Sub(r.began)
	if r.asked == 0 || took < redraw {
		return 0
	}
	return float64(r.asked) / took.Seconds()
}

func (r *batchReport) count(result batch.Result) {
	r.Rows++
	if result.Before && result.Outcome == batch.Created {
		r.before++
	}
	if result.Asked {
		r.asked++
	}
	switch result.Outcome {
	case batch.Created:
		r.Created++
	case batch.Refused:
		r.Refused++
	case batch.Unknown:
		r.Unknown++
	default:
		r.NotSent++
	}
	if result.Sum == nil {
		return
	}
	side := payments.AmountType(result.AmountType)
	if side == "" {
		side = payments.AmountTypeSource
	}
	for i, t := range r.Totals {
		if t.Currency == result.Currency && t.AmountType == side {
			r.Totals[i].Rows++
			r.Totals[i].Amount = t.Amount.Add(*result.Sum)
			return
		}
	}
	r.Totals = append(r.Totals, batch.Total{Currency: result.Currency, AmountType: side, Rows: 1, Amount: *result.Sum})
}

// run sends the rows and reports them.
func (o *batchOptions) run(ctx context.Context, d *deps.Deps, printer *term.Printer, sender *batch.Sender, source *batch.Source, checked *batch.Checked) error {
	settings, err := d.Settings()
	if err != nil {
		return err
	}
	report := &batchReport{
		d: d, columns: append(checked.Columns, batch.ReportColumns()...),
		summary: summary{BatchID: sender.BatchID, Totals: []batch.Total{}},
		show:    &progress{d: d}, of: checked.Plan.Rows,
	}
	printer = printer.With(context.WithoutCancel(ctx)) // what was done is told also when the rest was not
	var file *reportFile
	switch {
	case o.report == "-":
		if report.stream, err = csvTo(ctx, d, report.termColumns()); err != nil {
			return err
		}
	case o.report != "":
		if file, err = createReport(ctx, o.report); err != nil && ctx.Err() != nil {
			return err
		}
		if err != nil {
			return deps.Usage("the report cannot be written: %v", err)
		}
		defer file.discard()
		if report.stream, err = file.stream(ctx, report.termColumns()); err != nil {
			return err
		}
	case strings.EqualFold(settings.Output, string(term.FormatTable)) && d.Options.JQ == "":
		report.trouble = true
		report.columns = []string{"reference", "contact", "amount", "outcome", "transfer_id", "detail"}
		fallthrough
	default:
		report.stream = printer.Stream(report.termColumns())
	}
	quiet := context.AfterFunc(ctx, func() {
		report.show.beside(func() {
			d.Notef("Finishing the rows that are under way; nothing more is sent. Ctrl-C again leaves at once, and what is under way is then unknown.")
		})
	})
	failure := sender.Run(ctx, source, report)
	quiet()
	report.show.clear()
	if report.Rows < checked.Plan.Rows { // the file could not be read to its end a second time
		report.NotSent += checked.Plan.Rows - report.Rows
	}
	writing := report.flush()
	if err := report.close(); writing == nil {
		writing = err // else it is the same again
	}
	if file != nil && writing == nil {
		if writing = file.keep(); writing == nil {
			writing = printer.Print(report.summary, func() term.View { return summaryView(&report.summary) })
		}
	}
	report.tell()
	if report.Created == checked.Plan.Rows {
		return deps.Unprintable(writing, "every row is a transfer")
	}
	return &deps.BatchEnded{
		Created: report.Created, Refused: report.Refused, Unknown: report.Unknown, NotSent: report.NotSent,
		Err: withLostReport(d, failure, writing),
	}
}

// close ends the report. A table of what was not created has no head where everything was.
func (r *batchReport) close() error {
	if r.trouble && r.Created == r.Rows {
		return nil
	}
	return r.stream.Close()
}

// withLostReport is what stopped a batch, or that its report could not be written, which is told beside another failure.
func withLostReport(d *deps.Deps, failure, writing error) error {
	switch {
	case writing == nil, failure != nil && errors.Is(writing, failure): // which stopped the batch
		return failure
	case failure == nil:
		return fmt.Errorf("the report cannot be written: %w", writing)
	}
	d.Warnf("the report cannot be written: %v", writing)
	return failure
}

func (r *batchReport) termColumns() []term.Column {
	columns := make([]term.Column, len(r.columns))
	for i, name := range r.columns {
		columns[i] = term.Column{Header: strings.ReplaceAll(name, "_", " "), Name: name, Keep: name == "outcome" || name == "detail", Right: name == "amount"}
	}
	return columns
}

// tell says on standard error what became of the batch.
func (r *batchReport) tell() {
	text := fmt.Sprintf("%d created%s, %d refused, %d unknown, %d not sent", r.Created, r.notNew(), r.Refused, r.Unknown, r.NotSent)
	for _, t := range r.Totals {
		text += fmt.Sprintf("; %s %s", t.Amount, t.Currency)
		if t.AmountType == payments.AmountTypeTarget {
			text += " delivered"
		}
	}
	now := r.d.Now()
	if pace := r.pace(now); pace > 0 {
		text += fmt.Sprintf("; %.1f s, %.0f rows/s", now.Sub(r.began).Seconds(), pace)
	}
	r.d.Notef("%s (%s)", text, r.BatchID)
}

// csvTo is a report on standard output, for --report -.
func csvTo(ctx context.Context, d *deps.Deps, columns []term.Column) (*term.Stream, error) {
	printer, err := term.NewPrinter(d.Streams, term.FormatCSV, "")
	if err != nil {
		return nil, err
	}
	return printer.With(context.WithoutCancel(ctx)).Stream(columns), nil
}

// A reportFile is written beside its place, and put there when it is whole. What is no regular file, such as a named pipe
// or a device, is written to as it comes: nothing may take its place.
type reportFile struct {
	path    string
	file    *os.File
	buffer  *bufio.Writer
	special bool
	left    bool // it stays beside its place, where it was written
}

// createReport makes a report, or opens what stands at its path. Waiting for somebody to read from a pipe ends with the context.
func createReport(ctx context.Context, path string) (*reportFile, error) {
	info, err := os.Stat(path)
	switch {
	case err == nil && info.IsDir():
		return nil, fmt.Errorf("%s is a folder", path)
	case err == nil && !info.Mode().IsRegular():
		file, err := wait.For(ctx, func() (*os.File, error) { return os.OpenFile(path, os.O_WRONLY, 0) })
		if err != nil {
			return nil, err
		}
		return &reportFile{path: path, file: file, buffer: bufio.NewWriterSize(file, 64<<10), special: true}, nil
	}
	file, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*") // 0600
	if failed, ok := errors.AsType[*fs.PathError](err); ok {
		return nil, fmt.Errorf("%s: %w", path, failed.Err) // the name beside it was chosen here
	}
	if err != nil {
		return nil, err
	}
	return &reportFile{path: path, file: file, buffer: bufio.NewWriterSize(file, 64<<10)}, nil
}

func (f *reportFile) stream(ctx context.Context, columns []term.Column) (*term.Stream, error) {
	format := term.FormatCSV
	switch filepath.Ext(f.path) {
	case ".ndjson", ".jsonl":
		format = term.FormatNDJSON
	}
	printer, err := term.NewPrinter(&term.Streams{Out: f.buffer, Err: f.buffer}, format, "")
	if err != nil {
		return nil, err
	}
	return printer.With(context.WithoutCancel(ctx)).Stream(columns), nil
}

// keep puts the report in its place. A link there is replaced, not followed. One that is whole and cannot take its place
// stays beside it, as the error tells.
func (f *reportFile) keep() error {
	err := f.buffer.Flush()
	if !f.special {
		err = errors.Join(err, f.file.Sync())
	}
	err = errors.Join(err, f.file.Close())
	if err != nil || f.special {
		return err
	}
	f.left = true
	if err := os.Rename(f.file.Name(), f.path); err != nil {
		return fmt.Errorf("%w; the whole report is in %s", err, f.file.Name())
	}
	return nil
}

// discard removes a report that was not kept.
func (f *reportFile) discard() {
	_ = f.file.Close() // it may be closed already
	if !f.special && !f.left {
		_ = os.Remove(f.file.Name())
	}
}
