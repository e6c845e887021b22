package outbox

import (
	"context"
	"errors"
	"net/url"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/payctl/payctl/internal/outbox/journal"
	"github.com/payctl/payctl/internal/payments"
)

// A sighting is what a list shows about the reference or the external id that was looked for. Only equal texts count:
// something whose text merely looks the same can be another payment.
type sighting struct {
	documents []jsontext.Value // with equal texts, newest first
	near      jsontext.Value   // the oldest whose text looks the same; nil if there is none
	// absent reports that certainly nothing has the text: every row shows the member, and the list has an end.
	absent bool
}

// search reads the whole list of a resource for a text at a member. It compares the texts itself: a service may ignore
// the filter, or compare less exactly.
func (o *Outbox) search(ctx context.Context, r Resource, member, text string) (found sighting, err error) {
	seen := map[string]bool{} // a page repeats rows if the list has grown meanwhile
	query := url.Values{member: {text}, "limit": {strconv.Itoa(payments.LargestPage)}}
	var guard payments.PageGuard
	for allShow := true; ; {
		page, err := o.List(ctx, r.list, query)
		if err != nil {
			return sighting{}, err
		}
		for _, row := range page.Documents {
			shown, id := payments.Text(row, member), payments.Text(row, "id")
			switch {
			case shown == "":
				allShow = false
			case shown == text && !seen[id]:
				seen[id] = true
				found.documents = append(found.documents, row)
			case shown != text && payments.LooksLike(shown, text):
				found.near = row
			}
		}
		if page.Next == "" {
			found.absent = page.Ends && allShow && len(found.documents) == 0 && found.near == nil
			return found, nil
		}
		query.Set("cursor", page.Next)
		if err := guard.Step(len(page.Documents), page.Next); err != nil {
			return sighting{}, err
		}
	}
}

// A lookup is what the service shows of a write.
type lookup struct {
	payments.Outcome // of a write whose effect is there: done. Otherwise it has no verdict

	// absent reports that the effect is certainly not there.
	absent bool
	// hidden describes the members that are not shown, as Differences does. isPartial: a member is not shown as it was sent.
	hidden    []string
	isPartial bool
	// other reports that the effect of another write stands in the way: Err describes it.
	other bool
}

// Unsettled returns what an error of a command means that kept a transfer from being submitted: as long as the outcome of an
// earlier attempt under its name, a reference or an external id, is not known, that is what it says.
func (o *Outbox) Unsettled(ctx context.Context, name string, cause error) error {
	err := o.unsettled(ctx, name, cause)
	if unknown, ok := errors.AsType[*NotLookedUpError](err); ok {
		unknown.Cause = errors.New(cause.Error()) // whose own exit code does not count
	}
	return err
}

func (o *Outbox) unsettled(ctx context.Context, name string, cause error) error {
	err := cause
	if name == "" || o.DryRun {
		return err
	}
	_ = o.Journal.Each(context.WithoutCancel(ctx), journal.Filter{Open: true, Text: name}, func(e journal.Entry) error {
		if e.Operation == CreateAutoTransferOperation {
			err = notLookedUp(e, cause)
		}
		return nil
	}) // a journal that cannot be read tells nothing
	return err
}

// isFindable reports whether the service can be asked for the effect of a write.
func (w *Write) isFindable() bool {
	if w.Intent.Of != "" {
		return w.Request.Expect.State != "" || w.Request.Expect.IsChange
	}
	return w.Resource.list != "" && (w.Intent.Reference != "" || w.Intent.IsNamedByExternalID())
}

// find asks the service for the effect of a write. The error is that of a call, or says that nothing is proven.
func (o *Outbox) find(ctx context.Context, w *Write) (lookup, error) {
	if w.Intent.Of != "" {
		return o.findChange(ctx, w)
	}
	member, text := "reference", w.Intent.Reference
	if text == "" {
		member, text = "externalId", w.Intent.ExternalID
	}
	seen, err := o.search(ctx, w.Resource, member, text)
	if err != nil {
		return lookup{}, err
	}
	if len(seen.documents) == 0 {
		if seen.near != nil && (member == "reference" || w.Resource.noun != "transfer") {
			return lookup{}, cannotTell(w, payments.Text(seen.near, "id"))
		}
		return lookup{absent: seen.absent}, nil
	}
	document := seen.documents[len(seen.documents)-1] // the oldest, unless one of several was not canceled
	if paid := notCanceled(seen.documents); member == "reference" && len(paid) > 1 {
		return lookup{}, paidTwice(text, paid)
	} else if member == "reference" && len(paid) == 1 {
		document = paid[0]
	}
	return o.recognize(ctx, w, document)
}

// notCanceled returns the transfers that were not canceled, newest first.
func notCanceled(newestFirst []jsontext.Value) []jsontext.Value {
	return slices.DeleteFunc(slices.Clone(newestFirst), func(document jsontext.Value) bool {
		return payments.Text(document, "state") == string(payments.TransferStateCanceled)
	})
}

// findChange reads what a write changes. Its effect is there if every member is as the write asks for.
func (o *Outbox) findChange(ctx context.Context, w *Write) (lookup, error) {
	found, err := o.read(ctx, w, w.Intent.Of)
	switch {
	case payments.IsKind(err, payments.KindNotFound), found.other: // in another world, for example
		return lookup{absent: true}, nil
	case err != nil, w.Request.Expect.IsChange && found.isPartial: // it may be the state before
		return lookup{}, err
	}
	return found, nil
}

// read reads a resource and compares it with what a write asks for. What cannot be compared is neither done nor another's.
func (o *Outbox) read(ctx context.Context, w *Write, id string) (found lookup, err error) {
	document, err := o.Read(ctx, w.Resource.get, id)
	if err != nil {
		return lookup{}, err
	}
	compared, err := w.Request.Expect.Compare(document)
	switch {
	case err != nil:
		return lookup{}, nil //nolint:nilerr // what cannot be read proves neither the effect nor its absence
	case w.Request.Expect.Fault(compared) != "":
		return w.another(document, compared.Differences()), nil
	}
	return lookup{Outcome: done(document, compared), hidden: compared.Hidden(), isPartial: !compared.IsComplete()}, nil
}

// another is what is found if it is not the effect of the write.
func (w *Write) another(document jsontext.Value, differences []string) (found lookup) {
	found.Subject, found.State = payments.Identify(document)
	found.other, found.Err = true, w.belongsToAnother(document, differences)
	return found
}

// recognize decides whether something that was found, by its reference or external id, is the effect of a write. A list
// need not show all of it, so that it is read if its row does not tell.
func (o *Outbox) recognize(ctx context.Context, w *Write, document jsontext.Value) (lookup, error) {
	found, proven := w.judge(document)
	if !proven && !found.other {
		full, err := o.Read(ctx, w.Resource.get, payments.Text(document, "id"))
		if err != nil {
			return lookup{}, err
		}
		found, proven = w.judge(full)
	}
	if !proven && !found.other {
		return lookup{}, cannotTell(w, payments.Text(document, "id"))
	}
	return found, nil
}

// judge compares a document that was found with a write. It is the write's own only if it shows by what it was searched,
// and for a transfer also its amount or its contact. Proven is false if it does not show enough, or something else.
func (w *Write) judge(document jsontext.Value) (found lookup, proven bool) {
	compared, err := w.Request.Expect.Compare(document)
	if err != nil {
		return lookup{}, false
	}
	differences := compared.Differences()
	if w.Resource.noun == "transfer" && payments.Text(w.Request.Body, "amount") == "" {
		if there := payments.Text(document, "amount"); there != "" {
			differences = append(differences, "amount: there "+there+", here whatever arrives")
		}
	}
	if w.Resource.noun != "transfer" {
		differences = append(differences, compared.Hidden()...) // something else was created without them
	}
	if len(differences) > 0 {
		return w.another(document, differences), false
	}
	if w.Request.Expect.Fault(compared) != "" {
		return lookup{}, false
	}
	if w.Resource.noun == "transfer" && !compared.Has("amount") && !compared.Has("destinationSavedContactId") {
		return lookup{}, false
	}
	return lookup{Outcome: done(document, compared)}, true
}

// done is the outcome of a write whose effect was found.
func done(document jsontext.Value, compared payments.Comparison) payments.Outcome {
	o := payments.Outcome{
		Verdict: payments.Done, Document: document, NotCompared: compared.NotCompared(), Replayed: true,
	}
	o.Subject, o.State = payments.Identify(document)
	return o
}
