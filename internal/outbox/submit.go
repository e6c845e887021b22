package outbox

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/payctl/payctl/internal/effect"
	"github.com/payctl/payctl/internal/outbox/journal"
	"github.com/payctl/payctl/internal/payments"
)

// busyPoll is the pause between two looks at a write that another program is sending.
const busyPoll = 50 * time.Millisecond

// maxExpired is how often a write is looked up and claimed again because its checks expired before it left. A machine
// that sleeps causes one or two. After that the service answers too slowly.
const maxExpired = 3

// claimed is the journal's answer to a claim, and when it was asked.
type claimed struct {
	journal.Claim
	at time.Time
}

// Claim claims writes in the journal, in one transaction. They are on the disk when it returns. The caller must submit
// or release each.
func (o *Outbox) Claim(ctx context.Context, writes []*Write) error {
	return o.claim(ctx, writes, journal.First)
}

func (o *Outbox) claim(ctx context.Context, writes []*Write, mode journal.Mode) error {
	at, world, intents := o.Now(), o.World(), make([]journal.PendingWrite, len(writes))
	for i, w := range writes {
		w.Pending.World, w.Pending.SentHash = world, o.Digest(w.Request)
		w.Pending.AcceptsPayee = w.Pending.AcceptsPayee || o.AcceptPayee
		intents[i] = w.Pending
	}
	claims, err := o.Journal.Claim(ctx, intents, mode)
	if err != nil {
		return err
	}
	for i, w := range writes {
		w.Pending, w.claim = intents[i], &claimed{claims[i], at}
	}
	return nil
}

// Claimed reports whether the write is ours. The caller must submit or release it.
func (w *Write) Claimed() bool { return w.claim != nil && w.claim.Mine }

// Entry is what the journal had about a write when it was claimed. It has no outcome if the journal had nothing.
func (w *Write) Entry() journal.Entry {
	if w.claim == nil {
		return journal.Entry{}
	}
	return w.claim.Entry
}

// Release releases a claimed write that is not submitted.
func (o *Outbox) Release(w *Write) error {
	if !w.Claimed() {
		return nil
	}
	return o.Journal.End(w.Pending, journal.Ending{Outcome: effect.NotSent})
}

// Submit sends a write unless it was done before, and returns what became of it. Every kind of write goes through it.
//
// It claims the write in the journal. If the claim is its own, it looks for the effect at the service, sends the write
// and records the outcome (send). Otherwise an entry stands in its way, and it does what the entry asks for (decide).
func (o *Outbox) Submit(ctx context.Context, w *Write) effect.Result {
	result := o.submit(ctx, w)
	if result.Outcome == effect.Unknown {
		result.Err = w.asUnknown(result.Err)
	}
	return result
}

func (o *Outbox) submit(ctx context.Context, w *Write) effect.Result {
	if o.DryRun || w.Pending.Key == "" {
		if err := o.checkReference(w); err != nil {
			return o.notSent(w, err)
		}
		return o.prove(ctx, w, o.Send(ctx, w.Request)).Result
	}
	err := o.Authorize(ctx)
	if err == nil {
		err = o.readPayee(ctx, w)
	}
	if err != nil {
		result := o.notSent(w, o.Unsettled(ctx, err, w))
		if payments.IsProblem(result.Err, payments.ProblemOutcomeUnknown) {
			result.Outcome = effect.Unknown
		}
		return result
	}
	if w.Pending.HasRandomKey() && !w.isFindable() && w.claim == nil {
		if err := o.adoptOpenKey(ctx, w); err != nil {
			return effect.Result{Outcome: effect.NotSent, Err: notRecorded(ctx, err)}
		}
	}
	waiting, expired, mode := o.Now(), 0, w.mode
	var earlier *journal.Entry // the earlier program's attempt that this one repeats
	for {
		if w.claim == nil {
			if err := o.claim(ctx, []*Write{w}, mode); err != nil {
				return effect.Result{Outcome: effect.NotSent, Err: notRecorded(ctx, err)}
			}
		}
		claim := *w.claim
		if claim.Refused != nil {
			w.claim = nil
			if result, allowed := o.holdBack(ctx, w, claim.Refused, earlier); !allowed {
				return result
			}
			continue
		}
		if claim.Mine {
			if w.Pending.File == "" && !w.Pending.Repeats && expired == 0 {
				if other := o.Similar(ctx, w); other != "" {
					o.Note("Similar to " + other + ": " + w.Pending.Amount + " " + w.Pending.Currency +
						" to the same contact in the last 72 hours.")
				}
			}
			result := o.send(ctx, w, claim.at, earlier)
			w.claim = nil // it is used up
			if _, isExpired := errors.AsType[*expiredError](result.Err); !isExpired ||
				result.Outcome != effect.NotSent {
				return result
			}
			if expired++; expired == maxExpired || ctx.Err() != nil { // the time for the write may be over too
				result.Err = tooSlow(w.Pending, cmp.Or(ctx.Err(), result.Err))
				return result
			}
			earlier, mode = nil, w.mode
			continue
		}
		entry := claim.Entry
		w.claim, earlier, mode = nil, nil, w.mode
		result, next := o.decide(ctx, w, entry)
		switch {
		case next != waitForSender && entry.IsOfOtherWorld(o.World()):
			// The calls have shown that the world of the entry no longer exists.
		case next == sendAgain:
			earlier, mode = &entry, journal.Again
			w.Request, _ = o.sentAs(w, entry) // a key stands for the bytes that it was sent with
			if entry.Body != nil {
				w.Pending.Body = entry.Body
			}
			if entry.Outcome == effect.Done { // a cancellation that was undone
				earlier, mode, w.Pending.Replaces = nil, journal.Anew, &entry
			}
		case next == waitForSender:
			if elapsed(waiting, o.Now()) >= o.Timeout || o.Sleep(ctx, busyPoll) != nil {
				return effect.Result{Outcome: effect.Unknown, Err: beingSent(entry)}
			}
		default:
			return result
		}
	}
}

// caution tells a person once, before the first payment at a service, what to know about the service.
func (o *Outbox) caution(ctx context.Context, w *Write) {
	if o.warned.Swap(true) {
		return
	}
	cautions := o.Cautions(w.Expect.Body)
	if len(cautions) == 0 {
		return
	}
	hasPaid := errors.New("there was a payment")
	err := o.Journal.Each(ctx, journal.Filter{}, func(e journal.Entry) error {
		if e.Operation == w.Pending.Operation && e.Outcome == effect.Done {
			return hasPaid
		}
		return nil
	})
	for _, text := range cautions {
		if !errors.Is(err, hasPaid) {
			o.Note(text)
		}
	}
}

// send sends a write that this program has claimed, and records the outcome. Earlier is the earlier program's attempt
// that it repeats. Nil means there was none. An expiredError in the outcome means that the checks expired and nothing
// was sent. The write must then be claimed again.
func (o *Outbox) send(ctx context.Context, w *Write, at time.Time, earlier *journal.Entry) effect.Result {
	if err := o.checkReference(w); err != nil && earlier == nil {
		return o.notSent(w, err)
	}
	p := &sendCheck{o: o, pending: w.Pending, began: at, claimed: at}
	if !w.began.IsZero() {
		p.began = w.began
	}
	if w.isTransfer() {
		o.caution(ctx, w)
	}
	request := w.Request
	request.MaySend = p.ask
	if earlier != nil {
		p.began, p.lost = earlier.Began, sentBefore(*earlier)
		request.Lost = p.lost
	}
	if result, found := o.lookFirst(ctx, w, p, earlier); found {
		return result
	}
	answer := o.Send(ctx, request)
	wasSent := earlier != nil || p.repeated || w.mode == journal.Anew // before the last attempt
	if answer.Outcome == effect.NotSent && answer.Response == nil {
		return o.notSent(w, answer.Err)
	}
	answer.Attempts, answer.Lost = p.attempts, wasSent
	answer.Replayed = answer.Replayed && !p.repeated // the replayed effect is that of a lost attempt of this call
	found := o.prove(ctx, w, answer)
	if o.mustLookUp(w, found.Result, wasSent) {
		found = o.lookUp(ctx, w, found, wasSent || !p.looked.IsZero())
	} else if found.Outcome == effect.Refused && wasSent {
		found.Outcome, found.Err = effect.Unknown, w.refusedAfterLost(found.Err)
	}
	if found.IsDone() && (found.Replayed || w.mode == journal.Anew) && w.Resource.Get != nil {
		// The answer was kept with the key. Its effect may have been deleted or undone since.
		switch now, err := o.read(ctx, w, found.Subject); {
		case isGone(err) && w.creates():
			found.Outcome, found.Err = effect.Unknown, w.deletedSince(found.Subject)
		case err == nil && now.proof == different && !w.creates():
			found = w.unproven(now)
		}
	}
	return o.settle(ctx, w, found)
}

// mustLookUp reports whether a lookup must tell what became of a change, or of a creation with a name. A refusal may
// mean that it exists, or that a lost attempt has used up a limit. An attempt without an answer, before the program
// slept, may have had its effect.
func (o *Outbox) mustLookUp(w *Write, answer effect.Result, wasSent bool) bool {
	const conflict, failed, unprocessable = 409, 412, 422
	if !w.isFindable() {
		return false
	}
	_, isExpired := errors.AsType[*expiredError](answer.Err)
	saysExists := answer.Response != nil && slices.Contains([]int{conflict, failed, unprocessable}, answer.Response.Status)
	return answer.Outcome == effect.Refused && (saysExists || wasSent) ||
		answer.Outcome == effect.Unknown && (saysExists || isExpired)
}

// lookUp looks for the effect of a write that was refused or is unknown. MayBeOurs reports that the effect was not
// there before this write. Lists may show an effect late.
func (o *Outbox) lookUp(ctx context.Context, w *Write, answer finding, mayBeOurs bool) finding {
	wasSent := answer.Lost
	if o.ListLag > 0 {
		_ = o.Sleep(ctx, o.ListLag) // a context that ends is noticed by the next call
	}
	found, err := o.find(ctx, w)
	switch {
	case found.IsDone():
		found.Attempts, found.Lost, found.Response = answer.Attempts, answer.Lost, answer.Response
		found.Replayed = !wasSent // otherwise that attempt made it
		return found
	case found.proof == different && !mayBeOurs && !found.isScaled && w.creates():
		answer.Err, answer.Subject, answer.State = w.belongsToAnother(found), found.Subject, found.State
	case found.proof == different && (w.creates() || wasSent):
		return w.unproven(found)
	case payments.IsProblem(err, payments.ProblemPaidTwice):
		answer.Outcome, answer.Err = effect.Unknown, err
	case answer.Outcome == effect.Refused && wasSent:
		answer.Outcome, answer.Err = effect.Unknown, w.refusedAfterLost(answer.Err)
	case answer.Outcome == effect.Refused && err != nil && (!IsNoList(err) || o.HasList()):
		answer.Outcome, answer.Err = effect.Unknown, w.refusedUnseen(answer.Err, err)
	}
	return answer
}

// lookFirst looks for the effect of a write before it is sent. Another machine may have sent it, or an earlier program
// may have died before it looked. A service that keeps references unique needs no lookup: its answer tells more. Found
// reports that nothing may be sent.
func (o *Outbox) lookFirst(
	ctx context.Context, w *Write, p *sendCheck, earlier *journal.Entry,
) (result effect.Result, found bool) {
	p.unique = w.Pending.Reference != "" && o.KeepsReferencesUnique(ctx)
	hasTrace := w.Pending.Reference != "" || w.Pending.IsNamedByExternalID()
	if !hasTrace && earlier == nil || !w.isFindable() || p.unique || o.ListLag == ListsAreUseless && w.creates() {
		return result, false
	}
	o.awaitLists(ctx, o.started)
	looked := o.Now() // before the service is asked: its answer may not show what happens meanwhile
	seen, err := o.find(ctx, w)
	switch {
	case IsNoList(err) && w.creates() && o.isProtected(ctx, w):
		return result, false // the service protects it
	case IsNoList(err) && w.creates() && earlier == nil:
		return o.notSent(w, w.noList(err)), true
	case err != nil && earlier != nil:
		result = o.notSent(w, notLookedUp(*earlier, err))
		result.Outcome = effect.Unknown
		return result, true
	case payments.IsProblem(err, payments.ProblemOutcomeUnknown), payments.IsProblem(err, payments.ProblemPaidTwice):
		if near, ok := errors.AsType[*WriteError](err); ok && near.looksAlike && w.mode == journal.Anew {
			break // a person has decided that it is another one
		}
		result = effect.Result{Outcome: effect.Unknown, Err: err} // a person may accept what is there
		o.recordUnsent(w.Pending, result)
		return result, true
	case err != nil:
		return o.notSent(w, err), true
	case seen.proof == different && (earlier != nil || seen.isScaled || w.mode == journal.Anew):
		result = w.unproven(seen).Result
		o.recordUnsent(w.Pending, result)
		return result, true
	case seen.proof == different:
		return o.refused(w, w.belongsToAnother(seen), seen.Subject, seen.State), true
	case seen.IsDone():
		o.recordUnsent(w.Pending, seen.Result)
		return seen.Result, true
	}
	p.looked = looked
	return result, false
}

// notSent is the outcome of a write that was not sent, after recording that if it was claimed.
func (o *Outbox) notSent(w *Write, err error) effect.Result {
	_ = o.Release(w) // closing the journal reports a failure
	w.claim = nil
	return effect.Result{Outcome: effect.NotSent, Err: err}
}

// refused is the outcome of a write that is not sent since its reference or external id belongs to something else.
func (o *Outbox) refused(w *Write, err error, id, state string) effect.Result {
	result := effect.Result{Outcome: effect.Refused, Err: err, Subject: id, State: state}
	if w.Claimed() {
		o.record(w.Pending, result)
	}
	w.claim = nil
	return result
}

// record records an outcome in the journal. If that fails, the entry stays open, which is safe; closing the journal
// reports the error.
func (o *Outbox) record(pending journal.PendingWrite, result effect.Result) {
	_ = o.Journal.End(pending, o.endingOf(result))
}

// recordUnsent records the outcome of a write that was claimed and not sent. It does not count towards limits.
func (o *Outbox) recordUnsent(pending journal.PendingWrite, result effect.Result) {
	ending := o.endingOf(result)
	ending.IsUnsent = true
	_ = o.Journal.End(pending, ending)
}

// endingOf is what the journal keeps of a result. An unknown one keeps the id and what is shown (rule 3).
func (o *Outbox) endingOf(result effect.Result) journal.Ending {
	ending := journal.Ending{Outcome: result.Outcome, World: o.World()}
	if result.IsDone() || result.Outcome == effect.Unknown {
		ending.Subject, ending.State, ending.Shown = result.Subject, result.State, result.Shown
	}
	if problem, ok := errors.AsType[*payments.ProblemError](result.Err); ok {
		ending.Problem, ending.Detail = problem.Type, problem.Detail
	}
	return ending
}

// awaitLists waits until lists show what happened before a time (Options.ListLag). It waits only where keys do not
// protect the write.
func (o *Outbox) awaitLists(ctx context.Context, since time.Time) {
	if left := o.ListLag - elapsed(since, o.Now()); left > 0 && !o.HonoursKeys(ctx, false) {
		_ = o.Sleep(ctx, left) // a context that ends is noticed by the next call
	}
}
