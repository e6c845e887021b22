package outbox

import (
	"cmp"
	"context"
	"errors"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/effect"
	"github.com/payctl/payctl/internal/outbox/journal"
	"github.com/payctl/payctl/internal/payments"
)

// A step is what to do next about a write that has an entry in the journal.
type step uint8

const (
	finish        step = iota // its outcome is known
	waitForSender             // another program is sending it
	sendAgain                 // with the same key
)

// decide handles an entry that stands in a write's way. docs/EXACTLY-ONCE.md has the cases as a table.
func (o *Outbox) decide(ctx context.Context, w *Write, entry journal.Entry) (effect.Result, step) {
	isSame := entry.Fingerprint == w.Pending.Fingerprint
	w.accepted = entry.Accepted
	switch {
	case entry.Busy:
		return effect.Result{}, waitForSender
	case entry.Outcome == journal.OutcomeClosed:
		return effect.Result{Outcome: effect.Refused, Err: closedByPerson(entry)}, finish
	case entry.Outcome == effect.Done && isSame:
		return o.confirm(ctx, w, entry)
	case entry.Outcome == effect.Done:
		return o.compareWithDone(ctx, w, entry), finish
	case !isSame && entry.Body != nil: // what was sent counts, not what this line asks for
		result := o.findAgain(ctx, writeOf(entry), entry)
		if result.IsDone() {
			entry.Ending = o.endingOf(result)
			return o.compareWithDone(ctx, w, entry), finish
		}
		return result, finish
	}
	_, hasSameBytes := o.sentAs(w, entry)
	isAllowed := isSame && entry.Key == w.Pending.Key && hasSameBytes && o.sendAgainAllowed(ctx, w.Pending, entry.Began)
	if isAllowed && entry.Subject == "" {
		return effect.Result{}, sendAgain
	}
	result := o.findAgain(ctx, w, entry) // it reads the id of an answer first
	if reason, ok := errors.AsType[*WriteError](result.Err); isAllowed && ok && !reason.IsOther && reason.IDs == nil {
		return effect.Result{}, sendAgain
	}
	return result, finish
}

// sentAs returns the request that leaves as the same bytes as an entry: the write's own, or its operation with the
// entry's body. ok is false if the profile has changed since.
func (o *Outbox) sentAs(w *Write, entry journal.Entry) (request effect.Request, ok bool) {
	request = w.Request
	if entry.Body != nil {
		request.Method, request.Path, request.Body = "", "", entry.Body
	}
	if entry.SentHash == o.Digest(request) {
		return request, true
	}
	return w.Request, entry.SentHash == o.Digest(w.Request)
}

// confirm looks at the effect of a write that the journal has as done. A service that was restored from a backup may
// have lost it, or use its id for another one (rule 5).
func (o *Outbox) confirm(ctx context.Context, w *Write, entry journal.Entry) (effect.Result, step) {
	unknown := func(err error) (effect.Result, step) {
		return effect.Result{Outcome: effect.Unknown, Err: err, Subject: entry.Subject}, finish
	}
	found, err := o.readDone(ctx, w, entry)
	switch {
	case found.IsDone():
		found.Lost, found.Shown = entry.Problem != "", entry.Shown // it may be done twice
		return found.Result, finish
	case payments.IsProblem(err, payments.ProblemAlreadySent):
		return effect.Result{Outcome: effect.Refused, Err: err, Subject: entry.Subject}, finish
	case err != nil && !isGone(err) && (entry.Subject != "" || !w.isFindable()):
		return unknown(err)
	case err == nil && w.Pending.Operation == contract.CancelTransfer.ID:
		return effect.Result{}, sendAgain // canceling twice is harmless
	case err == nil && !w.isTransfer() && found.proof == different:
		return o.refused(w, alreadyDone(entry, found.differences...), found.Subject, found.State), finish
	}
	if w.Pending.Of == "" && w.isFindable() {
		again, err := o.find(ctx, w)
		switch {
		case again.IsDone():
			o.record(entry.PendingWrite, again.Result)
			return again.Result, finish
		case err != nil && !IsNoList(err):
			return unknown(err)
		case err == nil && again.proof == different:
			return w.unproven(again).Result, finish
		}
	}
	return unknown(w.effectGone(entry))
}

// readDone reads the effect of a write that the journal has as done, and compares it. A write that a person accepted,
// and whose id the service does not show, is done as the journal has it.
func (o *Outbox) readDone(ctx context.Context, w *Write, entry journal.Entry) (found finding, err error) {
	switch {
	case entry.Subject == "" && !w.isChange() && (len(entry.Accepted) > 0 || entry.Detail == acceptedDetail):
		found.Outcome, found.Replayed = effect.Done, true
		found.Document = withID(entry.Body, strings.Join(entry.Accepted, " "))
		return found, nil
	// a submission cannot be read
	case entry.Subject == "" && !w.isChange(), w.Pending.Of != "" && !w.isFindable():
		return found, alreadyDone(entry)
	}
	if w.Expect.Shown = entry.Shown; entry.Shown == nil {
		w.Expect.Shown = map[string]string{}
	}
	found, err = o.read(ctx, w, cmp.Or(entry.Subject, entry.Of))
	if err == nil && found.proof == thin { // as when it was recorded
		found.Outcome = effect.Done
	}
	found.Subject, found.State = cmp.Or(found.Subject, entry.Subject), cmp.Or(found.State, entry.State)
	return found, err
}

// withID returns a request with an id, as the service would show it.
func withID(body jsontext.Value, id string) jsontext.Value {
	members := map[string]jsontext.Value{}
	_ = json.Unmarshal(body, &members) // nil has no members
	members["id"], _ = jsontext.AppendQuote(nil, id)
	return encode(members)
}

// compareWithDone refuses a write whose name or key belongs to a done write with other content. The error has the
// differences that the service shows.
func (o *Outbox) compareWithDone(ctx context.Context, w *Write, entry journal.Entry) effect.Result {
	found, err := o.readDone(ctx, w, entry)
	switch {
	case err == nil && found.proof == different:
		return o.refused(w, w.belongsToAnother(found), found.Subject, found.State)
	case found.IsDone() && len(found.hidden) > 0:
		found.differences = found.hidden
		return o.refused(w, w.belongsToAnother(found), found.Subject, found.State)
	case err != nil && !isGone(err) && !payments.IsProblem(err, payments.ProblemAlreadySent):
		return effect.Result{Outcome: effect.NotSent, Err: err}
	}
	return o.refused(w, w.otherContent(entry), entry.Subject, entry.State)
}

// findAgain looks for the effect of an unknown write.
func (o *Outbox) findAgain(ctx context.Context, w *Write, entry journal.Entry) effect.Result {
	found, err := o.look(ctx, w, entry.Subject, false)
	switch {
	case found.IsDone():
		o.record(entry.PendingWrite, found.Result)
		return found.Result
	case found.proof == different:
		return w.unproven(found).Result
	case err != nil && !(isGone(err) && !w.isFindable()):
		err = notLookedUp(entry, err)
	default:
		err = w.stillUnknown(entry)
	}
	return effect.Result{Outcome: effect.Unknown, Err: err, Subject: entry.Subject, State: entry.State,
		Shown: entry.Shown}
}
