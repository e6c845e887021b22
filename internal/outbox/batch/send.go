package batch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"sync"
	"time"

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

	pacer *pacer
	stop  context.CancelCauseFunc
	shown // of a batch
}

// A Report receives the rows of a file in its order, and the progress of the batch. The methods of Troubles, and Ended,
// may be called by several goroutines at the same time as the other methods.
type Report interface {
	Troubles
	// Begin is called when the first row may be sent.
	Begin()
	// Row receives the next row with its outcome. An error stops the batch; the rows that follow are reported all the same.
	Row(*Row) error
	// Ended receives the outcome of each row as soon as it is known, in any order, and whether the row took a request of
	// its own.
	Ended(outcome Outcome, requested bool)
}

// ErrUnchecked says that every row was sent, but not whether another machine has paid some of them at the same moment.
var ErrUnchecked = errors.New("it could not be checked whether another machine paid rows at the same moment")

// Run sends every row that was not sent before, and reports each. When the context ends, nothing more is sent,
// requests in flight are waited for, and the other rows are reported with what the journal knows about them. The error
// is the reason why not every row was sent; rows that the service refused are no error.
func (s *Sender) Run(ctx context.Context, rows Rows, report Report) (err error) {
	sending, stop := context.WithCancelCause(ctx)
	s.stop = stop
	defer stop(nil)
	s.pacer = newPacer(s, report, stop)
	s.shown = shown{transfers: map[string]made{}, paidTwice: map[string][]string{}, canceled: map[string]bool{}}
	newest, atRisk := "", false
	if isBatch := s.BatchID != ""; isBatch {
		atRisk = !s.Outbox.HonoursKeys(ctx, false) && !s.Outbox.KeepsReferencesUnique(ctx)
		s.isWhole, err = s.recordExisting(sending)
	}
	if err == nil && atRisk {
		newest, err = s.newestTransfer(sending)
	}
	if err != nil {
		stop(err) // the rows are reported all the same
	} else {
		report.Begin()
	}
	ordered, claimed := make(chan *Row, 2*s.Ahead+s.Concurrency), make(chan *Row, s.Ahead)
	var group sync.WaitGroup
	group.Go(func() {
		defer close(ordered)
		defer close(claimed)
		defer s.recoverPanic(func() {})
		if err := s.feed(sending, rows, ordered, claimed, report); err != nil {
			stop(err)
		}
	})
	// An attempt that was begun is finished when the batch stops.
	finishing := payments.WithoutRateLimitRetry(context.WithoutCancel(sending))
	for range s.Concurrency {
		group.Go(func() {
			for row := range claimed {
				s.send(sending, finishing, row)
				report.Ended(row.Outcome, row.Requested)
				close(row.ended)
			}
		})
	}
	s.collect(ordered, report)
	group.Wait()
	err = context.Cause(sending)
	if err == nil && atRisk {
		if err := s.recordNewer(sending, newest); err != nil {
			return fmt.Errorf("%w: %w", ErrUnchecked, err)
		}
	}
	return err
}

// collect reports the rows in their order. An error of the report stops the batch.
func (s *Sender) collect(ordered <-chan *Row, report Report) {
	for row := range ordered {
		if row.ended != nil {
			<-row.ended
		}
		if failure := report.Row(row); failure != nil {
			s.stop(failure)
		}
	}
}

// feed reads the rows, claims them in the journal several at a time, and hands them on.
func (s *Sender) feed(ctx context.Context, next Rows, ordered, claimed chan<- *Row, report Report) error {
	for {
		ahead, end := next.read(max(s.Ahead, 1))
		if ctx.Err() == nil && s.Ahead > 0 && len(ahead) > 0 {
			if err := s.Outbox.Claim(ctx, writes(ahead)); err != nil {
				s.stop(fmt.Errorf("the rows cannot be recorded in the journal, so nothing more was sent: %w", err))
			}
		}
		if ctx.Err() != nil {
			s.leaveAll(ctx, ahead)
		}
		for _, row := range ahead {
			if row.Outcome == "" {
				row.entry = row.Write.Entry()
				s.setIfDone(row)
			}
			if row.Outcome != "" {
				report.Ended(row.Outcome, false)
				ordered <- row
				continue
			}
			row.ended = make(chan struct{})
			ordered <- row
			claimed <- row
		}
		switch {
		case errors.Is(end, io.EOF):
			return nil
		case end != nil:
			return end
		}
	}
}

// send attempts a row until it has its outcome. When sending ends no attempt is begun; attempts run in finishing.
// After a panic it is not known how far the row came.
func (s *Sender) send(sending, finishing context.Context, row *Row) {
	defer s.recoverPanic(func() { row.Outcome, row.Detail = Unknown, "payctl has a fault" })
	outcome, isBegun := s.pacer.send(sending, finishing, func(ctx context.Context) payments.Outcome {
		row.Requested = true
		return s.Outbox.Submit(ctx, row.Write)
	})
	if isBegun {
		row.setOutcome(outcome, s.BatchID)
	} else {
		s.leave(row)
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

// setIfDone sets the outcome of a row if the journal says that it was sent with the same content, and the service has shown
// its transfer. What the journal alone has proves nothing: the service may have been restored since. It reports whether
// it did.
func (s *Sender) setIfDone(row *Row) bool {
	intent, entry := &row.Write.Intent, &row.entry
	made, isShown := s.transfers[intent.Reference]
	isOwn := entry.Fingerprint == intent.Fingerprint && !entry.IsOfOtherWorld(intent.World)
	if !isShown || entry.Outcome != journal.OutcomeDone || !isOwn || entry.Subject != made.ID {
		return false
	}
	row.setCreated(made, true)
	return true
}

// leaveAll leaves rows that are not sent any more, since ctx has ended. Those that are not claimed are looked up in the
// journal.
func (s *Sender) leaveAll(ctx context.Context, ahead []*Row) {
	entries, err := s.Outbox.Lookup(context.WithoutCancel(ctx), writes(ahead))
	for i, row := range ahead {
		switch isClaimed := row.Write.Claimed(); {
		case row.Outcome != "":
			continue
		case err != nil && !isClaimed:
			row.setNotSent(NotChecked)
			continue
		case isClaimed:
			row.entry = row.Write.Entry()
		default:
			row.entry = entries[i]
		}
		s.leave(row)
	}
}

// leave sets the outcome of a row that is not sent any more, by its entry in the journal. A row that was claimed is
// released.
func (s *Sender) leave(row *Row) {
	switch {
	case s.setIfDone(row):
	case row.entry.Outcome != "" && row.entry.IsOpen():
		row.Outcome = Unknown
		row.Detail = "sent before, and no answer came; run the same command again"
	case !s.isWhole, row.entry.Outcome == journal.OutcomeDone:
		row.setNotSent(NotChecked)
	default:
		row.setNotSent(NotSent)
	}
	if err := s.Outbox.Release(row.Write); err != nil {
		s.stop(fmt.Errorf("the result of a row cannot be recorded in the journal: %w", err))
	}
}
