package outbox

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/payctl/payctl/internal/outbox/journal"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/shell"
)

// busyPoll is the pause between two looks at a write that another program is sending.
const busyPoll = 50 * time.Millisecond

// maxExpired is how often a write is looked up and claimed anew because what was known had expired when it was about to
// leave. The machine may have slept once, and perhaps twice; after that the service answers too slowly.
const maxExpired = 3

// claimed is the journal's answer to a claim, and the time before it.
type claimed struct {
	journal.Claim
	at time.Time
}

// Claim claims writes in the journal, all in one transaction: they are on the disk when it returns. The caller must submit
// or release each.
func (o *Outbox) Claim(ctx context.Context, writes []*Write) error {
	return o.claim(ctx, writes, false)
}

func (o *Outbox) claim(ctx context.Context, writes []*Write, takeOver bool) error {
	at, world, intents := o.Now(), o.World(), make([]journal.Intent, len(writes))
	for i, w := range writes {
		w.Intent.World = world
		intents[i] = w.Intent
	}
	claims, err := o.Journal.Claim(ctx, intents, takeOver)
	if err != nil {
		return err
	}
	for i, w := range writes {
		w.Intent, w.claim = intents[i], &claimed{claims[i], at}
	}
	return nil
}

// Claimed reports whether a write was claimed, so that it has to be submitted or released.
func (w *Write) Claimed() bool { return w.claim != nil && w.claim.Mine }

// Entry is what the journal had about a write when it was claimed; without an outcome if it had nothing.
func (w *Write) Entry() journal.Entry {
	if w.claim == nil {
		return journal.Entry{}
	}
	return w.claim.Entry
}

// Release releases a write that was claimed and is not submitted.
func (o *Outbox) Release(w *Write) error {
	if !w.Claimed() {
		return nil
	}
	return o.Journal.Release(w.Intent)
}

// Submit sends a write unless it was done before, and returns what became of it. Every kind of write goes through it.
//
// It claims the write in the journal. If the claim is its own, it looks for the effect at the service, sends the write
// and records the outcome (send). Otherwise an entry stands in its way, and it does what the entry asks for (decide).
func (o *Outbox) Submit(ctx context.Context, w *Write) payments.Outcome {
	outcome := o.submit(ctx, w)
	problem, ok := errors.AsType[*payments.ProblemError](outcome.Err)
	if ok && problem.Kind() == payments.KindOutcomeUnknown && problem.Next == "" && w.Intent.Key != "" &&
		(!w.isFindable() || w.Request.Expect.IsChange) {
		problem.Next = shell.Hint("run the same line again with --idempotency-key KEY", shell.Values{"KEY": w.Intent.Key})
	}
	return outcome
}

func (o *Outbox) submit(ctx context.Context, w *Write) payments.Outcome {
	if o.DryRun || w.Intent.Key == "" {
		return o.Send(ctx, w.Request)
	}
	if err := o.Authorize(ctx); err != nil {
		outcome := o.notSent(w, o.unsettled(ctx, cmp.Or(w.Intent.Reference, w.Intent.ExternalID), err))
		if payments.IsKind(outcome.Err, payments.KindOutcomeUnknown) {
			outcome.Verdict = payments.Unknown
		}
		return outcome
	}
	patience, expired := o.Now(), 0
	var earlier *journal.Entry // an attempt of an earlier program that this one repeats
	for {
		if w.claim == nil {
			if err := o.claim(ctx, []*Write{w}, earlier != nil); err != nil {
				return payments.Outcome{Verdict: payments.NotSent, Err: notRecorded(ctx, err)}
			}
		}
		claim := *w.claim
		if claim.Mine {
			outcome := o.send(ctx, w, claim.at, earlier)
			w.claim = nil // it is used up
			if _, isExpired := errors.AsType[*expiredError](outcome.Err); !isExpired ||
				outcome.Verdict != payments.NotSent {
				return outcome
			}
			if expired++; expired == maxExpired || ctx.Err() != nil { // the time for the write may have passed, too
				outcome.Err = tooSlow(w.Intent, cmp.Or(ctx.Err(), outcome.Err))
				return outcome
			}
			earlier = nil
			continue
		}
		entry := claim.Entry
		w.claim, earlier = nil, nil
		outcome, next := o.decide(ctx, w, entry)
		switch {
		case next == claimAgain, entry.IsOfOtherWorld(o.World()):
			// The calls have shown the world; the one of the entry no longer exists.
		case next == takeOver:
			earlier = &entry
			if entry.Body != nil {
				w.Request.Body, w.Intent.Body = entry.Body, entry.Body // a key stands for the bytes that it was sent with
			}
		case next == waitForSender:
			if elapsed(patience, o.Now()) >= o.Timeout || o.Sleep(ctx, busyPoll) != nil {
				return payments.Outcome{Verdict: payments.Unknown, Err: beingSent(entry)}
			}
		default:
			return outcome
		}
	}
}

// send sends a write that is this program's to send, and records the outcome. Earlier is the attempt of an earlier
// program that it repeats; nil if there was none. An outcome with an expiredError says that nothing was sent because what
// was known about the write has expired: the write is to be judged anew.
func (o *Outbox) send(ctx context.Context, w *Write, at time.Time, earlier *journal.Entry) payments.Outcome {
	p := &permit{o: o, intent: w.Intent, began: at, claimed: at}
	request := w.Request
	request.MaySend = p.ask
	if earlier != nil {
		p.began, p.lost = earlier.Began, sentBefore(*earlier)
		request.Lost = p.lost
	}
	if outcome, found := o.lookFirst(ctx, w, p, earlier); found {
		return outcome
	}
	outcome := o.Send(ctx, request)
	_, isExpired := errors.AsType[*expiredError](outcome.Err)
	sentBefore := earlier != nil || p.repeated
	switch {
	case outcome.Verdict == payments.NotSent && outcome.Answer == nil:
		return o.notSent(w, outcome.Err)
	case w.Intent.Reference != "" && isReferenceTaken(outcome.Err),
		outcome.Verdict == payments.Refused && sentBefore && w.Intent.Of == "" && w.isFindable():
		// The reference, or the key that is made of it, belongs to a transfer that the service knows. Or the repetition of
		// an attempt to create something was refused, perhaps for a limit that the lost attempt has used up. That may be on
		// its way even now: a service that honours keys need not keep the key of what it refuses.
		outcome = o.findTaken(ctx, w, outcome, sentBefore)
	case outcome.Verdict == payments.Unknown && isExpired && w.isFindable():
		// An attempt was lost, and the program slept for so long that another one could pay twice. What became of the first
		// one can only be looked up.
		if found, err := o.find(ctx, w); found.IsDone() {
			outcome = found.Outcome
			outcome.Replayed = false // it is that attempt's effect
		} else {
			outcome.Err = cmp.Or(asPaidTwice(err), outcome.Err)
		}
	}
	outcome.Attempts = p.attempts
	outcome.Replayed = outcome.Replayed && !p.repeated // after a lost attempt of this call, it is that one's effect
	if outcome.IsDone() && outcome.Replayed && w.Intent.IsNamedByExternalID() {
		// The answer was kept with the key. What it shows may have been deleted since.
		if _, err := o.read(ctx, w, outcome.Subject); isGone(err) {
			outcome = payments.Outcome{Verdict: payments.Refused, Err: deletedSince(w, outcome.Subject), Attempts: p.attempts}
		}
	}
	o.record(w.Intent, outcome)
	return outcome
}

// lookFirst asks the service whether the effect of a write is there before it is sent. Another machine may have sent it,
// or an earlier program may have died before it looked. A service that keeps references unique knows better than a lookup
// what it answers. Found reports that nothing is to be sent.
func (o *Outbox) lookFirst(
	ctx context.Context, w *Write, p *permit, earlier *journal.Entry,
) (outcome payments.Outcome, found bool) {
	p.unique = w.Intent.Reference != "" && o.KeepsReferencesUnique(ctx)
	hasTrace := w.Intent.Reference != "" || w.Intent.IsNamedByExternalID()
	if (hasTrace || earlier != nil) && w.isFindable() && !p.unique {
		o.awaitLists(ctx, o.started)
		p.looked = o.Now() // before the service is asked: what happens while it answers is not seen
		seen, err := o.find(ctx, w)
		switch {
		case err != nil && earlier != nil:
			return o.notSentAgain(w, notLookedUp(*earlier, err)), true
		case payments.IsKind(err, payments.KindOutcomeUnknown), payments.IsKind(err, payments.KindPaidTwice):
			return o.notSentAgain(w, err), true // something is there
		case err != nil:
			return o.notSent(w, err), true
		case seen.other:
			return o.refused(w, seen.Err, seen.Subject, seen.State), true
		case seen.IsDone():
			o.record(w.Intent, seen.Outcome)
			return seen.Outcome, true
		}
	}
	return payments.Outcome{}, false
}

// findTaken looks for the transfer to which the reference or the key of a refused write may belong. If none is shown and
// the write was sent before, it is not known whether there is one. Lists may show it later than the service knows it.
func (o *Outbox) findTaken(ctx context.Context, w *Write, refused payments.Outcome, sentBefore bool) payments.Outcome {
	_ = o.Sleep(ctx, o.ListLag) // a context that ends is noticed by the next call
	found, err := o.find(ctx, w)
	switch {
	case found.IsDone():
		return found.Outcome
	case found.other:
		refused.Err, refused.Subject, refused.State = found.Err, found.Subject, found.State
	default:
		refused.Err = cmp.Or(asPaidTwice(err), refused.Err)
		if sentBefore {
			refused.Verdict, refused.Err = payments.Unknown, refusedAfterLost(w.Intent, refused.Err)
		}
	}
	return refused
}

// isReferenceTaken reports whether a new transfer was refused because its key or its reference was used before.
func isReferenceTaken(err error) bool {
	return payments.IsKind(err, payments.KindKeyReuse) || payments.IsKind(err, payments.KindReferenceInUse)
}

// notSent is the outcome of a write that was not sent, after recording that if it was claimed.
func (o *Outbox) notSent(w *Write, err error) payments.Outcome {
	if w.Claimed() {
		_ = o.Journal.Release(w.Intent) // closing the journal reports a failure
	}
	w.claim = nil
	return payments.Outcome{Verdict: payments.NotSent, Err: err}
}

// refused is the outcome of a write that is not sent since its reference or external id belongs to something else.
func (o *Outbox) refused(w *Write, err error, id, state string) payments.Outcome {
	outcome := payments.Outcome{Verdict: payments.Refused, Err: err, Subject: id, State: state}
	if w.Claimed() {
		o.record(w.Intent, outcome)
	}
	w.claim = nil
	return outcome
}

// notSentAgain is the outcome of a write that this program has not sent, and that may have been sent before.
func (o *Outbox) notSentAgain(w *Write, err error) payments.Outcome {
	outcome := o.notSent(w, err)
	outcome.Verdict = payments.Unknown
	return outcome
}

// record records an outcome in the journal. If that fails, the entry stays open, which is safe; closing the journal
// reports the error.
func (o *Outbox) record(intent journal.Intent, outcome payments.Outcome) {
	result := journal.Result{Outcome: outcome.Verdict, World: o.World()}
	if outcome.IsDone() {
		result.Subject, result.State = outcome.Subject, outcome.State
	} else if problem, ok := errors.AsType[*payments.ProblemError](outcome.Err); ok {
		result.Problem, result.Detail = problem.Type, problem.Detail
	}
	_ = o.Journal.End(intent, result)
}

// awaitLists waits until lists show what happened before a time (Options.ListLag), at a service where nothing but a lookup
// keeps a write from being made twice.
func (o *Outbox) awaitLists(ctx context.Context, since time.Time) {
	if left := o.ListLag - elapsed(since, o.Now()); left > 0 && !o.HonoursKeys(ctx, false) {
		_ = o.Sleep(ctx, left) // a context that ends is noticed by the next call
	}
}
