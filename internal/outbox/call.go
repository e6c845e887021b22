package outbox

import (
	"context"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/effect"
	"github.com/payctl/payctl/internal/outbox/journal"
	"github.com/payctl/payctl/internal/payments"
)

// Call makes a call to any path. A use of an operation of the contract is the same write as that of its command. So a
// reference is paid once, whichever of them sends it. Any other write is recorded and not repeated, and its effect is
// not compared. Its same line finds the open entry of an earlier attempt by its content.
//
// A write that has no key, and from which none can be made, gets the caller's random key.
func (o *Outbox) Call(ctx context.Context, call effect.Request, randomKey string) effect.Result {
	if !o.Writes(call.Method, call.Path) {
		return o.Send(ctx, call)
	}
	key := payments.Idempotency{Key: call.Key}
	meant, err := o.Meaning(call)
	if err != nil {
		return effect.Result{Outcome: effect.NotSent, Err: err}
	}
	var w *Write
	op := contract.Find(meant.Operation)
	if isRecorded := op.Resource().Get != nil && !op.IsRead(); isRecorded {
		w = newWrite(op.ID, key, meant.Body, meant.Params...)
	} else {
		path, _, _ := strings.Cut(call.Path, "?")
		w = newWrite(call.Method+" "+path, key, call.Body)
		w.Pending.Fingerprint = fingerprint(call.Method+" "+call.Path, nil, call.Body, nil)
		w.Request.Operation = ""
	}
	if fault := ambiguousMember(op, meant.Body); fault != "" {
		return effect.Result{Outcome: effect.NotSent, Err: payments.NewLocalProblem(payments.ProblemInvalidRequest, nil,
			"The body cannot be sent.", "%s Nothing was sent.", fault)}
	}
	if w.Pending.Key == "" {
		w.setKey(randomKey)
		if err := o.adoptOpenKey(ctx, w); err != nil {
			return effect.Result{Outcome: effect.NotSent, Err: notRecorded(ctx, err)}
		}
	}
	w.Request.Method, w.Request.Path, w.Request.Header, w.Request.Body = call.Method, call.Path, call.Header, call.Body
	result := o.Submit(ctx, w)
	if result.IsDone() {
		result.Err = o.CheckMadeOnce(ctx, w, result)
	}
	return result
}

// ambiguousMember returns why services may read a member of a creation differently than payctl, or "".
func ambiguousMember(op *contract.Operation, body jsontext.Value) string {
	if op == nil || op.Body == nil || op.IsRead() {
		return ""
	}
	members := map[string]jsontext.Value{}
	if err := json.Unmarshal(body, &members); err != nil &&
		json.Unmarshal(body, &members, jsontext.AllowDuplicateNames(true)) == nil {
		return "It has a member twice."
	}
	for name := range members {
		for _, m := range op.Body.Members {
			if name != m.Name && strings.EqualFold(name, m.Name) {
				return fmt.Sprintf("The member %q is written %s in the contract.", name, m.Name)
			}
		}
	}
	return ""
}

// adoptOpenKey gives a write the key of an open or closed entry with the same content, if there is one.
func (o *Outbox) adoptOpenKey(ctx context.Context, w *Write) error {
	if o.DryRun {
		return nil
	}
	return o.Journal.Each(ctx, journal.Filter{Text: w.Pending.Fingerprint}, func(e journal.Entry) error {
		isOpenOrClosed := e.IsOpen() || e.Outcome == journal.OutcomeClosed
		if e.Operation == w.Pending.Operation && e.Fingerprint == w.Pending.Fingerprint && isOpenOrClosed {
			w.setKey(e.Key)
		}
		return nil
	})
}
