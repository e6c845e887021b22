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

// A listMatch is what a list shows for a reference or an external id. Only equal texts count. A text that only looks
// the same can be another payment.
type listMatch struct {
	documents []jsontext.Value // with equal texts, in the list's order
	near      jsontext.Value   // one whose text only looks the same; nil means none
}

// search reads a whole list for a text at a member. It compares the texts itself: a service may ignore the filter, or
// compare less exactly. A list that ends early decides nothing: a lookup never proves absence.
func (o *Outbox) search(
	ctx context.Context, list *contract.Operation, member, text string,
) (found listMatch, err error) {
	seen := map[string]bool{} // pages repeat rows if the list grows
	query := url.Values{member: {text}, "limit": {strconv.Itoa(payments.LargestPage)}}
	var guard payments.PageGuard
	for {
		page, err := o.List(ctx, list, query)
		if err != nil {
			return listMatch{}, err
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
			return listMatch{}, err
		}
	}
}

// Unsettled returns the unknown earlier attempt at one of several writes, or cause if there was none. Cause is why the
// writes were not submitted.
func (o *Outbox) Unsettled(ctx context.Context, cause error, writes ...*Write) error {
	err := cause
	if o.DryRun {
		return err
	}
	known := map[string]bool{}
	for _, w := range writes {
		known[w.Pending.Operation+" "+w.Pending.Key], known[w.Pending.Fingerprint] = true, true
		known[w.Pending.Operation+"="+w.Pending.Reference] = w.Pending.Reference != ""
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
	if w.Pending.Of != "" {
		return w.Expect.State != "" || w.Expect.IsChange
	}
	return w.Resource.List != nil && (w.Pending.Reference != "" || w.Pending.IsNamedByExternalID())
}

// name returns the member and text that a creation is looked up by.
func (w *Write) name() (member, text string) {
	if w.Pending.Reference != "" {
		return "reference", w.Pending.Reference
	}
	return "externalId", w.Pending.ExternalID
}

// find asks the service for the effect of a write. A finding without a document means that nothing is shown. An error
// means that a call failed, or that several effects or a similar name make it unclear.
func (o *Outbox) find(ctx context.Context, w *Write) (found finding, err error) {
	if w.Pending.Of != "" {
		return o.findChange(ctx, w)
	}
	member, text := w.name()
	seen, err := o.search(ctx, w.Resource.List, member, text)
	if err != nil {
		return found, err
	}
	if len(seen.documents) == 0 {
		if seen.near != nil && (member == "reference" || !w.isTransfer()) {
			return found, w.nameUnclear(effect.Text(seen.near, "id"), effect.Text(seen.near, member))
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

// findChange reads the resource that a write changes. The effect is there if every member is as requested.
func (o *Outbox) findChange(ctx context.Context, w *Write) (found finding, err error) {
	found, err = o.read(ctx, w, w.Pending.Of)
	switch {
	case isGone(err), err == nil && found.proof == different: // in another world, for example
		return finding{}, nil
	case err != nil, w.Expect.IsChange && !found.isComplete: // it may show the state before the write
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
	found = w.examine(document, nil)
	found.Replayed = true
	return found, nil
}

// recognize decides whether a row with the name of a write is its effect. If the row shows too little, the resource is
// read.
func (o *Outbox) recognize(ctx context.Context, w *Write, document jsontext.Value) (finding, error) {
	found := w.examineNamed(document)
	if found.proof == thin {
		full, err := o.Read(ctx, w.Resource.Get, found.Subject)
		if err != nil {
			return finding{}, err
		}
		if found = w.examineNamed(full); found.proof == thin {
			_, name := w.name()
			return finding{}, w.nameUnclear(found.Subject, name)
		}
	}
	return found, nil
}

// examineNamed examines a document with the name of a write. A missing member of an account or contact counts as
// different.
func (w *Write) examineNamed(document jsontext.Value) finding {
	found := w.examine(document, nil)
	found.Replayed = true
	if !w.isTransfer() && len(found.hidden) > 0 && found.proof != different {
		found.differences, found.proof, found.Outcome = found.hidden, different, ""
	}
	return found
}
