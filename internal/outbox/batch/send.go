package batch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"sync"
	"time"

	"github.com/payctl/payctl/internal/outbox"
	"github.com/payctl/payctl/internal/outbox/journal"
	"github.com/payctl/payctl/internal/outbox/pace"
	"github.com/payctl/payctl/internal/payments"
)

// A Sender sends the rows of a file.
type Sender struct {
	Outbox  *outbox.Outbox
	BatchID string
	// Concurrency bounds the requests in flight; more than zero.
	Concurrency int
	// Ahead is how many rows are claimed in the journal at once before they are sent; more than zero. When the program
	// is killed, that many rows may be recorded that were never sent. Only a service that keeps them from being paid
	// twice can be sent them again at once.
	Ahead int
	// Rate bounds the requests in a second; zero: no bound.
	Rate int
	// Patience is how long a service that cannot be reached is tried again.
	Patience time.Duration
	// RowTimeout bounds one attempt at a row.
	RowTimeout time.Duration

	Now   func() time.Time
	Sleep func(context.Context, time.Duration) error

	pacer     *pace.Sender
	stop      context.CancelCauseFunc
	paidTwice map[string][]string // identifiers of several transfers, by their reference
	canceled  map[string]bool     // identifiers of transfers, which are no payments
	// seen is what the service has shown of the batch, by reference; the members that a report needs.
	seen   map[string]payments.Transfer
	listed bool // all transfers of the batch that the service has are in the journal
}

// A Report receives the results of rows in the order of the file, and the progress of the batch. Unreachable,
// Reachable, Paused and Ended may be called by several goroutines at the same time as the other methods.
type Report interface {
	// Listed tells how many transfers of the batch the service has shown, before the first row is sent or after the last.
	Listed(transfers int)
	// Begin is called when the first row may be sent.
	Begin()
	// Row receives the result of the next row. An error stops the batch; the rows that follow are reported all the same.
	Row(result Result) error
	// Idle is called when the result of the next row has to be waited for.
	Idle() error
	// Unreachable is called when an outage of the service begins, and Reachable when it ends.
	Unreachable(err error)
	Reachable()
	// Paused is called when the service asks for a pause, with its end.
	Paused(until time.Time)
	// Ended receives the outcome of each row as soon as it is known, in any order, and whether the row took a request of
	// its own.
	Ended(outcome Outcome, requested bool)
}

// A job is a row that is being sent.
type job struct {
	request payments.NewAutoTransfer
	write   *outbox.Write
	entry   journal.Entry // what the journal has in the way of the row; without an outcome if it has nothing
	result  Result
	ended   chan struct{} // closed when the result is known; nil if it was known from the start
}

// An UncheckedError says that every row was sent, but not whether another machine has paid some of them at the same
// moment.
type UncheckedError struct{ Err error }

// Error implements error.
func (e *UncheckedError) Error() string {
	return "it could not be checked whether another machine paid rows at the same moment: " + e.Err.Error()
}

// Unwrap is the reason.
func (e *UncheckedError) Unwrap() error { return e.Err }

// Run sends every row that was not sent before, and reports each. When the context ends, nothing more is sent,
// requests in flight are waited for, and the other rows are reported with what the journal knows about them. The error
// is the reason why not every row was sent; rows that the service refused are no error.
func (s *Sender) Run(ctx context.Context, source *Source, report Report) error {
	s.paidTwice, s.canceled, s.seen = map[string][]string{}, map[string]bool{}, map[string]payments.Transfer{}
	file, err := source.open()
	if err != nil {
		return err
	}
	sending, stop := context.WithCancelCause(ctx)
	s.stop = stop
	defer stop(nil)
	s.pacer = &pace.Sender{
		Concurrency: s.Concurrency, Rate: s.Rate, Patience: s.Patience, Timeout: s.RowTimeout, Stop: stop, Now: s.Now,
		Sleep: s.Sleep, Unreachable: report.Unreachable, Reachable: report.Reachable, Paused: report.Paused,
	}
	newest, atRisk := "", !s.Outbox.HonoursKeys(ctx, false) && !s.Outbox.KeepsReferencesUnique(ctx)
	if s.listed, err = s.recordExisting(sending, report); err == nil && atRisk {
		newest, err = s.newestTransfer(sending)
	}
	if err != nil {
		stop(err) // the rows are reported all the same
	} else {
		report.Begin()
	}
	ordered, jobs := make(chan *job, 2*s.Ahead+s.Concurrency), make(chan *job, s.Ahead)
	var group sync.WaitGroup
	group.Go(func() {
		defer close(ordered)
		defer close(jobs)
		defer s.recoverPanic(func() {})
		if err := s.feed(sending, file, ordered, jobs, report); err != nil {
			stop(err)
		}
	})
	// An attempt that was begun is finished when the batch stops.
	finishing := payments.WithoutRateLimitRetry(context.WithoutCancel(sending))
	for range s.Concurrency {
		group.Go(func() {
			for j := range jobs {
				s.send(sending, finishing, j)
				report.Ended(j.result.Outcome, j.result.Requested)
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
func (s *Sender) collect(ordered <-chan *job, report Report) {
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
		if failure = cmp.Or(failure, report.Row(j.result)); failure != nil {
			s.stop(failure)
		}
	}
}

// feed reads the rows, claims them in the journal several at a time, and hands them on.
func (s *Sender) feed(ctx context.Context, file *reader, ordered, jobs chan<- *job, report Report) error {
	for {
		ahead, end := s.readAhead(file)
		if ctx.Err() == nil {
			if err := s.claim(ctx, ahead); err != nil {
				s.stop(err)
			}
		}
		if ctx.Err() != nil {
			s.resultsFromJournal(ctx, ahead)
		}
		for _, j := range ahead {
			if j.result.Outcome == "" {
				j.ended = make(chan struct{})
			} else {
				report.Ended(j.result.Outcome, false)
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
func (s *Sender) readAhead(file *reader) ([]*job, error) {
	ahead, fileName := make([]*job, 0, s.Ahead), filepath.Base(file.name)
	for len(ahead) < s.Ahead {
		row, err := file.next()
		if err != nil {
			return ahead, err
		}
		j := &job{result: Result{Row: row, Beneficiary: file.beneficiaries[row.Contact]}}
		request, err := row.request(s.BatchID)
		if err != nil {
			return ahead, err
		}
		j.request, j.write = request, outbox.NewAutoTransfer(request, payments.Idempotency{})
		j.write.Intent.File = fileName
		ahead = append(ahead, j)
	}
	return ahead, nil
}

// claim claims rows in the journal, and sets the results of those that it has as done.
func (s *Sender) claim(ctx context.Context, ahead []*job) error {
	if len(ahead) == 0 {
		return nil
	}
	if err := s.Outbox.Claim(ctx, writes(ahead)); err != nil {
		return fmt.Errorf("the rows cannot be recorded in the journal, so nothing more was sent: %w", err)
	}
	for _, j := range ahead {
		j.entry = j.write.Entry()
		s.setIfDone(j)
	}
	return nil
}

func writes(jobs []*job) []*outbox.Write {
	all := make([]*outbox.Write, len(jobs))
	for i, j := range jobs {
		all[i] = j.write
	}
	return all
}

// resultsFromJournal sets the results of rows that are not sent any more, since ctx has ended, by what the journal has.
func (s *Sender) resultsFromJournal(ctx context.Context, ahead []*job) {
	entries, err := s.Outbox.Lookup(context.WithoutCancel(ctx), writes(ahead))
	for i, j := range ahead {
		switch {
		case j.result.Outcome != "":
		case err != nil && !j.write.Claimed():
			j.setNotSent(NotChecked, context.Cause(ctx))
		default:
			if err == nil && !j.write.Claimed() {
				j.entry = entries[i]
			}
			s.leave(ctx, j)
		}
	}
}

// leave sets the result of a row that is not sent any more, by its entry in the journal. A row that was claimed is
// released.
func (s *Sender) leave(ctx context.Context, j *job) {
	cause := context.Cause(ctx)
	switch {
	case s.setIfDone(j):
	case j.entry.Outcome != "" && j.entry.IsOpen():
		j.result.Outcome = Unknown
		j.result.Detail = "sent before, and no answer came; run the same command again"
	case !s.listed, j.entry.Outcome == journal.OutcomeDone:
		j.setNotSent(NotChecked, cause)
	default:
		j.setNotSent(NotSent, cause)
	}
	if err := s.Outbox.Release(j.write); err != nil {
		s.stop(fmt.Errorf("the result of a row cannot be recorded in the journal: %w", err))
	}
}
