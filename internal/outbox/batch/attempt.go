package batch

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/payctl/payctl/internal/outbox"
	"github.com/payctl/payctl/internal/outbox/journal"
	"github.com/payctl/payctl/internal/outbox/pace"
	"github.com/payctl/payctl/internal/payments"
)

// send attempts a row until it has its outcome. When sending ends no attempt is begun; attempts run in finishing.
// After a panic it is not known how far the row came.
func (s *Sender) send(sending, finishing context.Context, j *job) {
	defer s.recoverPanic(func() { j.result.Outcome, j.result.Detail = Unknown, "payctl has a fault" })
	outcome := s.pacer.Send(sending, finishing, func(ctx context.Context) payments.Outcome {
		j.result.Requested = true
		return s.Outbox.Submit(ctx, j.write)
	})
	if outcome.IsDone() {
		made := madeOf(outcome)
		if outcome.Replayed && made.BatchID != s.BatchID {
			j.result.EarlierBatch, j.result.EarlierFile = made.BatchID, j.entry.File
		}
		j.result.setCreated(j.request, made, outcome.Replayed)
		if outcome.Replayed {
			j.result.Detail = pace.NotCompared(outcome)
		}
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

// madeOf returns what an outcome shows of the transfer that was made.
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
func (s *Sender) setIfDone(j *job) bool {
	made, isSeen := s.seen[j.result.Reference]
	entry, intent := &j.entry, &j.write.Intent
	isOwn := entry.Fingerprint == intent.Fingerprint && !entry.IsOfOtherWorld(intent.World)
	if !isSeen || entry.Outcome != journal.OutcomeDone || !isOwn || entry.Subject != made.ID {
		return false
	}
	j.result.setCreated(j.request, made, true)
	return true
}
