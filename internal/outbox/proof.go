package outbox

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/effect"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/wait"
)

// The rules of proof, in the order that they apply. docs/EXACTLY-ONCE.md has them for users.
//
//  1. Only a person decides that a write which may have left did not happen. It is sent again only where the service
//     makes that harmless: it keeps references unique, or it honours the key (send_check.go). Elsewhere payctl looks
//     for the effect. A lookup that shows it settles the write. A lookup that does not leaves the write unknown.
//  2. A person settles the rest with resolve --accept, --resend and --dismiss (resolve.go).
//  3. An id is evidence. The journal keeps the id of every 2xx answer to a creation, and later runs read it first.
//  4. Done is proven by content (examine, prove).
//  5. An effect is gone if a read of its id answers 404 or 410 or shows another reference, and a lookup does not show
//     it (isGone, confirm). payctl does not send it again without a person.
//  6. The outcome decides the exit code: an unknown write has an unknown error (asUnknown).
//  7. If only a lookup can detect a second machine, a write ends with a lookup (CheckMadeOnce).
//  8. One effect belongs to one write: an id that another write has is ours only if a read or a list shows our
//     reference (settle).
//  9. The same text is the same payment: fingerprints are made of contract words (fingerprint).

// A proof is what a document of the service proves of a write (rule 4).
type proof uint8

const (
	thin      proof = iota // nothing differs, but it does not identify the write
	different              // something is shown differently than it was sent
	proven
)

// A finding is a document of the service, compared with a write.
type finding struct {
	effect.Result // without an outcome unless it is proven
	proof
	differences []string // one a line
	hidden      []string // members that are not shown, one a line
	isComplete  bool     // every member is shown as it was sent
	isUnrelated bool     // it shows members, but none that was sent
	isDoubtful  bool     // it reports an error
	isScaled    bool     // its amount may be the one that was sent: in minor units, or after fees
}

// examine compares a document with what a write asks for. Shown are its members. Nil means that they were not
// read.
func (w *Write) examine(document jsontext.Value, shown effect.Members) (found finding) {
	var err error
	if shown == nil {
		shown, err = effect.Object(document)
	}
	found.Document, found.Members = document, shown
	found.Subject, found.State = shown.Identify()
	if found.isDoubtful = saysError(shown); err != nil {
		return found
	}
	compared := w.Expect.Compare(shown)
	found.NotCompared, found.Near, found.Shown = compared.NotCompared(), compared.Near(), compared.Accepted()
	found.differences, found.hidden = compared.Differences(), compared.Hidden()
	found.isComplete, found.isScaled = compared.IsComplete(), compared.IsScaled()
	fault := w.Expect.Fault(compared)
	if !w.creates() {
		if found.proof = proven; fault != "" {
			found.proof, found.differences = different, append(found.differences, "the answer "+fault)
		}
		return found.judged()
	}
	// Without an amount, the transfer later shows what has arrived.
	if w.isTransfer() && effect.Text(w.Expect.Body, "amount") == "" && w.Expect.Shown == nil {
		if there := shown.Text("amount"); there != "" {
			found.differences = append(found.differences, "amount: there "+there+", here whatever arrives")
		}
	}
	for _, m := range compared {
		found.isUnrelated = found.isUnrelated || m.Likeness == effect.Unrelated
		if m.Likeness == effect.Unreadable && m.Name != "id" && fault != "" {
			found.differences = append(found.differences, m.Name+": there "+m.There+", here "+m.Here)
		}
	}
	switch {
	case len(found.differences) > 0:
		found.proof = different
	case found.Subject != "" && !found.isUnrelated && !found.isDoubtful && w.isIdentified(compared):
		found.proof = proven
	}
	return found.judged()
}

func (f finding) judged() finding {
	if f.proof == proven {
		f.Outcome = effect.Done
	}
	return f
}

// isIdentified reports whether a comparison shows whose effect a document is. It must show the name of the write, and
// of a transfer also the amount or the contact.
func (w *Write) isIdentified(compared effect.Comparison) bool {
	names := []string{"email", "label", "holderName"}
	if w.Pending.ExternalID != "" {
		names = []string{"externalId"}
	}
	if w.isTransfer() {
		names = []string{"reference", "externalId"}
		if !compared.Has("amount") && !compared.Has("destinationSavedContactId") {
			return false
		}
		if !w.isNamed() {
			return true
		}
	}
	return slices.ContainsFunc(names, compared.Has)
}

// saysError reports whether a document says that there was an error.
func saysError(shown effect.Members) bool {
	return shown.HasError() || strings.EqualFold(shown.Text("state"), "error") ||
		strings.EqualFold(shown.Text("status"), "error") || shown.Text("success") == "false"
}

// prove decides what a complete 2xx answer proves (rules 3 and 4). If the answer shows too little, prove reads its id
// and looks the write up. A doubtful answer is looked up until the time for one call is over.
func (o *Outbox) prove(ctx context.Context, w *Write, answer effect.Result) (found finding) {
	if answer.Outcome != effect.Done || w.Expect.Any {
		return finding{Result: answer}
	}
	carry := func(from finding) finding {
		from.Response, from.Replayed, from.Attempts, from.Lost = answer.Response, answer.Replayed, answer.Attempts,
			answer.Lost
		return from
	}
	found = carry(w.examine(answer.Document, answer.Members))
	if !w.creates() {
		found.Subject, found.State = cmp.Or(answer.Subject, found.Subject), cmp.Or(answer.State, found.State)
	}
	const accepted = 202 // RFC 9110 section 15.3.3
	isOnlyAccepted := answer.Response != nil && answer.Response.Status == accepted
	// Alone it proves nothing. What cannot be looked up has no other proof.
	doubtful := (isOnlyAccepted || found.isDoubtful) && (w.creates() || w.isFindable())
	switch {
	case found.proof == different:
		return w.unproven(found)
	case found.proof == proven && !doubtful:
		return found
	}
	backoff, began := wait.Backoff{First: 250 * time.Millisecond, Longest: 4 * time.Second}, o.Now()
	for attempt := 1; ; attempt++ {
		seen, err := o.look(ctx, w, found.Subject, !doubtful)
		isThere := err == nil && !doubtful && seen.Document != nil && !seen.isUnrelated && !seen.isDoubtful &&
			!payments.TransferState(seen.State).Failed()
		switch {
		case seen.proof == different:
			return w.unproven(carry(seen))
		case seen.proof == proven, isThere:
			seen.Outcome = effect.Done
			return carry(seen)
		case !doubtful, elapsed(began, o.Now()) >= o.Timeout, o.Sleep(ctx, backoff.Pause(attempt, 0)) != nil:
			found.Outcome, found.Err = effect.Unknown, w.notProven(found.Subject, err)
			return found
		}
	}
}

// unproven is the outcome if the service shows something else than was sent.
func (w *Write) unproven(found finding) finding {
	found.Outcome, found.Err = effect.Unknown, w.shownDifferently(found)
	return found
}

// look reads the id that an answer has shown. If that does not prove the write, it looks the name up. With takesThin, a
// read that shows less is enough. The error is why nothing is shown.
func (o *Outbox) look(ctx context.Context, w *Write, id string, takesThin bool) (seen finding, err error) {
	if id != "" && w.creates() && w.Resource.Get != nil {
		seen, err = o.read(ctx, w, id)
		if err == nil && (seen.proof == proven || takesThin && seen.proof == thin) {
			return seen, nil
		}
	}
	if !w.isFindable() {
		return seen, err
	}
	found, failure := o.find(ctx, w)
	if found.proof == proven || seen.proof != different && err == nil && failure == nil && found.Document != nil {
		return found, nil
	}
	if seen.Subject = cmp.Or(seen.Subject, id); err == nil || isGone(err) {
		err = cmp.Or(failure, err)
	}
	return seen, err
}

// isGone reports whether a read was answered with 404 or 410 (rule 5).
func isGone(err error) bool {
	const notFound, gone = 404, 410
	problem, ok := errors.AsType[*payments.ProblemError](err)
	return ok && (problem.Status == notFound || problem.Status == gone)
}

// IsNoList reports whether a service has no list, or none for this client (rule 7).
func IsNoList(err error) bool {
	problem, ok := errors.AsType[*payments.ProblemError](err)
	return ok && slices.Contains([]int{403, 404, 405, 501}, problem.Status)
}

// isProtected reports whether the service keeps other machines from doing the same write (rule 7).
func (o *Outbox) isProtected(ctx context.Context, w *Write) bool {
	return o.HonoursKeys(ctx, false) && w.Pending.HasSharedKey() ||
		w.Pending.Reference != "" && o.KeepsReferencesUnique(ctx)
}

// CheckMadeOnce returns an error if something else was made with the reference or external id of a creation that is
// done. Another machine may have sent it at the same moment, or a lost request may have arrived since. It asks the
// service only if nothing else prevents that, or if an attempt was lost.
func (o *Outbox) CheckMadeOnce(ctx context.Context, w *Write, made effect.Result) error {
	if o.DryRun || !w.creates() || !w.isFindable() {
		return nil
	}
	isProtected := o.isProtected(ctx, w)
	switch {
	case isProtected && !made.Lost:
		return nil
	case o.ListLag == ListsAreUseless:
		o.NoteUnseen()
		return nil
	}
	o.awaitLists(ctx, o.Now())
	member, text := w.name()
	var seen listMatch
	err := o.RetryList(ctx, func() (err error) {
		seen, err = o.search(ctx, w.Resource.List, member, text)
		return err
	})
	at := slices.IndexFunc(seen.documents, func(d jsontext.Value) bool { return effect.Text(d, "id") == made.Subject })
	own := at >= 0
	if w.Expect.Shown = made.Shown; made.Shown == nil {
		w.Expect.Shown = map[string]string{}
	}
	if own && w.examine(seen.documents[at], nil).proof == different {
		if now, err := o.read(ctx, w, made.Subject); err == nil && now.proof == different {
			return w.shownDifferently(now)
		}
	}
	if !own && len(seen.documents) > 0 && made.Subject != "" { // a lagging list may show only another machine's
		seen.documents = append(seen.documents, withID(nil, made.Subject))
	}
	others, failure := o.othersOf(ctx, w, seen.documents)
	near := w.examine(seen.near, nil)
	switch {
	case IsNoList(err) && isProtected:
		return nil
	case IsNoList(err) && !o.HasList(): // a list that answered before must answer again
		o.NoteUnseen()
		return nil
	case cmp.Or(err, failure) != nil:
		return o.mark(w, made, w.unchecked(made.Subject, cmp.Or(err, failure)))
	case len(others) > 1:
		return o.mark(w, made, w.madeTwice(others))
	case !own && near.proof == different:
		return o.mark(w, made, w.shownDifferently(near))
	case made.Lost && made.Replayed: // mark recorded it
		o.record(w.Pending, made)
	case !own && !isProtected:
		o.NoteUnseen()
	}
	return nil
}

// mark records why a done write may be done twice. Later runs check it again.
func (o *Outbox) mark(w *Write, made effect.Result, why error) error {
	made.Err = why
	o.record(w.Pending, made)
	return why
}

// RetryList repeats a failed read of a list until the time for one call is over. It does not repeat it if there is no
// list.
func (o *Outbox) RetryList(ctx context.Context, read func() error) error {
	backoff, began := wait.Backoff{First: time.Second, Longest: 5 * time.Second}, o.Now()
	for attempt := 1; ; attempt++ {
		err := read()
		pause := backoff.Pause(attempt, payments.RetryAfter(err))
		if err == nil || IsNoList(err) || elapsed(began, o.Now())+pause > o.Timeout || o.Sleep(ctx, pause) != nil {
			return err
		}
	}
}

// NoteList notes that the service has a list.
func (o *Outbox) NoteList() { o.hasList.Store(true) }

// HasList reports whether the service has shown a list.
func (o *Outbox) HasList() bool { return o.hasList.Load() }

// NoteUnseen tells the user once that lists do not show what was made.
func (o *Outbox) NoteUnseen() {
	if o.unseen.Swap(true) {
		return
	}
	text := "The list does not show what was made: a second machine that pays this is not noticed here"
	if o.ListLag != ListsAreUseless {
		text += "; set list_lag in the profile"
	}
	o.Note(text + ".")
}

// An Effect is a resource that was made under a name.
type Effect struct{ ID, State string }

// othersOf is Distinct for documents, newest first.
func (o *Outbox) othersOf(ctx context.Context, w *Write, newestFirst []jsontext.Value) (ids []string, err error) {
	var all []Effect
	for _, document := range slices.Backward(newestFirst) {
		id, state := effect.Identify(document)
		if !w.isTransfer() {
			state = "" // only a transfer's state counts
		}
		all = append(all, Effect{id, state})
	}
	return o.Distinct(ctx, w.Resource.Get, all, w.accepted)
}

// Distinct returns the ids of effects with one name that have not failed, in their order. Two ids that differ only in
// letter case count once if a read of one answers with the other. All ids that a person has accepted count once.
func (o *Outbox) Distinct(
	ctx context.Context, get *contract.Operation, all []Effect, accepted []string,
) (ids []string, err error) {
	for _, effect := range all {
		if payments.TransferState(effect.State).Failed() || slices.Contains(ids, effect.ID) {
			continue
		}
		at := slices.IndexFunc(ids, func(known string) bool { return strings.EqualFold(known, effect.ID) })
		if at >= 0 && get != nil {
			isSame, failure := o.answersWith(ctx, get, effect.ID, ids[at])
			if err = cmp.Or(err, failure); isSame {
				continue
			}
		}
		ids = append(ids, effect.ID)
	}
	if !slices.ContainsFunc(ids, func(id string) bool { return !slices.Contains(accepted, id) }) {
		ids = ids[:min(1, len(ids))]
	}
	return ids, err
}

// answersWith reports whether a read of one spelling of an id answers with the other.
func (o *Outbox) answersWith(ctx context.Context, get *contract.Operation, a, b string) (bool, error) {
	for range 2 {
		read, err := o.Read(ctx, get, a)
		if err != nil && !isGone(err) || effect.Text(read, "id") == b {
			return err == nil, err
		}
		a, b = b, a
	}
	return false, nil
}

// settle records an outcome in the journal. The id of a done creation must not belong to another write (rule 8). Rows
// of a file are checked only if the answer does not show their reference: each check waits for the disk. If recording
// fails, the entry stays open, which is safe. Closing the journal reports the error.
func (o *Outbox) settle(ctx context.Context, w *Write, found finding) effect.Result {
	isDoubtful := found.proof == thin || !w.isNamed() || w.Pending.File == ""
	if found.IsDone() && isDoubtful && w.creates() && found.Subject != "" && w.Pending.Key != "" {
		other, err := o.Journal.EndAlone(ctx, w.Pending, o.endingOf(found.Result))
		switch {
		case err != nil: // the entry is still open
			found.Outcome, found.Err = effect.Unknown, notRecorded(ctx, err)
		case other != nil:
			if ours, err := o.look(ctx, w, found.Subject, false); err == nil && ours.proof == proven {
				ours.Replayed, ours.Attempts, ours.Lost = found.Replayed, found.Attempts, found.Lost
				o.record(w.Pending, ours.Result)
				return ours.Result
			}
			found.Outcome, found.Err = effect.Unknown, w.ofAnotherWrite(found.Subject, *other)
		}
		return found.Result
	}
	o.record(w.Pending, found.Result)
	return found.Result
}
