package outbox

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
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

// A Write is a write to submit.
type Write[T any] struct {
	// Intent describes the write for the journal. Without a key, the write is sent and not recorded.
	Intent journal.Intent
	// Send sends the write, several times if the key's MaySend allows it.
	Send func(context.Context, payments.Idempotency) (payments.WriteResult[T], error)
	// Read returns the effect of a write that succeeded; nil if it cannot be read.
	Read func(ctx context.Context, subject string) (T, error)
	// Find searches for the effect; nil if the write has nothing to search by. The error is that of an effect that is
	// found and is not the write's own.
	Find func(context.Context) (value T, found bool, err error)
	// FindDuplicate searches for anything that has the external id of a write that must be the only one with it; nil if it
	// need not be. It searches before the write is sent for the first time.
	FindDuplicate func(context.Context) (value T, found bool, err error)
	// HasExternalID reports whether what another write made still has the write's external id; nil: that cannot change.
	HasExternalID func(value T) bool
	// Differs returns an error if the effect of another write is not what this one asks for; nil if that cannot be told.
	// Sent reports that the effect may well be this one's own: it was sent before.
	Differs func(value T, sent bool) error
	// Identify returns the identifier and the state of the effect.
	Identify func(T) (subject, state string)
	// LookFirst makes Find search before the write is sent for the first time, since another machine may have sent it.
	LookFirst bool
	// SkipIfUnique makes LookFirst count only if the service does not declare that it keeps references unique. A write
	// that is sent again is not looked up there either.
	SkipIfUnique bool

	// claim is the journal's answer and the time when it was given, if the write was claimed together with others.
	claim   *journal.Claim
	claimed time.Time
}

// Submit sends a write unless it was done before, and returns its effect. Replayed reports that this call did not have
// it.
func Submit[T any](ctx context.Context, o *Outbox, w Write[T]) (payments.WriteResult[T], error) {
	result, err := submit(ctx, o, w)
	problem, ok := errors.AsType[*payments.ProblemError](err)
	if ok && problem.Kind() == payments.KindOutcomeUnknown && problem.Next == "" && w.Find == nil && w.Intent.Key != "" {
		problem.Next = shell.Hint("run the same line again with --idempotency-key KEY", shell.Values{"KEY": w.Intent.Key})
	}
	return result, err
}

func submit[T any](ctx context.Context, o *Outbox, w Write[T]) (result payments.WriteResult[T], err error) {
	if o.dryRun || w.Intent.Key == "" {
		return w.Send(ctx, payments.Idempotency{Key: w.Intent.Key})
	}
	if err := o.Authorize(ctx); err != nil {
		if w.claim != nil && w.claim.Mine {
			err = o.released(w.Intent, err)
		}
		return result, err
	}
	patience, expired := o.now(), 0
	var earlier *journal.Entry // an attempt of an earlier program that this one repeats
	for {
		if w.claim == nil {
			intents := []journal.Intent{w.Intent}
			claims, claimed, err := o.claim(ctx, intents, earlier != nil)
			if err != nil {
				return result, notRecorded(ctx, err)
			}
			w.Intent, w.claim, w.claimed = intents[0], &claims[0], claimed
		}
		claim := w.claim
		w.claim = nil // it is used up
		if claim.Mine {
			result, anew, err := sendClaimed(ctx, o, w, earlier)
			switch expired++; {
			case !anew:
				return result, err
			case ctx.Err() != nil: // the time for the write passed too while the machine slept
				return result, fmt.Errorf("%w: %w", err, ctx.Err())
			case expired == maxExpired:
				return result, tooSlow(w.Intent, err)
			}
			earlier = nil
			continue
		}
		entry := claim.Entry
		earlier = nil
		action := o.decide(ctx, w.Intent, entry)
		if action != waitForSender && w.isDuplicate(entry) {
			action = refuse
		}
		switch action {
		case refuse:
			if err = refuseDuplicate(ctx, w, entry); err == nil {
				w.Intent.OneExternalID = false // the journal knows no better; the service is asked all the same
				continue
			}
		case waitForSender:
			if elapsed(patience, o.now()) >= o.timeout || o.sleep(ctx, busyPoll) != nil {
				return result, beingSent(entry)
			}
			continue
		case sendAgain:
			if earlier = &entry; entry.IsOfOtherWorld(o.World()) {
				earlier = nil
			}
			continue
		case readEffect:
			result.Value, err = w.read(ctx, entry)
		case lookUp:
			var absent bool
			if result.Value, absent, err = findAgain(ctx, o, w, entry); absent {
				continue
			}
		}
		if entry.IsOfOtherWorld(o.World()) { // the calls above have shown the world; the one of the entry no longer exists
			continue
		}
		result.Replayed = true
		return result, err
	}
}

// claim claims writes in the journal, all in one transaction, and completes their intents. It returns the time before.
func (o *Outbox) claim(
	ctx context.Context, intents []journal.Intent, takeOver bool,
) (claims []journal.Claim, claimed time.Time, err error) {
	claimed, world := o.now(), o.World()
	for i := range intents {
		intents[i].World = world
	}
	claims, err = o.journal.Claim(ctx, intents, takeOver)
	return claims, claimed, err
}

// sendClaimed sends a write that is this program's to send, and records the result. Earlier is the attempt of an
// earlier program that it repeats; nil if there was none. If anew is true, nothing was sent because what was known
// about the write has expired, and the write is to be judged anew.
func sendClaimed[T any](
	ctx context.Context, o *Outbox, w Write[T], earlier *journal.Entry,
) (result payments.WriteResult[T], anew bool, err error) {
	p := &permit{o: o, intent: w.Intent, began: w.claimed, claimed: w.claimed}
	mayRely := w.Intent.Reference != "" && (w.SkipIfUnique || earlier != nil)
	p.unique = mayRely && o.KeepsReferencesUnique(ctx)
	if earlier != nil {
		p.began, p.lost = earlier.Began, sentBefore(*earlier)
	}
	// A write is also looked up before it is sent again: the earlier program may have died before it looked, and another
	// machine may have sent the write so long ago that its key counts no more, or with another key. A service that keeps
	// references unique knows better than a lookup what it answers.
	lookFirst := w.LookFirst || w.FindDuplicate != nil && earlier != nil
	if lookFirst && w.Find != nil && !p.unique {
		p.looked = o.now() // before the service is asked: what happens while it answers is not seen
		existing, found, err := findDone(ctx, o, w, earlier != nil)
		if err != nil {
			if !found && earlier != nil {
				err = notLookedUp(*earlier, err)
			}
			return result, false, o.released(w.Intent, err)
		}
		if found {
			return existing, false, nil
		}
	}
	if w.FindDuplicate != nil && earlier == nil {
		if p.looked.IsZero() {
			p.looked = o.now()
		}
		if err := checkDuplicate(ctx, o, w); err != nil {
			return result, false, o.released(w.Intent, err)
		}
	}
	result, err = w.Send(ctx, payments.Idempotency{Key: w.Intent.Key, MaySend: p.maySend, Lost: p.lost})
	if err == nil {
		recorded := done(w.Identify(result.Value))
		if result.Replayed {
			err = w.differs(result.Value, true)
		}
		if err != nil { // what became of the write itself is not known
			recorded = journal.Result{Outcome: journal.OutcomeUnknown}
		}
		o.record(w.Intent, recorded)
		return result, false, err
	}
	recorded := resultOf(err)
	_, expired := errors.AsType[*expiredError](err)
	if recorded.Outcome == journal.OutcomeNotSent {
		return result, expired, o.released(w.Intent, err)
	}
	o.record(w.Intent, recorded)
	if recorded.Outcome == journal.OutcomeUnknown && expired && w.Find != nil {
		// An attempt was lost, and the program slept for so long that another one could pay twice. What became of the
		// first one can only be looked up.
		value, absent, findErr := findAgain(ctx, o, w, journal.Entry{Intent: w.Intent, Result: recorded, Changed: o.now()})
		if findErr == nil && !absent {
			return payments.WriteResult[T]{Value: value, Replayed: true}, false, nil
		}
		err = cmp.Or(asPaidTwice(findErr), err)
	}
	return result, false, err
}

// findDone searches for the effect of a write that the service may have had before, and records it. If the effect is not
// what the write asks for, it is found, with an error. Sent is that of Differs.
func findDone[T any](
	ctx context.Context, o *Outbox, w Write[T], sent bool,
) (result payments.WriteResult[T], found bool, err error) {
	value, found, err := w.Find(ctx)
	if err != nil || !found {
		return result, false, err
	}
	if w.Intent.IsFoundByExternalID() {
		subject, _ := w.Identify(value)
		if made, err := o.journal.MadeByAnother(ctx, w.Intent, subject); err != nil || made {
			return result, false, err
		}
	}
	if err := w.differs(value, sent); err != nil {
		return result, true, err
	}
	o.record(w.Intent, done(w.Identify(value)))
	return payments.WriteResult[T]{Value: value, Replayed: true}, true, nil
}

// released returns the error of a claimed write that was not sent, after recording that.
func (o *Outbox) released(intent journal.Intent, err error) error {
	_ = o.journal.Release(intent) // closing the journal reports a failure
	return err
}

// differs returns the error of an effect that is not what the write asks for.
func (w *Write[T]) differs(value T, sent bool) error {
	if w.Differs == nil {
		return nil
	}
	return w.Differs(value, sent)
}

// hasContentOf reports whether an entry has the key and the content of the write.
func (w *Write[T]) hasContentOf(entry journal.Entry) bool {
	return entry.Key == w.Intent.Key && (entry.BodyHash == w.Intent.BodyHash || entry.BodyHash == "")
}

// read returns the effect of a write that succeeded according to the journal.
func (w *Write[T]) read(ctx context.Context, entry journal.Entry) (value T, err error) {
	sameRequest := w.hasContentOf(entry)
	switch {
	case !sameRequest && w.Differs == nil:
		return value, otherContent(entry)
	case w.Read == nil || entry.Subject == "":
		return value, alreadyDone(entry)
	}
	value, err = w.Read(ctx, entry.Subject)
	switch {
	case entry.Client == "" && payments.IsKind(err, payments.KindNotFound):
		return value, notShown(entry, err)
	case err == nil && !sameRequest:
		err = w.Differs(value, false)
	}
	return value, err
}

// findAgain searches for the effect of a write that may have succeeded. If the service does not show it long after it
// was sent, the entry is recorded as absent, so that the write may be sent.
func findAgain[T any](ctx context.Context, o *Outbox, w Write[T], entry journal.Entry) (value T, absent bool, err error) {
	if w.Find == nil {
		return value, false, stillUnknown(entry, 0)
	}
	value, found, err := w.Find(ctx)
	if err != nil {
		return value, false, notLookedUp(entry, err)
	}
	if found {
		subject, state := w.Identify(value)
		if w.Intent.IsFoundByExternalID() {
			made, err := o.journal.MadeByAnother(ctx, w.Intent, subject)
			if err != nil || made {
				return *new(T), false, errors.Join(err, stillUnknown(entry, 0))
			}
		}
		result := done(subject, state)
		if w.Differs == nil && !w.hasContentOf(entry) {
			return value, false, otherContent(journal.Entry{Intent: entry.Intent, Result: result, Changed: entry.Changed})
		}
		if err := w.differs(value, entry.Key == w.Intent.Key); err != nil {
			return value, false, err
		}
		o.record(entry.Intent, result)
		return value, false, nil
	}
	if age := elapsed(entry.Changed, o.now()); age < AbsentAfter {
		return value, false, stillUnknown(entry, AbsentAfter-age)
	}
	entry.Result = journal.Result{Outcome: journal.OutcomeAbsent, Detail: notShownDetail}
	err = o.journal.Record(ctx, []journal.Entry{entry})
	switch {
	case err == nil, errors.Is(err, journal.ErrMoved):
		return value, true, nil
	case errors.Is(err, journal.ErrOthers):
		return value, false, stillUnknown(entry, 0)
	}
	return value, false, notRecorded(ctx, err)
}

// notShownDetail is the detail of an entry that is absent.
const notShownDetail = "The service does not show it."

// record records a result in the journal. If that fails, the entry stays open, which is safe; closing the journal
// reports the error.
func (o *Outbox) record(intent journal.Intent, result journal.Result) {
	result.World = o.World()
	_ = o.journal.End(intent, result)
}

// A permit decides about the attempts of one call.
type permit struct {
	o      *Outbox
	intent journal.Intent
	unique bool      // the service was not asked, since it keeps the reference unique
	looked time.Time // when the service was asked whether the effect is there; zero: it was not asked
	began  time.Time // when the first attempt that may have had an effect was recorded
	lost   error     // of an attempt of an earlier program

	mu      sync.Mutex
	claimed time.Time
}

// maySend implements payments.Idempotency.MaySend: it returns an error if an attempt must not leave now. To renew the
// claim takes time, so that everything else is checked again after it.
func (p *permit) maySend(ctx context.Context, lost error) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	for {
		if err := p.knows(ctx, lost); err != nil {
			return err
		}
		now := p.o.now()
		if holds(p.claimed, now, claimLifetime) {
			return nil
		}
		mine, err := p.o.journal.Renew(ctx, p.intent)
		if err != nil {
			return notRecorded(ctx, err)
		}
		if !mine {
			return &expiredError{"another program has recorded the write since"}
		}
		p.claimed = now
	}
}

// knows returns an error if what is known about the write does not allow an attempt. Lost is the error of an earlier
// attempt whose outcome is unknown, or nil.
func (p *permit) knows(ctx context.Context, lost error) error {
	if (lost != nil || p.lost != nil) && !p.o.mayRepeat(ctx, p.intent, p.began) {
		return &expiredError{"the service may not keep it from having its effect twice"}
	}
	if p.unique && !p.o.KeepsReferencesUnique(ctx) {
		return &expiredError{"the service does not declare any more that it keeps references unique"}
	}
	if !p.looked.IsZero() && !p.o.lookupHolds(ctx, p.intent, p.looked) {
		return &expiredError{"it is too long ago that the service was asked for the write"}
	}
	return nil
}

// An expiredError stops an attempt because what is known about the write is too old to rely on.
type expiredError struct{ reason string }

func (e *expiredError) Error() string { return "it was not sent, since " + e.reason }
