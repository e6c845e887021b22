package batch

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"time"

	"github.com/payctl/payctl/internal/outbox"
	"github.com/payctl/payctl/internal/outbox/journal"
	"github.com/payctl/payctl/internal/outbox/pace"
	"github.com/payctl/payctl/internal/payments"
)

// send attempts a row until it has its outcome. When sending ends no attempt is begun; attempts run in finishing.
// After a panic it is not known how far the row came.
func (s *Sender) send(sending, finishing context.Context, j *job) {
	defer s.recoverPanic(func() { j.result.Outcome, j.result.Detail = Unknown, "payctl has a fault" })
	outcome, err := s.pacer.Send(sending, finishing, func(ctx context.Context, sent *pace.Ticket) error {
		j.result.Requested = true
		created, err := s.Outbox.SubmitAutoTransfer(s.withPause(ctx, j, sent), j.prepared)
		if err == nil {
			j.result.setCreated(j.prepared.Request, created.Value.ID, string(created.Value.State))
			j.result.Existed = created.Replayed && !j.prepared.Repeated()
		}
		return err
	}, j.prepared.Sent)
	if err == nil {
		return
	}
	if _, notBegun := errors.AsType[*pace.NotBegunError](err); notBegun {
		s.leave(sending, j)
		return
	}
	j.result.Outcome = outcome
	j.explain(err)
	if outcome == Unknown {
		j.result.AbsentIn = s.absentIn(finishing, j, err)
	}
}

// absentIn returns how long it takes until a row whose outcome is unknown counts as not done; zero if it may be sent
// again at once, or if nothing was sent.
func (s *Sender) absentIn(ctx context.Context, j *job, err error) time.Duration {
	if unknown, ok := errors.AsType[*outbox.StillUnknownError](err); ok {
		return unknown.Left
	}
	if !j.prepared.Sent() || s.Outbox.MayRepeat(ctx, j.prepared) {
		return 0
	}
	return outbox.AbsentAfter
}

// explain adds to the result of a row why it was not created.
func (j *job) explain(err error) {
	j.result.Detail = err.Error()
	if problem, ok := errors.AsType[*payments.ProblemError](err); ok {
		j.result.ProblemType = problem.Type
	}
	if reused, ok := errors.AsType[*outbox.ReferenceReusedError](err); ok {
		j.result.TransferID, j.result.State = reused.Existing.ID, string(reused.Existing.State)
		// The differences come first: a table may have no room for more.
		j.result.Detail = strings.Join(reused.Differences, "; ") + "; the reference belongs to the transfer " + reused.Existing.ID
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
	entry, intent := &j.entry, &j.prepared.Intent
	isOwn := entry.BodyHash == intent.BodyHash && !entry.IsOfOtherWorld(intent.World)
	if entry.Outcome != journal.OutcomeDone || !isOwn || entry.Subject == "" {
		return false
	}
	j.result.setCreated(j.prepared.Request, entry.Subject, entry.State)
	j.result.Existed = true
	return true
}
