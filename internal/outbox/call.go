package outbox

import (
	"context"
	"strings"

	"github.com/payctl/payctl/internal/payments"
)

// Call makes a call to any path. One that is the use of an operation of the contract is the same write as that of the
// command for it: a reference is paid once, whichever of them sends it. Any other write is recorded and not repeated, and
// nothing of its effect is compared.
//
// A write that has no key, and none can be made for, gets the one that the caller has made up.
func (o *Outbox) Call(ctx context.Context, call payments.Request, madeUp string) payments.Outcome {
	if !o.Writes(call.Method, call.Path) {
		call.Expect.Any = true
		return o.Send(ctx, call)
	}
	key := payments.Idempotency{Key: call.Key}
	operation, params := o.OperationOf(call.Method, call.Path)
	var w *Write
	if resources[operation] != (Resource{}) {
		w = newWrite(operation, key, call.Body, params...)
	} else {
		path, _, _ := strings.Cut(call.Path, "?")
		w = newWrite(call.Method+" "+path, key, call.Body)
		w.Intent.Fingerprint = fingerprint(call.Method+" "+call.Path, nil, call.Body)
		w.Request.Operation = ""
	}
	if w.Intent.Key == "" {
		w.setKey(madeUp)
	}
	w.Request.Method, w.Request.Path, w.Request.Header = call.Method, call.Path, call.Header
	outcome := o.Submit(ctx, w)
	if outcome.IsDone() {
		outcome.Err = o.CheckPaidOnce(ctx, w)
	}
	return outcome
}
