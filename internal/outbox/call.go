package outbox

import (
	"context"
	"strings"

	"github.com/payctl/payctl/internal/effect"
	"github.com/payctl/payctl/internal/outbox/journal"
	"github.com/payctl/payctl/internal/payments"
)

// Call makes a call to any path. One that is the use of an operation of the contract is the same write as that of the
// command for it: a reference is paid once, whichever of them sends it. Any other write is recorded and not repeated, and
// nothing of its effect is compared. Its same line finds the open entry of an earlier attempt by its content.
//
// A write that has no key, and none can be made for, gets the one that the caller has made up.
func (o *Outbox) Call(ctx context.Context, call effect.Request, madeUp string) effect.Outcome {
	if !o.Writes(call.Method, call.Path) {
		return o.Send(ctx, call)
	}
	key := payments.Idempotency{Key: call.Key}
	op, params := o.OperationOf(call.Method, call.Path)
	var w *Write
	if isRecorded := op.Resource().Get != nil && !op.IsRead(); isRecorded {
		w = newWrite(op.ID, key, call.Body, params...)
	} else {
		path, _, _ := strings.Cut(call.Path, "?")
		w = newWrite(call.Method+" "+path, key, call.Body)
		w.Intent.Fingerprint = fingerprint(call.Method+" "+call.Path, nil, call.Body)
		w.Request.Operation = ""
	}
	if w.Intent.Key == "" {
		w.setKey(madeUp)
		if err := o.adoptOpenKey(ctx, w); err != nil {
			return effect.Outcome{Verdict: effect.NotSent, Err: notRecorded(ctx, err)}
		}
	}
	w.Request.Method, w.Request.Path, w.Request.Header = call.Method, call.Path, call.Header
	outcome := o.Submit(ctx, w)
	if outcome.IsDone() {
		outcome.Err = o.CheckMadeOnce(ctx, w, outcome)
	}
	return outcome
}

// adoptOpenKey gives a write the key of the open entry with its content, if there is one.
func (o *Outbox) adoptOpenKey(ctx context.Context, w *Write) error {
	if o.DryRun {
		return nil
	}
	return o.Journal.Each(ctx, journal.Filter{Open: true}, func(e journal.Entry) error {
		if e.Operation == w.Intent.Operation && e.Fingerprint == w.Intent.Fingerprint {
			w.setKey(e.Key)
		}
		return nil
	})
}
