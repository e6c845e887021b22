package batch

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"

	"github.com/payctl/payctl/internal/outbox"
	"github.com/payctl/payctl/internal/outbox/journal"
	"github.com/payctl/payctl/internal/outbox/pace"
	"github.com/payctl/payctl/internal/payments"
)

// send attempts a row until it has its outcome. When sending ends no attempt is begun; attempts run in finishing.
// After a panic it is not known how far the row came.
func (s *Sender) send(sending, finishing context.Context, j *job) {
	defer s.recoverPanic(func() { j.result.Outcome, j.result.Detail = Unknown, "payctl has a fault" })
	outcome := s.pacer.Send(sending, finishing, func(ctx context.Context, sent *pace.Ticket) payments.Outcome {
		j.result.Requested = true
		return s.Outbox.Submit(s.withPause(ctx, j, sent), j.write)
	})
	if outcome.IsDone() {
		j.result.setCreated(j.request, outcome.Subject, outcome.State)
		j.result.Existed = outcome.Replayed
		return
	}
	if _, notBegun := errors.AsType[*pace.NotBegunError](outcome.Err); notBegun {
		s.leave(sending, j)
		return
	}
	j.result.Outcome, j.result.AbsentIn = outcome.Verdict, outcome.Wait
	j.explain(outcome)
}

// explain adds to the result of a row why it was not created.
func (j *job) explain(outcome payments.Outcome) {
	j.result.Detail = outcome.Err.Error()
	if problem, ok := errors.AsType[*payments.ProblemError](outcome.Err); ok {
		j.result.ProblemType = problem.Type
	}
	if different, ok := errors.AsType[*outbox.DifferentError](outcome.Err); ok {
		j.result.TransferID, j.result.State = outcome.Subject, outcome.State
		// The differences come first: a table may have no room for more.
		j.result.Detail = strings.Join(different.Differences, "; ") + "; the reference belongs to the transfer " + outcome.Subject
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

// setNotSent sets the result of a row that was not reached.
func (j *job) setNotSent(outcome Outcome, cause error) {
	j.result.Outcome, j.result.Detail = outcome, "the batch ended before this row"
	if outcome == NotChecked {
		j.result.Detail = "the batch ended before it was known whether this row was paid by an earlier run"
	}
	if problem, ok := errors.AsType[*payments.ProblemError](cause); ok {
		j.result.ProblemType = problem.Type
	}
}

// setIfDone sets the result of a row if its journal entry says that it was sent with the same content and created a
// transfer that still exists: in the same instance of a reference service's world. It reports whether it did.
func (j *job) setIfDone() bool {
	entry, intent := &j.entry, &j.write.Intent
	isOwn := entry.Fingerprint == intent.Fingerprint && !entry.IsOfOtherWorld(intent.World)
	if entry.Outcome != journal.OutcomeDone || !isOwn || entry.Subject == "" {
		return false
	}
	j.result.setCreated(j.request, entry.Subject, entry.State)
	j.result.Existed = true
	return true
}
