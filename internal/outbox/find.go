package outbox

import (
	"context"
	"net/url"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/effect"
	"github.com/payctl/payctl/internal/outbox/journal"
	"github.com/payctl/payctl/internal/payments"
)

// A sighting is what a list shows about the reference or the external id that was looked for. Only equal texts count:
// something whose text merely looks the same can be another payment.
type sighting struct {
	documents []jsontext.Value // with equal texts, newest first if the list is
	near      jsontext.Value   // one whose text looks the same; nil if there is none
}

// search reads a whole list for a text at a member. It compares the texts itself: a service may ignore
// the filter, or compare less exactly. Where the list ends decides nothing, since a lookup proves no absence.
func (o *Outbox) search(ctx context.Context, list *contract.Operation, member, text string) (found sighting, err error) {
	seen := map[string]bool{} // a page repeats rows if the list has grown meanwhile
	query := url.Values{member: {text}, "limit": {strconv.Itoa(payments.LargestPage)}}
	var guard payments.PageGuard
	for {
		page, err := o.List(ctx, list, query)
		if err != nil {
			return sighting{}, err
		}
		o.NoteList()
		var ids []string
		for _, row := range page.Documents {
			shown, id := effect.Text(row, member), effect.Text(row, "id")
			ids = append(ids, id)
			switch {
			case shown == text && !seen[id]:
				seen[id] = true
				found.documents = append(found.documents, row)
			case shown != "" && shown != text && payments.LooksLike(shown, text):
				found.near = row
			}
		}
		if page.Next == "" {
			return found, nil
		}
		query.Set("cursor", page.Next)
		if err := guard.Step(page.Next, ids); err != nil {
			return sighting{}, err
		}
	}
}

// Unsettled returns the unknown earlier attempt at one of several writes, or cause if there was none. Cause is why a command
// did not submit them.
func (o *Outbox) Unsettled(ctx context.Context, cause error, writes ...*Write) error {
	err := cause
	if o.DryRun {
		return err
	}
	known := map[string]bool{}
	for _, w := range writes {
		known[w.Intent.Operation+" "+w.Intent.Key], known[w.Intent.Fingerprint] = true, true
		known[w.Intent.Operation+"="+w.Intent.Reference] = w.Intent.Reference != ""
	}
	_ = o.Journal.Each(context.WithoutCancel(ctx), journal.Filter{Open: true}, func(e journal.Entry) error {
		if known[e.Operation+" "+e.Key] || known[e.Fingerprint] || known[e.Operation+"="+e.Reference] {
			err = notLookedUp(e, cause)
		}
		return nil
	}) // a journal that cannot be read tells nothing
	return err
}

// isFindable reports whether the service can be asked for the effect of a write.
func (w *Write) isFindable() bool {
	if w.Intent.Of != "" {
		return w.Expect.State != "" || w.Expect.IsChange
	}
	return w.Resource.List != nil && (w.Intent.Reference != "" || w.Intent.IsNamedByExternalID())
}

// name is the member by which the effect of a creation is looked up, and its text.
func (w *Write) name() (member, text string) {
	if w.Intent.Reference != "" {
		return "reference", w.Intent.Reference
	}
	return "externalId", w.Intent.ExternalID
}

// find asks the service for the effect of a write. A finding without a document shows nothing. The error is that of a call,
// or says that several effects or a similar name stand in the way.
func (o *Outbox) find(ctx context.Context, w *Write) (found finding, err error) {
	if w.Intent.Of != "" {
		return o.findChange(ctx, w)
	}
	member, text := w.name()
	seen, err := o.search(ctx, w.Resource.List, member, text)
	if err != nil {
		return found, err
	}
	if len(seen.documents) == 0 {
		if seen.near != nil && (member == "reference" || !w.isTransfer()) {
			return found, w.isDoubtful(effect.Text(seen.near, "id"), effect.Text(seen.near, member))
		}
		return found, nil
	}
	others, err := o.othersOf(ctx, w, seen.documents)
	if err == nil && len(others) > 1 && w.isTransfer() {
		err = w.madeTwice(others)
	}
	if err != nil {
		return found, err
	}
	document := seen.documents[len(seen.documents)-1] // the oldest, unless one of several did not fail
	for _, d := range seen.documents {
		if len(others) > 0 && effect.Text(d, "id") == others[0] {
			document = d
		}
	}
	return o.recognize(ctx, w, document)
}

// findChange reads what a write changes. Its effect is there if every member is as the write asks for.
func (o *Outbox) findChange(ctx context.Context, w *Write) (found finding, err error) {
	found, err = o.read(ctx, w, w.Intent.Of)
	switch {
	case isGone(err), err == nil && found.proof == different: // in another world, for example
		return finding{}, nil
	case err != nil, w.Expect.IsChange && !found.isComplete: // it may be the state before
		return finding{}, err
	}
	return found, nil
}

// read reads a resource and compares it with what a write asks for.
func (o *Outbox) read(ctx context.Context, w *Write, id string) (found finding, err error) {
	document, err := o.Read(ctx, w.Resource.Get, id)
	if err != nil {
		return found, err
	}
	found = w.examine(document)
	found.Replayed = true
	return found, nil
}

// recognize decides whether something that was found, by its reference or external id, is the effect of a write. A list
// need not show all of it, so it is read if its row does not tell.
func (o *Outbox) recognize(ctx context.Context, w *Write, document jsontext.Value) (finding, error) {
	found := w.recognized(document)
	if found.proof == thin {
		full, err := o.Read(ctx, w.Resource.Get, found.Subject)
		if err != nil {
			return finding{}, err
		}
		if found = w.recognized(full); found.proof == thin {
			_, name := w.name()
			return finding{}, w.isDoubtful(found.Subject, name)
		}
	}
	return found, nil
}

// recognized examines what was found by its name. A member of an account or contact that is not shown differs: something
// else was made without it.
func (w *Write) recognized(document jsontext.Value) finding {
	found := w.examine(document)
	found.Replayed = true
	if !w.isTransfer() && len(found.hidden) > 0 && found.proof != different {
		found.differences, found.proof, found.Verdict = found.hidden, different, ""
	}
	return found
}
