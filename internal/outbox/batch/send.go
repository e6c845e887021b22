package batch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/payctl/payctl/internal/outbox"
	"github.com/payctl/payctl/internal/outbox/journal"
	"github.com/payctl/payctl/internal/payments"
)

// A Sender sends the rows of a file.
type Sender struct {
	Outbox *outbox.Outbox
	// BatchID is the batch that rows are transfers of; empty for an import of accounts or contacts.
	BatchID string
	// Concurrency bounds the requests in flight; more than zero.
	Concurrency int
	// Ahead is how many rows are claimed in the journal at once before they are sent; zero: each is claimed when it is
	// sent. When the program is killed, that many rows may be recorded that were never sent. Only a service that keeps
	// them from being paid twice can be sent them again at once.
	Ahead int
	// Rate bounds the requests in a second; zero: no bound.
	Rate int
	// Patience is how long a service that cannot be reached is tried again.
	Patience time.Duration
	// RowTimeout bounds one attempt at a row.
	RowTimeout time.Duration

	Now   func() time.Time
	Sleep func(context.Context, time.Duration) error

	pacer     *pacer
	stop      context.CancelCauseFunc
	paidTwice map[string][]string // identifiers of several transfers, by their reference
	canceled  map[string]bool     // identifiers of transfers, which are no payments
	// seen is what the service has shown of the batch, by reference; the members that a report needs.
	seen   map[string]payments.Transfer
	listed bool // all transfers of the batch that the service has are in the journal
}

// A Report receives the results of rows in the order of the file, and the progress of the batch. The methods of Troubles,
// and Ended, may be called by several goroutines at the same time as the other methods.
type Report interface {
	Troubles
	// Listed tells how many transfers of the batch the service has shown, before the first row is sent or after the last.
	Listed(transfers int)
	// Begin is called when the first row may be sent.
	Begin()
	// Row receives the result of the next row. An error stops the batch; the rows that follow are reported all the same.
	Row(result Result) error
	// Idle is called when the result of the next row has to be waited for.
	Idle() error
	// Ended receives the outcome of each row as soon as it is known, in any order, and whether the row took a request of
	// its own.
	Ended(outcome Outcome, requested bool)
}

// A Job is a row with what it asks of the service.
type Job struct {
	Write  *outbox.Write
	Result Result // of which the row is known

	entry journal.Entry // what the journal has in the way of the row; without an outcome if it has nothing
	ended chan struct{} // closed when the result is known; nil if it was known from the start
}

// Jobs returns the rows of a file one after another, and io.EOF behind the last.
type Jobs func() (*Job, error)

// An UncheckedError says that every row was sent, but not whether another machine has paid some of them at the same
// moment.
type UncheckedError struct{ Err error }

// Error implements error.
func (e *UncheckedError) Error() string {
	return "it could not be checked whether another machine paid rows at the same moment: " + e.Err.Error()
}

// Unwrap is the reason.
func (e *UncheckedError) Unwrap() error { return e.Err }

func (s *Sender) isImport() bool { return s.BatchID == "" }

// Run sends every row that was not sent before, and reports each. When the context ends, nothing more is sent,
// requests in flight are waited for, and the other rows are reported with what the journal knows about them. The error
// is the reason why not every row was sent; rows that the service refused are no error.
func (s *Sender) Run(ctx context.Context, rows Jobs, report Report) (err error) {
	s.paidTwice, s.canceled, s.seen = map[string][]string{}, map[string]bool{}, map[string]payments.Transfer{}
	sending, stop := context.WithCancelCause(ctx)
	s.stop = stop
	defer stop(nil)
	s.pacer = newPacer(s, report, stop)
	newest, atRisk := "", false
	if !s.isImport() {
		atRisk = !s.Outbox.HonoursKeys(ctx, false) && !s.Outbox.KeepsReferencesUnique(ctx)
		s.listed, err = s.recordExisting(sending, report)
	}
	if err == nil && atRisk {
		newest, err = s.newestTransfer(sending)
	}
	if err != nil {
		stop(err) // the rows are reported all the same
	} else {
		report.Begin()
	}
	ordered, jobs := make(chan *Job, 2*s.Ahead+s.Concurrency), make(chan *Job, s.Ahead)
	var group sync.WaitGroup
	group.Go(func() {
		defer close(ordered)
		defer close(jobs)
		defer s.recoverPanic(func() {})
		if err := s.feed(sending, rows, ordered, jobs, report); err != nil {
			stop(err)
		}
	})
	// An attempt that was begun is finished when the batch stops.
	finishing := payments.WithoutRateLimitRetry(context.WithoutCancel(sending))
	for range s.Concurrency {
		group.Go(func() {
			for j := range jobs {
				s.send(sending, finishing, j)
				report.Ended(j.Result.Outcome, j.Result.Requested)
				close(j.ended)
			}
		})
	}
	s.collect(ordered, report)
	group.Wait()
	err = context.Cause(sending)
	if err == nil && atRisk {
		if err := s.recordNewer(sending, newest); err != nil {
			return &UncheckedError{err}
		}
	}
	return err
}

// collect reports the rows in their order. An error of the report stops the batch.
func (s *Sender) collect(ordered <-chan *Job, report Report) {
	for j := range ordered {
		var failure error
		if j.ended != nil {
			select {
			case <-j.ended:
			default:
				failure = report.Idle()
				<-j.ended
			}
		}
		if failure = cmp.Or(failure, report.Row(j.Result)); failure != nil {
			s.stop(failure)
		}
	}
}

// feed reads the rows, claims them in the journal several at a time, and hands them on.
func (s *Sender) feed(ctx context.Context, rows Jobs, ordered, jobs chan<- *Job, report Report) error {
	for {
		ahead, end := s.readAhead(rows)
		if ctx.Err() == nil {
			if err := s.claim(ctx, ahead); err != nil {
				s.stop(err)
			}
		}
		if ctx.Err() != nil {
			s.resultsFromJournal(ctx, ahead)
		}
		for _, j := range ahead {
			if j.Result.Outcome == "" {
				j.ended = make(chan struct{})
			} else {
				report.Ended(j.Result.Outcome, false)
			}
			ordered <- j
			if j.ended != nil {
				jobs <- j
			}
		}
		switch {
		case errors.Is(end, io.EOF):
			return nil
		case end != nil:
			return end
		}
	}
}

// readAhead reads as many rows as are claimed at once. The error is the reason why there are no more.
func (s *Sender) readAhead(rows Jobs) ([]*Job, error) {
	most := max(s.Ahead, 1)
	ahead := make([]*Job, 0, most)
	for len(ahead) < most {
		j, err := rows()
		if err != nil {
			return ahead, err
		}
		ahead = append(ahead, j)
	}
	return ahead, nil
}

// claim claims rows in the journal, and sets the results of those that it has as done.
func (s *Sender) claim(ctx context.Context, ahead []*Job) error {
	if len(ahead) == 0 || s.Ahead == 0 {
		return nil
	}
	if err := s.Outbox.Claim(ctx, writes(ahead)); err != nil {
		return fmt.Errorf("the rows cannot be recorded in the journal, so nothing more was sent: %w", err)
	}
	for _, j := range ahead {
		j.entry = j.Write.Entry()
		s.setIfDone(j)
	}
	return nil
}

func writes(jobs []*Job) []*outbox.Write {
	all := make([]*outbox.Write, len(jobs))
	for i, j := range jobs {
		all[i] = j.Write
	}
	return all
}

// send attempts a row until it has its outcome. When sending ends no attempt is begun; attempts run in finishing.
// After a panic it is not known how far the row came.
func (s *Sender) send(sending, finishing context.Context, j *Job) {
	defer s.recoverPanic(func() { j.Result.Outcome, j.Result.Detail = Unknown, "payctl has a fault" })
	outcome := s.pacer.send(sending, finishing, func(ctx context.Context) payments.Outcome {
		j.Result.Requested = true
		return s.Outbox.Submit(ctx, j.Write)
	})
	_, notBegun := errors.AsType[*notBegunError](outcome.Err)
	switch {
	case outcome.IsDone():
		made := madeOf(outcome)
		if outcome.Replayed && made.BatchID != s.BatchID {
			j.Result.EarlierBatch, j.Result.EarlierFile = made.BatchID, j.entry.File
		}
		j.Result.setCreated(made, outcome.Replayed)
		if outcome.Replayed && len(outcome.NotCompared) > 0 {
			j.Result.Detail = "not compared, since the service does not show it: " + strings.Join(outcome.NotCompared, ", ")
		}
	case notBegun:
		s.leave(sending, j)
	case s.isImport() && outcome.Verdict == NotSent:
		j.setNotSent(NotChecked, nil)
	default:
		j.Result.Outcome, j.Result.AbsentIn = outcome.Verdict, outcome.Wait
		j.explain(outcome)
	}
}

// explain adds to the result of a row why what it asks for does not exist.
func (j *Job) explain(outcome payments.Outcome) {
	r := &j.Result
	r.Detail = outcome.Err.Error()
	problem, isProblem := errors.AsType[*payments.ProblemError](outcome.Err)
	if isProblem {
		r.ProblemType = problem.Type
	}
	different, isDifferent := errors.AsType[*outbox.DifferentError](outcome.Err)
	if isDifferent || r.isImport {
		r.ID, r.State = outcome.Subject, outcome.State
	}
	switch {
	case !isDifferent:
	case !r.isImport:
		// The differences come first: a table may have no room for more.
		r.Detail = strings.Join(different.Differences, "; ") + "; the reference belongs to the transfer " + outcome.Subject
	case len(different.Differences) > 0:
		r.Outcome, r.Detail = Different, "it exists and differs: "+strings.Join(different.Differences, "; ")
	case isProblem:
		r.Outcome, r.Detail = Different, problem.Detail
	}
}

// recoverPanic, deferred, stops the batch instead of the program after a panic, so that the other rows are still
// reported.
func (s *Sender) recoverPanic(then func()) {
	if cause := recover(); cause != nil {
		then()
		s.stop(fmt.Errorf("payctl has a fault: %v\nPlease report it with what follows.\n\n%s", cause, debug.Stack()))
	}
}

// madeOf returns what an outcome shows of what was made: of an account or a contact, what it has in common with a transfer.
func madeOf(outcome payments.Outcome) payments.Transfer {
	var shown struct {
		BatchID   string         `json:"batchId"`
		Fees      []payments.Fee `json:"fees"`
		CreatedAt time.Time      `json:"createdAt"`
	}
	_ = json.Unmarshal(outcome.Document, &shown) // what cannot be read is not shown
	return payments.Transfer{
		ID: outcome.Subject, State: payments.TransferState(outcome.State), BatchID: shown.BatchID, Fees: shown.Fees,
		CreatedAt: shown.CreatedAt,
	}
}

// setIfDone sets the result of a row if the journal says that it was sent with the same content, and the service has shown
// its transfer. What the journal alone has proves nothing: the service may have been restored since. It reports whether
// it did.
func (s *Sender) setIfDone(j *Job) bool {
	intent, entry := &j.Write.Intent, &j.entry
	made, isSeen := s.seen[intent.Reference]
	isOwn := entry.Fingerprint == intent.Fingerprint && !entry.IsOfOtherWorld(intent.World)
	if !isSeen || entry.Outcome != journal.OutcomeDone || !isOwn || entry.Subject != made.ID {
		return false
	}
	j.Result.setCreated(made, true)
	return true
}

// resultsFromJournal sets the results of rows that are not sent any more, since ctx has ended, by what the journal has.
func (s *Sender) resultsFromJournal(ctx context.Context, ahead []*Job) {
	entries, err := s.Outbox.Lookup(context.WithoutCancel(ctx), writes(ahead))
	for i, j := range ahead {
		switch {
		case j.Result.Outcome != "":
		case err != nil && !j.Write.Claimed():
			j.setNotSent(NotChecked, context.Cause(ctx))
		default:
			if err == nil && !j.Write.Claimed() {
				j.entry = entries[i]
			}
			s.leave(ctx, j)
		}
	}
}

// leave sets the result of a row that is not sent any more, by its entry in the journal. A row that was claimed is
// released.
func (s *Sender) leave(ctx context.Context, j *Job) {
	cause := context.Cause(ctx)
	switch {
	case s.setIfDone(j):
	case j.entry.Outcome != "" && j.entry.IsOpen():
		j.Result.Outcome = Unknown
		j.Result.Detail = "sent before, and no answer came; run the same command again"
	case !s.listed, j.entry.Outcome == journal.OutcomeDone:
		j.setNotSent(NotChecked, cause)
	default:
		j.setNotSent(NotSent, cause)
	}
	if err := s.Outbox.Release(j.Write); err != nil {
		s.stop(fmt.Errorf("the result of a row cannot be recorded in the journal: %w", err))
	}
}

// setNotSent sets the result of a row that was not reached.
func (j *Job) setNotSent(outcome Outcome, cause error) {
	j.Result.Outcome, j.Result.Detail = outcome, "the batch ended before this row"
	switch {
	case j.Result.isImport:
		j.Result.Detail = "the import ended before it was known whether an earlier run has created this row"
	case outcome == NotChecked:
		j.Result.Detail = "the batch ended before it was known whether this row was paid by an earlier run"
	}
	if problem, ok := errors.AsType[*payments.ProblemError](cause); ok && !j.Result.isImport {
		j.Result.ProblemType = problem.Type
	}
}
