package batch

import (
	"context"
	"errors"

	"github.com/payctl/payctl/internal/payments"
)

// Statuses that decide by themselves (RFC 9110 section 15 and RFC 6585 section 4); HTTP is not this package's concern.
const (
	statusUnauthorized    = 401
	statusNotFound        = 404
	statusGone            = 410
	statusTooManyRequests = 429
	statusInternal        = 500
)

// A step is what is to be done after an attempt at a row.
type step uint8

const (
	settled step = iota // the row has its outcome
	slower              // the service is asked too often: the row is sent again, later
	later               // nothing was sent: the row is sent again, later
	halt                // nothing was sent, and no other row would fare better
)

// judge tells what an error says of a row.
func judge(err error) (Outcome, step) {
	refusal, refused := errors.AsType[*payments.Refusal](err)
	if !refused {
		return NotSent, halt // no credential, or the program ends: what was sent has a refusal of its own
	}
	switch refusal.Kind() {
	case payments.KindOutcomeUnknown, payments.KindBeingSent:
		return Unknown, settled
	case payments.KindUnreachable:
		return NotSent, later
	case payments.KindJournal, payments.KindMoved, payments.KindCredential, payments.KindInsecure, payments.KindInvalidSettings,
		payments.KindUnauthenticated, payments.KindInsufficientScope:
		return NotSent, halt
	}
	switch {
	case refusal.Status == statusTooManyRequests && refusal.RetryAfter <= longestPause:
		return NotSent, slower
	case refusal.Status == statusTooManyRequests, refusal.Status == statusUnauthorized:
		return NotSent, halt
	case refusal.Status >= statusInternal,
		refusal.Kind() == payments.KindTimeout, refusal.Kind() == payments.KindUnusable:
		return Unknown, settled // of a read that was to tell what became of the row
	}
	return Refused, settled
}

// reused is the type of the problem of a row whose reference belongs to another transfer.
const reused = payments.LocalPrefix + "reference-reused"

// explain tells of a row why it was not created.
func (s *Sender) explain(ctx context.Context, j *job, err error) {
	j.result.Detail = err.Error()
	refusal, ok := errors.AsType[*payments.Refusal](err)
	if !ok {
		return
	}
	j.result.ProblemType = refusal.Type
	if kind := refusal.Kind(); kind != payments.KindKeyReuse && kind != payments.KindAlreadySent {
		return
	}
	existing, found, err := payments.FirstTransfer(ctx, s.Service, payments.TransferFilter{Reference: j.row.Reference()})
	if err != nil || !found {
		return
	}
	s.take(j, existing)
}
