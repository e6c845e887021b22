package rowsui

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/effect"
	"github.com/payctl/payctl/internal/outbox/batch"
	"github.com/payctl/payctl/internal/outbox/journal"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/shell"
)

const (
	maxRefusals     = 10 // reasons that are shown
	maxRefusedLines = 5  // lines that are named for each
)

// CancelSecond is the next step after a reference was paid more than once.
func CancelSecond() shell.Hint {
	return shell.Payctl("transfer cancel TRANSFER").With("the second of each, if it still awaits its funds")
}

// A summary counts the outcomes of the rows of a file.
type summary struct {
	batchID string // empty for an import

	rows      int               // that the file has
	paidTwice []batch.PaidTwice // the references for which the service has several transfers
	totals    []batch.Total     // of the created transfers of a batch
	of        map[effect.Outcome]int
	before    int                // rows of a batch that existed before this run
	failing   int                // rows of a batch whose transfer failed or came back
	held      int                // rows that a limit of the profile holds back
	earlier   []batch.PaidBefore // rows that were paid before, by their batches
	refusals  []*refusal         // in the order of the file
}

// summarize counts rows that were sent.
func summarize(rows []*batch.Row, sender *batch.Sender) *summary {
	s := &summary{batchID: sender.BatchID, rows: len(rows), paidTwice: sender.Twice, of: map[effect.Outcome]int{}}
	for _, row := range rows {
		s.of[row.Outcome]++
		isHeld := row.ProblemType == string(payments.ProblemHeldBack) ||
			row.ProblemType == string(payments.ProblemAboveLimit)
		if isHeld {
			s.held++
		}
		if isHeld || row.Outcome == effect.Refused || row.Outcome == batch.Different || row.Outcome == journal.OutcomeClosed {
			s.refuse(row)
		}
		if row.Exists() && payments.TransferState(row.State).Failed() && s.batchID != "" {
			s.failing++
		}
		if row.Exists() && row.Sum != nil {
			sum := *row.Sum
			if payments.TransferState(row.State).Settled() {
				sum.Arrived = sum.Rows
			}
			s.totals = sum.AddTo(s.totals)
		}
		if row.Earlier.Rows > 0 {
			s.earlier = row.Earlier.AddTo(s.earlier)
			s.before++
		}
	}
	return s
}

// forPrograms is the summary for programs. Totals are of what was created.
func (s *summary) forPrograms() any {
	counts := map[effect.Outcome]int{}
	for _, outcome := range s.order() {
		counts[outcome] = s.of[outcome]
	}
	return struct {
		BatchID string                 `json:"batchId,omitzero"`
		Rows    int                    `json:"rows"`
		Counts  map[effect.Outcome]int `json:"counts"`
		Failing int                    `json:"failedOrReturned,omitzero"`
		Totals  []batch.Total          `json:"totals"`
	}{s.batchID, s.rows, counts, s.failing, append([]batch.Total{}, s.totals...)}
}

// order is the order in which outcomes are told. Rows that are not checked are told if there are some.
func (s *summary) order() []effect.Outcome {
	order := []effect.Outcome{batch.Created, batch.Existed, batch.Different, effect.Refused, effect.Unknown}
	if s.batchID != "" {
		order = []effect.Outcome{batch.Created, effect.Refused, effect.Unknown, effect.NotSent}
	}
	for _, rare := range []effect.Outcome{batch.NotChecked, journal.OutcomeClosed} {
		if s.of[rare] > 0 {
			order = append(order, rare)
		}
	}
	return order
}

// A refusal is a reason for which rows were refused.
type refusal struct {
	kind   string
	first  *batch.Row
	lines  []string // of the first rows
	amount int      // of rows
	differ bool     // their details
}

// refuse counts a refused row by its reason.
func (s *summary) refuse(row *batch.Row) {
	kind := string(row.Outcome) + cmp.Or(row.ProblemType, row.Detail)
	at := slices.IndexFunc(s.refusals, func(r *refusal) bool { return r.kind == kind })
	if at < 0 {
		if at = len(s.refusals); at == maxRefusals {
			return
		}
		s.refusals = append(s.refusals, &refusal{kind: kind, first: row})
	}
	r := s.refusals[at]
	r.differ = r.differ || row.Detail != r.first.Detail
	if r.amount++; r.amount <= maxRefusedLines {
		r.lines = append(r.lines, strconv.Itoa(row.Line))
	} else if r.amount == maxRefusedLines+1 {
		r.lines = append(r.lines, "…")
	}
}

// PaidBefore says which rows were paid before the batch, or by an earlier run of it: when, and by which file.
func PaidBefore(all []batch.PaidBefore, batchID string) (lines []string) {
	for _, earlier := range all {
		by := cmp.Or(earlier.File, "another file") + ", batch " + earlier.BatchID
		switch earlier.BatchID {
		case batchID:
			by = "an earlier run of this batch"
		case "":
			by = "single transfers"
		}
		lines = append(lines, fmt.Sprintf("%s paid before, on %s, by %s",
			cmdutil.Count(earlier.Rows, "row(s)"), earlier.Day, by))
	}
	return lines
}

// tell prints how the rows ended. What others have paid before, and why rows were refused, is printed with --quiet too:
// nobody must take last month's file for this month's.
func (s *summary) tell(d *cmdutil.Deps, report string) {
	text := s.counts()
	for _, total := range s.totals {
		text += "; " + total.String()
	}
	if s.batchID != "" {
		text += " (" + s.batchID + ")"
	}
	d.Notef("%s", text)
	for _, line := range PaidBefore(s.earlier, s.batchID) {
		d.Errorf("%s", line)
	}
	if s.failing > 0 {
		d.Errorf("%s failed or came back: to pay again takes another reference", cmdutil.Count(s.failing, "payment(s)"))
	}
	for _, r := range s.refusals {
		count, lines := cmdutil.Count(r.amount, "row(s)"), strings.Join(r.lines, ", ")
		detail := r.first.Detail
		if r.differ {
			detail = fmt.Sprintf("line %d: %s", r.first.Line, detail)
		}
		d.Errorf("%s %s (line %s): %s", count, r.first.Outcome, lines, detail)
	}
	if len(s.refusals) > 0 && report != "" {
		d.Notef("the report is %s", report)
	}
}

// counts counts the outcomes in a line.
func (s *summary) counts() string {
	var counts []string
	for _, outcome := range s.order() {
		count := strconv.Itoa(s.of[outcome]) + " " + strings.ReplaceAll(string(outcome), "_", " ")
		if outcome == batch.Created && s.before > 0 {
			count += " (" + strconv.Itoa(s.before) + " of them before)"
		}
		counts = append(counts, count)
	}
	return strings.Join(counts, ", ")
}

// failed returns the error of a file some of whose rows do not exist, or were paid twice. Cause is what stopped it
// before its end. Nil means that every row was sent.
func (s *summary) failed(cause error) *cmdutil.Error {
	e := &cmdutil.Error{ProblemType: cmdutil.ProblemBatchFailed, Title: "Not every row is done.", Cause: cause}
	unknown := s.of[effect.Unknown]
	switch {
	case unknown > 0, len(s.paidTwice) > 0, errors.Is(cause, batch.ErrUnchecked):
		e.Code = cmdutil.ExitOutcomeUnknown
	case s.failing > 0:
		e.Code = cmdutil.ExitWatchFailed
	case cause == nil && s.held > 0:
		e.Code = cmdutil.ExitHeldBack
	case cause == nil:
		e.Code = cmdutil.ExitRowsRefused
	}
	if s.failing > 0 {
		e.Title = "Some payments failed or came back."
	}
	e.Detail = "of " + cmdutil.Count(s.rows, "row(s)") + ": " + s.counts()
	if cause != nil {
		e.Detail += ": " + cause.Error()
	}
	next := func(is bool, hint shell.Hint) {
		if is {
			e.Next = append(e.Next, hint)
		}
	}
	if len(s.paidTwice) > 0 {
		e.ProblemType, e.Title = "paid-twice", "Some references have several transfers."
		e.Detail += "\npaid more than once:"
		for _, p := range s.paidTwice {
			e.Detail += "\n" + p.Reference + ": " + strings.Join(p.TransferIDs, ", ")
		}
		next(true, CancelSecond())
	}
	next(len(s.refusals) > 0 && s.batchID == "",
		shell.Note("correct these rows, or change what exists with its update command, and run the same line again"))
	next(s.of[effect.Refused] > 0 && s.batchID != "", shell.Note("correct these rows, and run the same line again with "+
		"--batch-id %s   (then all rows stay in this batch)", s.batchID))
	next(s.of[journal.OutcomeClosed] > 0, shell.Payctl("transfer resolve --resend --batch", s.batchID).
		With("closed rows; looks again, asks, and sends them"))
	next(s.of[effect.NotSent]+s.of[batch.NotChecked]+unknown > 0,
		shell.Note("run the same line again: what is done is not done twice"))
	next(unknown > 0 && s.batchID != "", shell.Payctl("transfer resolve --batch", s.batchID).
		With("settles unknown rows; if you know more: --accept, --resend or --dismiss"))
	next(unknown > 0 && s.batchID == "", shell.Payctl("transfer resolve").With("settles unknown rows"))
	return e
}
