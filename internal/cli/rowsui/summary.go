package rowsui

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/outbox/batch"
	"github.com/payctl/payctl/internal/shell"
	"github.com/payctl/payctl/internal/ui"
)

const (
	maxRefusals     = 10 // reasons that are shown
	maxRefusedLines = 5  // lines that are named for each
	// maxPaidTwice is how many references that were paid more than once an error names: as many as fit on a screen.
	maxPaidTwice = 20
)

// CancelSecond is the next step after a reference was paid more than once.
const CancelSecond = "payctl transfer cancel TRANSFER   (the second of each, if it still awaits its funds)"

// A Summary counts the outcomes of the rows of a file.
type Summary struct {
	BatchID   string // empty for an import
	Rows      int
	PaidTwice []batch.PaidTwice // the references for which the service has several transfers
	Totals    []batch.Total     // of the created transfers of a batch

	order    []batch.Outcome // in which they are told
	of       map[batch.Outcome]int
	before   int            // rows of a batch that existed before this run
	others   map[string]int // rows that other files have paid before, by their names
	refusals []refusal      // in the order of the file
}

// document is the summary as JSON: the outcomes are members in camel case.
func (s *Summary) document() map[string]any {
	all := map[string]any{"rows": s.Rows}
	for _, outcome := range append(slices.Clip(s.order), batch.NotChecked) {
		name, rest, _ := strings.Cut(string(outcome), "_")
		if rest != "" {
			name += strings.ToUpper(rest[:1]) + rest[1:]
		}
		all[name] = s.of[outcome]
	}
	if s.BatchID != "" {
		all["batchId"], all["totalsCreated"] = s.BatchID, append([]batch.Total{}, s.Totals...)
	}
	if len(s.PaidTwice) > 0 {
		all["paidTwice"] = s.PaidTwice
	}
	return all
}

// count counts a row.
func (s *Summary) count(row *batch.Row) {
	s.Rows++
	s.of[row.Outcome]++
	if row.Outcome == batch.Refused || row.Outcome == batch.Different {
		s.refuse(row)
	}
	if row.ExistedBefore() && s.BatchID != "" {
		s.before++
	}
	if row.Exists() && row.Sum != nil {
		s.Totals = row.Sum.AddTo(s.Totals)
	}
	if row.EarlierBatch != "" {
		s.others[EarlierFile(row.EarlierFile, row.EarlierBatch)]++
	}
}

// complete counts the rows that were not read again after a fault, of so many.
func (s *Summary) complete(rows int) {
	s.of[batch.NotChecked] += max(0, rows-s.Rows)
	s.Rows = max(s.Rows, rows)
}

// exist is how many rows exist as the file has them.
func (s *Summary) exist() int { return s.of[batch.Created] + s.of[batch.Existed] }

// established is how many rows have an outcome that needs no further run.
func (s *Summary) established() int { return s.exist() + s.of[batch.Refused] + s.of[batch.Different] }

// done is what a row does that is done.
func (s *Summary) done() string {
	if s.BatchID != "" {
		return "is a transfer"
	}
	return "exists"
}

// A refusal is a reason for which rows were refused.
type refusal struct {
	outcome      batch.Outcome
	kind, detail string   // detail is that of the first row
	lines        []string // of the first rows
	rows         int
}

// refuse counts a refused row by its reason.
func (s *Summary) refuse(row *batch.Row) {
	kind := cmp.Or(row.ProblemType, row.Detail)
	at := slices.IndexFunc(s.refusals, func(r refusal) bool { return r.kind == kind && r.outcome == row.Outcome })
	if at < 0 {
		if len(s.refusals) == maxRefusals {
			return
		}
		at = len(s.refusals)
		s.refusals = append(s.refusals, refusal{outcome: row.Outcome, kind: kind, detail: row.Detail})
	}
	r := &s.refusals[at]
	if r.rows++; r.rows <= maxRefusedLines {
		r.lines = append(r.lines, strconv.Itoa(row.Line))
	} else if r.rows == maxRefusedLines+1 {
		r.lines = append(r.lines, "…")
	}
}

// String describes a reason with its rows.
func (r refusal) String() string {
	return fmt.Sprintf("%s %s (line %s): %s", cmdutil.Count(r.rows, "row(s)"), r.outcome, strings.Join(r.lines, ", "), r.detail)
}

// String counts the outcomes in a line. Rows that are not checked are told if there are some.
func (s *Summary) String() string {
	var counts []string
	for i, outcome := range append(slices.Clip(s.order), batch.NotChecked) {
		if outcome == batch.NotChecked && s.of[outcome] == 0 {
			continue
		}
		count := strconv.Itoa(s.of[outcome]) + " " + strings.ReplaceAll(string(outcome), "_", " ")
		if i == 0 && s.before > 0 {
			count += " (" + strconv.Itoa(s.before) + " of them before)"
		}
		counts = append(counts, count)
	}
	text := strings.Join(counts, ", ")
	for _, total := range s.Totals {
		text += "; " + total.String()
	}
	return text
}

// view is the summary in place of a report that is a file.
func (s *Summary) view() ui.View {
	return slices.Concat(cmdutil.Field("Batch", s.BatchID), cmdutil.Field("Rows", strconv.Itoa(s.Rows)),
		cmdutil.Field("Outcome", s.String()))
}

// EarlierFile names another file that has paid rows, by its name if that is known, and by its batch.
func EarlierFile(name, batchID string) string {
	return cmp.Or(name, "another file") + ", batch " + batchID
}

// failed returns the error of a file some of whose rows do not exist, or were paid twice. Cause is what stopped it before
// its end; nil if every row was sent.
func (s *Summary) failed(cause error) *cmdutil.Error {
	e := &cmdutil.Error{Kind: cmdutil.KindBatchFailed, Title: "Not every row " + s.done() + ".", Cause: cause}
	unknown, isBatch := s.of[batch.Unknown], s.BatchID != ""
	switch {
	case unknown > 0, len(s.PaidTwice) > 0:
		e.Code = cmdutil.ExitOutcomeUnknown
	case cause == nil:
		e.Code = cmdutil.ExitRowsRefused
	}
	e.Detail = "of " + cmdutil.Count(s.Rows, "row(s)") + ": " + (&Summary{order: s.order, of: s.of}).String()
	if cause != nil {
		e.Detail += ": " + cause.Error()
	}
	next := func(text string) { e.Next = append(e.Next, text) }
	if len(s.PaidTwice) > 0 {
		e.Kind, e.Title = "paid-twice", "Some references have several transfers."
		e.Detail += "\npaid more than once:"
		for _, p := range s.PaidTwice[:min(maxPaidTwice, len(s.PaidTwice))] {
			e.Detail += "\n" + p.Reference + ": " + strings.Join(p.TransferIDs, ", ")
		}
		next(CancelSecond)
		if more := len(s.PaidTwice) - maxPaidTwice; more > 0 {
			e.Detail += fmt.Sprintf("\nand %d more", more)
			next(shell.Hint("payctl transfer list --batch BATCH --all   (shows them all)", shell.Values{"BATCH": s.BatchID}))
		}
	}
	switch {
	case s.of[batch.Refused] == 0:
	case isBatch:
		next("correct the refused rows; with the --batch-id of the first run they stay in its batch")
	default:
		next("correct the refused rows and run the same line again")
	}
	if s.of[batch.Different] > 0 {
		next("correct the rows that are different, or change what exists, with its update command: the report names it and where " +
			"they differ")
	}
	if s.of[batch.NotSent]+s.of[batch.NotChecked]+unknown > 0 {
		next("run the same line again: what is done is not done twice")
	}
	if unknown > 0 {
		next("payctl transfer resolve   (unknown rows that the service does not show after 15 minutes count as not done, " +
			"and the same line sends them)")
	}
	return e
}
