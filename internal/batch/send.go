package batch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/payctl/payctl/internal/payments"
)

// A Sender sends the rows of a file.
type Sender struct {
	Service payments.Transfers
	Journal Journal
	// Prepare makes a row ready to be put down in the journal and sent.
	Prepare func(payments.NewAutoTransfer, payments.Idempotency) (payments.PreparedTransfer, error)
	// Create sends a row that was prepared.
	Create func(context.Context, payments.PreparedTransfer) (payments.MadeTransfer, error)
	// Key is the idempotency key of a reference.
	Key func(reference string) payments.Idempotency
	// Differences tells in words how a transfer differs from what is asked for.
	Differences func(payments.NewAutoTransfer, payments.Transfer) []string

	BatchID string
	// Operation is what the journal calls making a transfer, and Sample are references of the file: all, or some that stand
	// for all.
	Operation string
	Sample    []string
	// Every says that each reference is looked up before its row is sent, whatever those of the sample tell.
	Every bool
	// Concurrency is how many rows are under way at once, at most; more than zero.
	Concurrency int
	// Ahead is how many rows are put down in the journal at once, before they leave; more than zero. When the program is
	// killed, as many may be open although they never left, which only a service that honours keys settles by itself.
	Ahead int
	// Rate is how many rows may leave in a second; zero: as many as can.
	Rate int
	// Patience is for how long a service that cannot be reached is tried.
	Patience time.Duration
	// RowTimeout is how long one attempt at a row may take in all.
	RowTimeout time.Duration

	Now   func() time.Time
	Sleep func(context.Context, time.Duration) error

	known bool // whether the journal may know of rows
	paid  bool // whether rows may have been paid by another batch without the journal knowing, so that each is looked up
	gate  *gate
	stop  context.CancelCauseFunc
	lost  atomic.Int64 // rows in a row whose outcome is unknown
}

// A Report is told what became of the rows, in the order of the file, and how the batch fares. LookedUp, Trouble and Recovered
// may be called by several goroutines, beside the others.
type Report interface {
	// LookedUp tells of how many references the service has been asked before the first row is sent.
	LookedUp(done, all int)
	// Begin is called when the first row may be sent.
	Begin()
	// Row tells of the next row.
	Row(result Result) error
	// Idle is called when the next row has no outcome yet, before it is waited for.
	Idle() error
	// Trouble tells that the service cannot be reached and is tried again, once in an outage; Recovered, that it answers.
	Trouble(err error)
	Recovered()
}

// job is a row under way.
type job struct {
	row     Row
	ready   payments.PreparedTransfer
	result  Result
	look    bool          // whether its reference is to be looked up before it is sent
	settled chan struct{} // closed when the result is known; nil when it was from the start
}

// Run sends every row that was not sent before, and reports each. When the context ends nothing more is sent, what is
// under way is waited for, and the rows that remain are reported as not sent. The error says why not everything was
// sent; it is nil as well when rows were refused.
func (s *Sender) Run(ctx context.Context, source *Source, report Report) error {
	s.gate = newGate(s.Concurrency, s.Rate, s.Now, s.Sleep)
	s.gate.trouble, s.gate.recovered = report.Trouble, report.Recovered
	rows, err := source.Rows()
	if err != nil {
		return err
	}
	sending, stop := context.WithCancelCause(ctx)
	s.stop = stop
	defer stop(nil)
	if err := s.prepareAll(ctx, report); err != nil {
		stop(err) // the rows are reported all the same
	} else {
		report.Begin()
	}
	ordered, jobs := make(chan *job, 2*s.Ahead+s.Concurrency), make(chan *job, s.Ahead)
	var group sync.WaitGroup
	group.Go(func() {
		defer close(ordered)
		defer close(jobs)
		defer s.survive(func() {})
		if err := s.feed(sending, rows, ordered, jobs); err != nil {
			stop(err)
		}
	})
	for range s.Concurrency {
		group.Go(func() {
			whole := payments.Paced(context.WithoutCancel(sending))
			for j := range jobs {
				s.sendGuarded(sending, whole, j)
				close(j.settled)
			}
		})
	}
	s.collect(ordered, report)
	group.Wait()
	return context.Cause(sending)
}

// prepareAll finds out what the service has of the file already.
func (s *Sender) prepareAll(ctx context.Context, report Report) (err error) {
	if err := s.recover(ctx); err != nil {
		return err
	}
	if s.paid = s.Every; !s.paid {
		s.paid, err = s.shared(ctx, report)
	}
	return err
}

// collect reports the rows in their order.
func (s *Sender) collect(ordered <-chan *job, report Report) {
	broken := false
	for j := range ordered {
		if j.settled != nil {
			select {
			case <-j.settled:
			default:
				if !broken {
					broken = s.failed(report.Idle())
				}
				<-j.settled
			}
			j.result.Asked = j.result.Outcome != NotSent
		}
		if !broken {
			broken = s.failed(report.Row(j.result))
		}
	}
}

// failed stops the batch where nobody can be told of it.
func (s *Sender) failed(err error) bool {
	if err != nil {
		s.stop(err)
	}
	return err != nil
}

// feed reads the rows, puts them down in the journal some at a time, and hands them on.
func (s *Sender) feed(ctx context.Context, rows Rows, ordered, jobs chan<- *job) error {
	for {
		some, end := s.read(rows)
		if ctx.Err() == nil {
			if err := s.prepare(ctx, some); err != nil {
				s.stop(err)
			}
		}
		cause := context.Cause(ctx)
		for _, j := range some {
			switch {
			case j.result.Outcome != "":
			case cause != nil:
				j.notSent(cause)
			default:
				j.settled = make(chan struct{})
			}
			ordered <- j
			if j.settled != nil {
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

// read reads as many rows as are put down at once; the error says why there are not more.
func (s *Sender) read(rows Rows) ([]*job, error) {
	some := make([]*job, 0, s.Ahead)
	for len(some) < s.Ahead {
		j := &job{}
		if err := rows.Next(&j.row); err != nil {
			return some, err
		}
		request, err := j.row.request(s.BatchID)
		if err != nil {
			return some, err
		}
		if j.ready, err = s.Prepare(request, s.Key(j.row.Reference())); err != nil {
			return some, err
		}
		j.result = resultOf(&j.row)
		some = append(some, j)
	}
	return some, nil
}

// prepare looks up what the journal knows of rows and puts down the others.
func (s *Sender) prepare(ctx context.Context, some []*job) error {
	intents := make([]payments.Intent, 0, len(some))
	for _, j := range some {
		if s.known || s.paid {
			entry, found, err := s.Journal.Lookup(ctx, j.ready.Intent)
			if err != nil {
				return fmt.Errorf("the journal cannot be read: %w", err)
			}
			if found && j.done(entry) {
				j.result.created(j.ready.Request, entry.Subject, entry.State)
				j.result.Before = true
				continue
			}
			j.look = s.paid
		}
		intents = append(intents, j.ready.Intent)
	}
	if len(intents) == 0 {
		return nil
	}
	if err := s.Journal.Prepare(ctx, intents); err != nil {
		return fmt.Errorf("the rows cannot be put down in the journal, so nothing more was sent: %w", err)
	}
	return nil
}

// sendGuarded is send where a fault of the program is one row's: it is not known how far that one came.
func (s *Sender) sendGuarded(ctx, whole context.Context, j *job) {
	defer s.survive(func() { j.result.Outcome, j.result.Detail = Unknown, "payctl has a fault" })
	s.send(ctx, whole, j)
}

// survive, deferred, has a panic stop the batch in place of the program, whose rows nobody would hear of.
func (s *Sender) survive(then func()) {
	if cause := recover(); cause != nil {
		then()
		s.stop(fmt.Errorf("payctl has a fault: %v\nPlease report it with what follows.\n\n%s", cause, debug.Stack()))
	}
}

// send sends a row until it has its outcome, in a context that is not cut short when the batch stops.
func (s *Sender) send(ctx, whole context.Context, j *job) {
	for {
		if err := s.gate.enter(ctx); err != nil {
			j.notSent(err)
			return
		}
		attempt, cancel := context.WithTimeout(whole, s.RowTimeout)
		err := s.make(attempt, j)
		if err == nil {
			s.gate.leave(true)
			cancel()
			s.lost.Store(0)
			return
		}
		outcome, next := judge(err)
		switch next {
		case slower:
			if s.gate.slow(payments.RetryAfter(err)) > longestPause {
				s.stop(err)
			}
		case later:
			if s.gate.unreachable(err) > s.Patience {
				s.stop(err)
			}
		case halt:
			s.stop(err)
		case settled:
			s.brake(outcome, err)
		}
		s.gate.leave(outcome == Refused)
		if next == settled || next == halt {
			j.result.Outcome = outcome
			s.explain(attempt, j, err)
			cancel()
			return
		}
		cancel()
	}
}

// make makes the transfer of a row, or takes the one that there is.
func (s *Sender) make(ctx context.Context, j *job) error {
	if j.look {
		existing, found, err := payments.FirstTransfer(ctx, s.Service, payments.TransferFilter{Reference: j.row.Reference()})
		if err != nil {
			return err
		}
		if found {
			s.take(j, existing)
			return nil
		}
	}
	made, err := s.Create(ctx, j.ready)
	if err == nil {
		j.result.created(j.ready.Request, made.ID, string(made.State))
	}
	return err
}

// brake stops a batch of which one row after another ends as unknown, or is refused by what stands before the service: the
// next ones would too.
func (s *Sender) brake(outcome Outcome, err error) {
	refusal, refused := errors.AsType[*payments.Refusal](err)
	if outcome != Unknown && (!refused || refusal.Kind() != payments.KindRefused) {
		s.lost.Store(0)
	} else if s.lost.Add(1) >= int64(max(16, 2*s.Concurrency)) {
		s.stop(err)
	}
}

// notSent is the outcome of a row that was not reached.
func (j *job) notSent(cause error) {
	j.result.Outcome, j.result.Detail = NotSent, "the batch ended before this row"
	if refusal, ok := errors.AsType[*payments.Refusal](cause); ok {
		j.result.ProblemType = refusal.Type
	}
}
