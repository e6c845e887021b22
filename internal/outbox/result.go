package outbox

import (
	"context"
	"errors"

	"github.com/payctl/payctl/internal/outbox/journal"
	"github.com/payctl/payctl/internal/payments"
)

// done is the result of a write that had its effect.
func done(subject, state string) journal.Result {
	return journal.Result{Outcome: journal.OutcomeDone, Subject: subject, State: state}
}

// resultOf returns what the journal records about a write that ended with an error.
func resultOf(err error) journal.Result {
	_, isNotSent := errors.AsType[*payments.NotSentError](err)
	_, isExpired := errors.AsType[*expiredError](err)
	problem, isProblem := errors.AsType[*payments.ProblemError](err)
	isUnknown := isProblem && problem.Kind() == payments.KindOutcomeUnknown // even if another attempt was not sent
	switch {
	case !isUnknown && isNotSent, !isProblem && (isExpired || errors.Is(err, context.Canceled)):
		return journal.Result{Outcome: journal.OutcomeNotSent}
	case !isProblem:
		return journal.Result{Outcome: journal.OutcomeUnknown}
	}
	result := journal.Result{
		Outcome: journal.OutcomeRefused, Status: problem.Status, Problem: problem.Type, Detail: problem.Detail,
	}
	switch problem.Kind() {
	case payments.KindOutcomeUnknown:
		result.Outcome = journal.OutcomeUnknown
	case payments.KindUnreachable, payments.KindInvalidRequest, payments.KindInvalidSettings, payments.KindCredential,
		payments.KindInsecure, payments.KindJournal:
		result.Outcome = journal.OutcomeNotSent
	}
	return result
}
