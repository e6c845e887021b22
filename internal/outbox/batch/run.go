package batch

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"golang.org/x/time/rate"

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

// A Report receives the rows of a file in its order, and the progress of the batch. Ended, and what tells of
// the service's troubles, may be called by several goroutines at the same time as the other methods.
type Report interface {
	// Unreachable is called when an outage of the service begins, and Reachable when it ends.
	Unreachable(err error)
	Reachable()
	// Pause is called when the service asks for a pause, with its end.
	Pause(until time.Time)
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
	defer stop(nil)
	limit := rate.Inf
	if s.Rate > 0 {
		limit = rate.Limit(s.Rate)
	}
	s.stop, s.pacer = stop, &pacer{Sender: s, report: report, limiter: rate.NewLimiter(limit, 1)}
	s.shown = shown{transfers: map[string]made{}, paidTwice: map[string][]string{}, canceled: map[string]bool{}}
	newest, atRisk := "", false
	if s.BatchID != "" {
		atRisk = !s.Outbox.HonoursKeys(ctx, false) && !s.Outbox.KeepsReferencesUnique(ctx)
		s.isWhole, err = s.recordExisting(sending)
	}
	if err == nil && atRisk {
		err = s.list(sending, "", func(page []payments.Transfer) (more bool, err error) {
			if len(page) > 0 {
				newest = page[0].ID
			}
			return false, nil
		})
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
		s.feed(sending, rows, ordered, claimed, report)
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
	for row := range ordered {
		if row.ended != nil {
			<-row.ended
		}
		if failure := report.Row(row); failure != nil {
			stop(failure)
		}
	}
	group.Wait()
	err = context.Cause(sending)
	if err == nil && atRisk {
		if err := s.recordNewer(sending, newest); err != nil {
			return fmt.Errorf("%w: %w", ErrUnchecked, err)
		}
	}
	return err
}

// feed claims the rows in the journal several at a time, and hands them on. Those whose outcome is known are not sent.
func (s *Sender) feed(ctx context.Context, rows Rows, ordered, claimed chan<- *Row, report Report) {
	for at := 0; at < rows.Count; {
		ahead := rows.next(&at, max(s.Ahead, 1))
		s.claim(ctx, ahead)
		for _, row := range ahead {
			if row.Outcome != "" {
				report.Ended(row.Outcome, false)
				ordered <- row
				continue
			}
			row.ended = make(chan struct{})
			ordered <- row
			claimed <- row
		}
	}
}

// claim claims rows, unless each is claimed when it is sent. Once ctx has ended they are looked up in the journal, and
// left.
func (s *Sender) claim(ctx context.Context, ahead []*Row) {
	if ctx.Err() == nil && s.Ahead > 0 {
		if err := s.Outbox.Claim(ctx, writes(ahead)); err != nil {
			s.stop(fmt.Errorf("the rows cannot be recorded in the journal, so nothing more was sent: %w", err))
		}
	}
	var entries []journal.Entry
	if ctx.Err() != nil {
		entries, _ = s.Outbox.Lookup(context.WithoutCancel(ctx), writes(ahead)) // then they are not checked
	}
	for i, row := range ahead {
		if row.entry = row.Write.Entry(); entries != nil && !row.Write.Claimed() {
			row.entry = entries[i]
		}
		switch {
		case s.setIfDone(row), ctx.Err() == nil:
		case entries == nil && !row.Write.Claimed():
			row.setNotSent(NotChecked)
		default:
			s.leave(row)
		}
	}
}

// send attempts a row until it has its outcome. When sending ends no attempt is begun; attempts run in finishing. A panic
// stops the batch instead of the program, so that the other rows are still reported: it is not known how far the row came.
func (s *Sender) send(sending, finishing context.Context, row *Row) {
	defer func() {
		if cause := recover(); cause != nil {
			row.Outcome, row.Detail = Unknown, "payctl has a fault"
			s.stop(fmt.Errorf("payctl has a fault: %v\nPlease report it with what follows.\n\n%s", cause, debug.Stack()))
		}
	}()
	outcome, isBegun := s.pacer.try(sending, finishing, func(ctx context.Context) payments.Outcome {
		row.Requested = true
		return s.Outbox.Submit(ctx, row.Write)
	})
	if isBegun {
		row.setOutcome(outcome, s.BatchID)
	} else {
		s.leave(row)
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
