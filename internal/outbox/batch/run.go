package batch

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"

	"github.com/payctl/payctl/internal/effect"
	"github.com/payctl/payctl/internal/outbox"
	"github.com/payctl/payctl/internal/outbox/journal"
	"github.com/payctl/payctl/internal/payments"
)

// A Sender sends the rows of a file.
type Sender struct {
	Outbox *outbox.Outbox
	// BatchID is the batch of the transfers. It is empty for an import of accounts or contacts.
	BatchID string
	// Concurrency bounds the requests in flight; more than zero.
	Concurrency int
	// Ahead is how many rows are claimed in the journal at once before they are sent; more than zero. If the program is
	// killed, as many rows may be recorded but never sent. Only a service that protects them gets them again at once.
	Ahead int
	// Rate bounds the requests in a second. Zero means no bound.
	Rate int
	// RowTimeout bounds one attempt at a row.
	RowTimeout time.Duration

	// Begin is called when the first row may be sent. Ended is called when the outcome of a row is known, in any order
	// and by several goroutines.
	Begin func()
	Ended func(*Row)
	// Trouble is called when an outage begins, and with nil when it ends.
	Trouble func(error)
	// Pause is called when the service asks for a pause, with its end.
	Pause func(until time.Time)

	// Twice are the references with several transfers, after Run.
	Twice []PaidTwice

	stop  context.CancelCauseFunc
	lost  atomic.Bool // an attempt that was not answered may have had its effect
	shown             // of a batch
	pace
}

// ErrUnchecked means that every row was sent, but another machine may have paid some at the same moment.
var ErrUnchecked = errors.New("it could not be checked whether another machine paid rows at the same moment")

// Run sends every row that was not sent before, and sets the outcome of each. When the context ends, it sends nothing
// more and waits for requests in flight. The other rows get what the journal knows about them. The error is why not
// every row was sent. Rows that the service refused are not an error.
func (s *Sender) Run(ctx context.Context, rows []*Row) (err error) {
	sending, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	s.stop, s.pace = stop, pace{limiter: rate.NewLimiter(rate.Inf, 1)}
	s.shown = shown{
		transfers: map[string][]madeResource{}, accepted: map[string][]string{}, isRow: map[string]bool{},
	}
	if s.Rate > 0 {
		s.limiter = rate.NewLimiter(rate.Limit(s.Rate), 1)
	}
	atRisk := false
	if s.BatchID != "" && s.Outbox.ListLag != outbox.ListsAreUseless {
		s.isWhole, err = s.readShown(sending, payments.TransferFilter{BatchID: s.BatchID}, time.Time{})
		if outbox.IsNoList(err) { // each row handles that
			err = nil
		}
	}
	if s.BatchID != "" {
		atRisk = !s.Outbox.HonoursKeys(ctx, false) && !s.Outbox.KeepsReferencesUnique(ctx)
	}
	if err != nil {
		stop(err) // the rows still get their outcomes
	} else {
		s.Begin()
	}
	claimed := make(chan *Row, s.Ahead)
	var group sync.WaitGroup
	// An attempt that has begun is finished when the batch stops.
	finishing := payments.WithoutRateLimitRetry(context.WithoutCancel(sending))
	for range s.Concurrency {
		group.Go(func() {
			for row := range claimed {
				s.send(sending, finishing, row)
				s.end(row)
			}
		})
	}
	for ahead := range slices.Chunk(rows, s.Ahead) {
		s.claim(sending, ahead)
		for _, row := range ahead {
			if row.Outcome == "" {
				claimed <- row
			} else {
				s.end(row)
			}
		}
	}
	close(claimed)
	group.Wait()
	if s.BatchID != "" {
		markRepeated(rows)
	}
	err = context.Cause(sending)
	var unchecked error
	if err == nil && (atRisk || s.BatchID != "" && s.lost.Load()) {
		unchecked = s.checkMadeOnce(sending, rows)
	}
	twice, failure := s.paidTwice(context.WithoutCancel(ctx))
	if s.Twice = twice; unchecked == nil && len(twice) == 0 {
		unchecked = failure
	}
	if err == nil && unchecked != nil {
		return fmt.Errorf("%w: %w", ErrUnchecked, unchecked)
	}
	return err
}

// markRepeated marks rows as unknown if the service has answered with the transfer of an earlier row.
func markRepeated(rows []*Row) {
	first := map[string]*Row{}
	for _, row := range rows {
		switch other := first[row.ID]; {
		case row.Outcome != Created:
		case other == nil:
			first[row.ID] = row
		default:
			row.Outcome = effect.Unknown
			row.Detail = fmt.Sprintf("the service has answered with the transfer of line %d; it may take this for a repetition",
				other.Line)
		}
	}
}

// end reports that the outcome of a row is known.
func (s *Sender) end(row *Row) {
	row.write, row.entry = nil, nil
	s.Ended(row)
}

// claim claims rows. After ctx has ended they are only looked up, and left. A row whose outcome is then known is not
// sent.
func (s *Sender) claim(ctx context.Context, ahead []*Row) {
	writes := prepare(ahead)
	if ctx.Err() == nil {
		if err := s.Outbox.Claim(ctx, writes); err != nil {
			s.stop(fmt.Errorf("the rows cannot be recorded in the journal, so nothing more was sent: %w", err))
		}
	}
	var entries []journal.Entry
	hasEnded := ctx.Err() != nil // it may end at any moment
	if hasEnded {
		entries, _ = s.Outbox.Lookup(context.WithoutCancel(ctx), writes) // on an error they are not checked
	}
	for i, row := range ahead {
		s.isRow[row.write.Pending.Reference] = true
		entry := row.write.Entry()
		if entries != nil && !row.write.Claimed() {
			entry = entries[i]
		}
		row.entry = &entry
		switch {
		case s.setIfDone(row), !hasEnded:
		case entries == nil && !row.write.Claimed():
			row.setNotSent(NotChecked)
		default:
			s.leave(row)
		}
	}
}

// send attempts a row until it has its outcome. It begins no attempt after sending has ended. Attempts run in
// finishing. A panic stops the batch but not the program. The other rows are still reported, and this one is unknown.
func (s *Sender) send(sending, finishing context.Context, row *Row) {
	defer func() {
		if cause := recover(); cause != nil {
			row.Outcome, row.Detail = effect.Unknown, "payctl has a fault"
			s.stop(fmt.Errorf("payctl has a fault: %v\nPlease report it with what follows.\n\n%s", cause, debug.Stack()))
		}
	}()
	result, isBegun := s.try(sending, finishing, func(ctx context.Context) effect.Result {
		result := s.Outbox.Submit(ctx, row.write)
		if result.IsDone() && s.BatchID == "" {
			if err := s.Outbox.CheckMadeOnce(ctx, row.write, result); err != nil {
				result.Outcome, result.Err = effect.Unknown, err
			}
		}
		return result
	})
	if result.Lost || row.entry.Outcome != "" { // an earlier run may have ended before its check
		s.lost.Store(true)
	}
	shown := s.transfers[row.write.Pending.Reference]
	paid := slices.IndexFunc(shown, func(m madeResource) bool { return !payments.TransferState(m.State).Failed() })
	switch {
	case !isBegun:
		s.leave(row)
	case paid >= 0 && payments.IsProblem(result.Err, payments.ProblemPaidTwice): // Twice reports it
		row.setCreated(shown[paid], true)
	case len(shown) > 0 && result.Outcome == effect.NotSent:
		row.setNotSent(NotChecked)
	default:
		row.setOutcome(result)
	}
}

// setIfDone sets the outcome of a row that was sent, if the journal and the service both show it with the same content.
// The journal alone proves nothing: the service may have been restored since.
func (s *Sender) setIfDone(row *Row) bool {
	pending, entry := &row.write.Pending, row.entry
	isOwn := entry.Fingerprint == pending.Fingerprint && !entry.IsOfOtherWorld(pending.World)
	at := slices.IndexFunc(s.transfers[pending.Reference], func(m madeResource) bool {
		return m.ID == entry.Subject && m.BatchID == s.BatchID && m.fingerprint == pending.Fingerprint
	})
	if at < 0 || entry.Outcome != effect.Done || !isOwn {
		return false
	}
	row.setCreated(s.transfers[pending.Reference][at], true)
	return true
}

// leave sets the outcome of a row that will not be sent, by its entry in the journal. It releases a claimed row.
func (s *Sender) leave(row *Row) {
	switch {
	case s.setIfDone(row):
	case row.entry.Outcome != "" && row.entry.IsOpen():
		row.Outcome = effect.Unknown
		row.Detail = "sent before, and no answer came; run the same command again"
	case !s.isWhole, row.entry.Outcome == effect.Done, len(s.transfers[row.write.Pending.Reference]) > 0:
		row.setNotSent(NotChecked)
	default:
		row.setNotSent(effect.NotSent)
	}
	if err := s.Outbox.Release(row.write); err != nil {
		s.stop(fmt.Errorf("the result of a row cannot be recorded in the journal: %w", err))
	}
}
