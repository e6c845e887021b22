package service_test

import (
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/payctl/payctl/internal/money"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/service"
	"github.com/payctl/payctl/internal/store"
	"github.com/payctl/payctl/internal/store/memory"
)

func key(name, fingerprint string) service.WriteKey {
	return service.WriteKey{Key: name, Fingerprint: fingerprint}
}

// onTheWire returns what clients get. In memory, one number can have more than one form.
func onTheWire(value any) string { return string(must(json.Marshal(value, json.Deterministic(true)))) }

// invoice returns a request with a reference, to a contact of a new approved account.
func invoice(t require.TestingT, w *world) payments.NewAutoTransfer {
	w.approved(t)
	request := to(w.save(t, "base", "USDC", "Grace"), achToBase, "50.00")
	request.Reference, request.ExternalID, request.BatchID = "invoice 7", "ext-7", "payroll"
	request.Metadata = payments.Metadata{"a": "b"}
	return request
}

// create creates a transfer and requires that it has an effect, or that it has none.
func (w *world) create(
	t require.TestingT, request payments.NewAutoTransfer, k service.WriteKey, effect bool,
) payments.Transfer {
	result := must(w.CreateAutoTransfer(background, request, k))
	require.Equal(t, !effect, result.Replayed)
	return result.Value
}

// allTransfers lists the transfers with a reference, newest first. Empty means all.
func (w *world) allTransfers(t require.TestingT, reference string) []payments.Transfer {
	list := must(w.ListTransfers(background, payments.TransferFilter{
		PageQuery: payments.PageQuery{Limit: payments.LargestPage}, Reference: reference,
	}))
	require.Nil(t, list.NextCursor)
	return list.Data
}

// left returns what a create without an effect must not change.
func left(t require.TestingT, s store.Store) (events uint64, transfers []*store.Transfer) {
	require.NoError(t, s.View(background, "client", func(tx store.Tx) error {
		events = must(tx.Events().Extent()).Last
		transfers = must(tx.Transfers().List(store.Query{Limit: 100}))
		return nil
	}))
	return events, transfers
}

// An equal request gets the transfer in its present state, whatever its key, as long as the transfer exists.
func TestEqualRequestGetsTheTransferOfItsReference(t *testing.T) {
	t.Parallel()
	kept := memory.New()
	w := newWorld(t, kept, "client")
	request := invoice(t, w)
	first := w.create(t, request, key("k1", "a"), true)
	same := func(name string) {
		t.Helper()
		equal := request
		equal.AmountType, equal.Amount = payments.AmountTypeSource, new(money.MustDecimal("50"))
		for _, k := range []service.WriteKey{once, key(name, "a"), key(name+" in other words", "b")} {
			events, transfers := left(t, kept)
			present := w.transfer(first.ID)
			require.Equal(t, onTheWire(present), onTheWire(w.create(t, equal, k, false)))
			eventsAfter, transfersAfter := left(t, kept)
			require.Equal(t, events, eventsAfter)
			require.Equal(t, transfers, transfersAfter)
		}
	}
	same("at once")
	must(w.CancelTransfer(background, first.ID, once))
	same("canceled")
	w.advance(t, 25*time.Hour)
	same("k1") // the key is free again
	require.NoError(t, w.DeleteSavedContact(background, request.DestinationSavedContactID))
	same("without its contact")
	w.advance(t, 5*365*24*time.Hour)
	same("after years")
	require.Len(t, w.allTransfers(t, ""), 1)
}

// A different request is refused with the transfer's ID and the members that differ. It does not use up its key.
func TestDifferentRequestWithOneReferenceIsRefused(t *testing.T) {
	t.Parallel()
	w := empty(t)
	request := invoice(t, w)
	first := w.create(t, request, key("k1", "a"), true)
	other := w.save(t, "base", "USDC", "Hedy").ID
	for member, change := range map[string]func(*payments.NewAutoTransfer){
		"destinationSavedContactId": func(r *payments.NewAutoTransfer) { r.DestinationSavedContactID = other },
		"route":                     func(r *payments.NewAutoTransfer) { r.Route.RouteKey = "pix:BRL->base:USDC" },
		"amount":                    func(r *payments.NewAutoTransfer) { r.Amount = new(money.MustDecimal("50.01")) },
		"amountType":                func(r *payments.NewAutoTransfer) { r.AmountType = payments.AmountTypeTarget },
		"externalId":                func(r *payments.NewAutoTransfer) { r.ExternalID = "" },
		"batchId":                   func(r *payments.NewAutoTransfer) { r.BatchID = "Payroll" },
		"metadata":                  func(r *payments.NewAutoTransfer) { r.Metadata = payments.Metadata{"a": "c"} },
		"amount, metadata":          func(r *payments.NewAutoTransfer) { r.Amount, r.Metadata = nil, nil },
	} {
		different := request
		change(&different)
		for _, k := range []service.WriteKey{once, key("k2", member)} {
			_, err := w.CreateAutoTransfer(background, different, k)
			refusal := requireRefused(t, err, payments.ProblemReferenceInUse)
			require.Equal(t, first.ID, refusal.TransferID)
			require.Contains(t, refusal.Detail, member)
		}
		_, err := w.CreateAutoTransfer(background, different, key("k1", member))
		requireRefused(t, err, payments.ProblemKeyReuse) // the key is checked before the reference
	}
	corrected := request
	corrected.Reference = "invoice 8"
	w.create(t, corrected, key("k2", "corrected"), true)
	require.Len(t, w.allTransfers(t, ""), 2)
}

// A request without an amount equals the flexible transfer, even after its deposit.
func TestEqualRequestWithoutAnAmount(t *testing.T) {
	t.Parallel()
	w := empty(t)
	request := invoice(t, w)
	request.Amount = nil
	w.create(t, request, once, true)
	w.advance(t, time.Minute)
	settled := w.create(t, request, once, false)
	require.Equal(t, payments.TransferStatePaymentProcessed, settled.State)
	request.Amount = settled.Source.Amount
	requireRefused(t, errOf(w.CreateAutoTransfer(background, request, once)), payments.ProblemReferenceInUse)
}

// References are compared byte for byte, and each client has its own. Transfers without one are all different.
func TestReferencesAreComparedExactly(t *testing.T) {
	t.Parallel()
	kept := memory.New()
	w := newWorld(t, kept, "client")
	request := invoice(t, w)
	for _, reference := range []string{
		"invoice 7", "Invoice 7", " invoice 7", "invoice 7 ", "invoice  7", "invoice\u00a07", "caf\u00e9", "cafe\u0301",
		"", "",
	} {
		request.Reference = reference
		w.create(t, request, once, true)
	}
	theirs := newWorld(t, kept, "theirs")
	theirs.create(t, invoice(t, theirs), once, true)
}

// Of several transfers with one reference, the oldest counts. Only a service that allows duplicates creates them.
func TestOldestOfSeveralTransfersWithOneReference(t *testing.T) {
	t.Parallel()
	kept := memory.New()
	before := newWorld(t, kept, "client")
	before.AllowDuplicateReferences()
	request := invoice(t, before)
	oldest := before.create(t, request, once, true)
	before.advance(t, time.Hour)
	request.BatchID = "other"
	before.create(t, request, once, true)
	before.create(t, request, once, true)

	w := newWorld(t, kept, "client")
	w.advance(t, 2*time.Hour)
	refusal := requireRefused(t, errOf(w.CreateAutoTransfer(background, request, once)), payments.ProblemReferenceInUse)
	require.Equal(t, oldest.ID, refusal.TransferID)
	request.BatchID = oldest.BatchID
	require.Equal(t, oldest.ID, w.create(t, request, once, false).ID)
}

// Any sequence of requests leaves at most one transfer for each reference. Each request gets what a model says: the
// response to its key, the transfer of its reference, a refusal, or a new transfer. A key lasts a day, and a refusal
// does not bind it.
func TestKeysAndReferencesBehaveAsAModel(t *testing.T) {
	t.Parallel()
	type kept struct {
		body, id string
		until    time.Time
	}
	rapid.Check(t, func(t *rapid.T) {
		w := empty(t)
		request := invoice(t, w)
		keys, references, bodies, effects := map[string]kept{}, map[string]string{}, map[string]string{}, 0
		for range rapid.IntRange(1, 30).Draw(t, "requests") {
			w.clock.Advance(time.Duration(rapid.IntRange(0, 30).Draw(t, "hours")) * time.Hour)
			if id := rapid.SampledFrom(append([]string{""}, w.ids(t)...)).Draw(t, "canceled"); id != "" {
				_, _ = w.CancelTransfer(background, id, once) // some are too late
			}
			name := rapid.SampledFrom([]string{"", "k1", "k2"}).Draw(t, "key")
			request.Reference = rapid.SampledFrom([]string{"", "a", "A"}).Draw(t, "reference")
			amount := rapid.SampledFrom([]string{"50.00", "60.00", "0.01"}).Draw(t, "amount") // the last is below the minimum
			request.Amount = new(money.MustDecimal(amount))
			body := request.Reference + " " + amount
			known, bound := keys[name]
			bound = bound && w.clock.Now().Before(known.until)
			existing := references[request.Reference]
			written, err := w.CreateAutoTransfer(background, request, key(name, body))
			id := written.Value.ID
			switch {
			case bound && known.body == body:
				require.NoError(t, err)
				require.True(t, written.Replayed)
				require.Equal(t, known.id, id)
				continue
			case bound:
				requireRefused(t, err, payments.ProblemKeyReuse)
				continue
			case existing != "" && bodies[existing] == body:
				require.NoError(t, err)
				require.True(t, written.Replayed && written.Existing)
				require.Equal(t, existing, id)
			case existing != "":
				require.Equal(t, existing, requireRefused(t, err, payments.ProblemReferenceInUse).TransferID)
				continue
			case amount == "0.01":
				requireRefused(t, err, payments.ProblemLimitExceeded)
				continue
			default:
				require.NoError(t, err)
				require.False(t, written.Replayed)
				effects++
				bodies[id] = body
				if request.Reference != "" {
					references[request.Reference] = id
				}
			}
			if name != "" {
				keys[name] = kept{body, id, w.clock.Now().Add(24 * time.Hour)}
			}
		}
		require.Len(t, w.ids(t), effects)
		for reference := range references {
			require.Len(t, w.allTransfers(t, reference), 1)
		}
	})
}

// ids lists the identifiers of all transfers.
func (w *world) ids(t require.TestingT) (ids []string) {
	for _, transfer := range w.allTransfers(t, "") {
		ids = append(ids, transfer.ID)
	}
	return ids
}
