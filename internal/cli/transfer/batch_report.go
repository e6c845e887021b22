package transfer

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/outbox/batch"
	"github.com/payctl/payctl/internal/ui"
)

// reportPage is how many rows of a report are written at once: enough that a fast batch does not wait for its report.
const reportPage = 128

// A summary counts the outcomes of a batch.
type summary struct {
	BatchID string `json:"batchId"`
	Rows    int    `json:"rows"`
	Created int    `json:"created"`
	Refused int    `json:"refused"`
	Unknown int    `json:"unknown"`
	NotSent int    `json:"notSent"`
	// NotChecked counts the rows of which it is not known whether an earlier run has paid them.
	NotChecked int `json:"notChecked"`
	// PaidTwice are the references for which the service has several transfers.
	PaidTwice []batch.PaidTwice `json:"paidTwice,omitempty"`
	Totals    []batch.Total     `json:"totalsCreated"`

	// refusals are the reasons of refused rows, in the order of the file.
	refusals []refusal
	// others counts the rows that other files have paid before, by their names.
	others map[string]int

	existed  int           // of those created, those that existed before this run
	absentIn time.Duration // until all unknown rows that the service does not show count as not done; zero if none does
}

// A refusal is a reason for which rows were refused.
type refusal struct {
	kind, detail string // detail is that of the first row
	lines        []int  // of the first rows
	rows         int
}

const (
	maxRefusals     = 10 // reasons that are shown
	maxRefusedLines = 5  // lines that are named for each
)

// refuse counts a refused row by its reason.
func (s *summary) refuse(result *batch.Result) {
	kind := cmp.Or(result.ProblemType, result.Detail)
	at := slices.IndexFunc(s.refusals, func(r refusal) bool { return r.kind == kind })
	if at < 0 {
		if len(s.refusals) == maxRefusals {
			return
		}
		at = len(s.refusals)
		s.refusals = append(s.refusals, refusal{kind: kind, detail: result.Detail})
	}
	r := &s.refusals[at]
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
	return fmt.Sprintf("%s refused (line %s): %s", cmdutil.Count(r.rows, "row(s)"), lines, r.detail)
}

// existedNote follows the number of created rows: how many of them existed before; empty if none did.
func (s *summary) existedNote() string {
	if s.existed == 0 {
		return ""
	}
	return fmt.Sprintf(" (%d of them before)", s.existed)
}

// counts describes the outcomes in a line. The note follows the number of created rows.
func (s *summary) counts(note string) string {
	text := fmt.Sprintf("%d created%s, %d refused, %d unknown, %d not sent",
		s.Created, note, s.Refused, s.Unknown, s.NotSent)
	if s.NotChecked > 0 {
		text += fmt.Sprintf(", %d not checked", s.NotChecked)
	}
	return text
}

// tallies are what the progress counts. Rows that a batch did not reach have not ended.
var tallies = []cmdutil.Tally{
	{Name: string(batch.Created), Tone: ui.Good}, {Name: string(batch.Unknown), Tone: ui.Staff},
	{Name: string(batch.Refused), Tone: ui.Bad},
}

// A batchReport implements batch.Report: it writes the rows as they come, counts them and shows the progress.
type batchReport struct {
	summary
	d          *cmdutil.Deps
	file       *cmdutil.ReportFile // nil: standard output
	path       string              // of the file
	stream     *ui.Stream
	columns    []string
	failedOnly bool // show only rows that were not created, or whose transfer failed
	holds      bool // rows are kept until their transfers were waited for
	held       []batch.Result
	page       cmdutil.Rows
	shown      bool  // some rows were written
	failure    error // the report cannot be written
	progress   *cmdutil.Progress
	requested  int       // rows that took a request
	began      time.Time // when the first row could be sent
}

// Listed implements batch.Report.
func (r *batchReport) Listed(transfers int) {
	r.progress.Note(cmdutil.Count(transfers, "transfer(s)") + " of this batch found")
}

// Begin implements batch.Report.
func (r *batchReport) Begin() {
	r.began = r.d.Now()
	r.progress.Begin()
}

// Unreachable implements batch.Report.
func (r *batchReport) Unreachable(err error) { r.progress.Unreachable(err) }

// Reachable implements batch.Report.
func (r *batchReport) Reachable() { r.progress.Reachable() }

// Paused implements batch.Report.
func (r *batchReport) Paused(until time.Time) { r.progress.Pause(until) }

// Ended implements batch.Report.
func (r *batchReport) Ended(outcome batch.Outcome, requested bool) {
	r.progress.Add(string(outcome), 1, requested)
}

// Row implements batch.Report. Once the report cannot be written, it only counts.
func (r *batchReport) Row(result batch.Result) error {
	r.count(result)
	if r.holds {
		r.held = append(r.held, result)
		return nil
	}
	return r.show(result)
}

// show writes a row.
func (r *batchReport) show(result batch.Result) error {
	isShown := r.stream != nil && !(r.failedOnly && result.Outcome == batch.Created && result.Detail == "")
	if !isShown || r.failure != nil {
		return r.failure
	}
	cells := make([]ui.Cell, len(r.columns))
	for i, column := range r.columns {
		cells[i] = ui.Text(result.Cell(column))
	}
	r.page.Add(&result, cells)
	if len(r.page.Values) < reportPage {
		return nil
	}
	return r.flush()
}

// Idle implements batch.Report. A page that is nearly empty waits for more rows.
func (r *batchReport) Idle() error {
	if r.failedOnly || len(r.page.Values) < reportPage/4 || r.failure != nil {
		return r.failure
	}
	return r.flush()
}

func (r *batchReport) flush() error {
	if len(r.page.Values) == 0 {
		return nil
	}
	r.shown = true
	r.failure = r.stream.WritePage(r.page.Values, r.page.Cells)
	r.page = cmdutil.Rows{}
	return r.failure
}

// finish writes the rest of the report. A file is kept, and its summary printed. A table of failed rows has no header
// if none failed.
func (r *batchReport) finish(printer *ui.Printer) error {
	for _, result := range r.held {
		_ = r.show(result) // which keeps a failure
	}
	err := cmp.Or(r.failure, r.flush())
	if !r.failedOnly || r.Created < r.Rows || r.shown {
		if closing := r.stream.Close(); err == nil {
			err = closing
		}
	}
	if r.file == nil || err != nil {
		return err
	}
	established := r.Created + r.Refused
	replace := r.NotChecked == 0 && (established == r.Rows || r.file.EarlierCount(batch.CountEstablished) <= established)
	if err := r.file.Keep(replace); err != nil {
		return err
	}
	return printer.Print(r.summary, func() ui.View { return summaryView(&r.summary) })
}

// discard removes a file that was not kept.
func (r *batchReport) discard() {
	if r.file != nil {
		r.file.Discard()
	}
}

// leastMeasured is the shortest time that tells how fast rows are sent.
const leastMeasured = 200 * time.Millisecond

// rate is how many rows took a request in a second; zero if it is too early to tell.
func (r *batchReport) rate(now time.Time) float64 {
	took := now.Sub(r.began)
	if r.requested == 0 || took < leastMeasured {
		return 0
	}
	return float64(r.requested) / took.Seconds()
}

func (r *batchReport) count(result batch.Result) {
	r.Rows++
	if result.Existed && result.Outcome == batch.Created {
		r.existed++
		if result.EarlierBatch != "" {
			if r.others == nil {
				r.others = map[string]int{}
			}
			r.others[earlierFile(result.EarlierFile, result.EarlierBatch)]++
		}
	}
	if result.Requested {
		r.requested++
	}
	switch result.Outcome {
	case batch.Created:
		r.Created++
	case batch.Refused:
		r.Refused++
		r.refuse(&result)
	case batch.Unknown:
		r.Unknown++
		r.absentIn = max(r.absentIn, result.AbsentIn)
	case batch.NotChecked:
		r.NotChecked++
	default:
		r.NotSent++
	}
	if result.Sum != nil {
		total := batch.Total{Currency: result.Currency, AmountType: result.Side(), Rows: 1, Amount: *result.Sum}
		r.Totals = total.AddTo(r.Totals)
	}
}

func (r *batchReport) tableColumns() []ui.Column {
	columns := make([]ui.Column, len(r.columns))
	for i, name := range r.columns {
		columns[i] = ui.Column{
			Header: strings.ReplaceAll(name, "_", " "), Name: name,
			Keep: name == "outcome" || name == "detail", Right: name == "amount",
		}
	}
	return columns
}

// printSummaryLine prints the summary on standard error.
func (r *batchReport) printSummaryLine() {
	text := r.counts(r.existedNote())
	for _, t := range r.Totals {
		text += "; " + money(t.Amount, t.AmountType, t.Currency)
	}
	now := r.d.Now()
	if rate := r.rate(now); rate > 0 {
		text += fmt.Sprintf("; %.1f s, %.0f rows/s", now.Sub(r.began).Seconds(), rate)
	}
	r.d.Notef("%s (%s)", text, r.BatchID)
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
