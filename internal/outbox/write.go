package outbox

import (
	"cmp"
	"maps"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/effect"
	"github.com/payctl/payctl/internal/money"
	"github.com/payctl/payctl/internal/outbox/journal"
	"github.com/payctl/payctl/internal/payments"
)

// A Write is one change to make at the service.
type Write struct {
	// Pending is the write as the journal records it.
	Pending journal.PendingWrite
	// Request is the write as it is sent, and Expect the effect that it asks for.
	Request effect.Request
	Expect  effect.Expected
	// Resource is what shows the effect. An unnamed resource is at a path that the service names.
	Resource *contract.Resource

	claim    *claimed // until the write is submitted
	mode     journal.Mode
	began    time.Time // when the first attempt began, if a person has decided that it did not happen
	accepted []string  // ids that a person has accepted as the effect
	hasPayee bool      // Pending.Payee was read
}

// isChange reports whether a write changes a resource that shows the effect.
func (w *Write) creates() bool    { return w.Expect.IsNew }
func (w *Write) isNamed() bool    { return w.Pending.Reference != "" || w.Pending.ExternalID != "" }
func (w *Write) isChange() bool   { return w.Pending.Of != "" && w.isFindable() }
func (w *Write) isTransfer() bool { return w.Pending.Operation == contract.CreateAutoTransfer.ID }

// newWrite describes a use of an operation of the contract, or any other call. The body is JSON. Nil means none.
// Without a key, the key is made of the reference or external id, or of the id that is canceled. It is the same on
// every machine and in every run.
func newWrite(operation string, key payments.Idempotency, body jsontext.Value, params ...string) *Write {
	op := contract.Find(operation)
	members, _ := effect.Object(body) // a body that is not an object has none
	w := &Write{
		Pending: journal.PendingWrite{Operation: operation, Fingerprint: fingerprint(operation, params, body, members)},
		Request: effect.Request{
			Operation: operation, Params: params, Body: body, Match: key.Match,
		},
		Resource: op.Resource(),
	}
	name := ""
	if len(params) > 0 {
		w.Pending.Of = params[0]
	}
	switch op.Use().Action {
	case contract.Creates:
		if !key.Shared {
			w.Pending.ExternalID, name = members.Text("externalId"), members.Text("externalId")
		}
		if w.isTransfer() {
			w.Pending.Reference, w.Pending.BatchID = members.Text("reference"), members.Text("batchId")
			name = cmp.Or(w.Pending.Reference, name)
			w.Pending.Body = body // no other body is kept: it would hold personal data
			w.Pending.Amount, w.Pending.Currency = amountOf(body)
			w.Pending.Payee.ID = members.Text("destinationSavedContactId")
		}
		w.Expect = effect.Expected{Body: body, IsNew: true}
	case contract.Cancels:
		name = w.Pending.Of
		w.Expect = effect.Expected{ID: w.Pending.Of, State: string(payments.TransferStateCanceled)}
	case contract.Updates:
		w.Expect = effect.Expected{ID: w.Pending.Of, Body: body, IsChange: true}
	case contract.Submits:
		w.Expect = effect.Expected{ID: w.Pending.Of, IDMember: w.Resource.ID}
	default:
		w.Expect = effect.Expected{Any: true}
	}
	if key.Key == "" && name != "" {
		key.Key = journal.ReferenceKey(operation, name)
	}
	w.setKey(key.Key)
	return w
}

// amountOf returns the amount of a transfer and its currency; empty if it takes whatever arrives.
func amountOf(body jsontext.Value) (amount, currency string) {
	var request payments.NewAutoTransfer
	if json.Unmarshal(body, &request) != nil || request.Amount == nil {
		return "", ""
	}
	key, _ := payments.ParseRouteKey(request.Route.RouteKey)
	return request.Amount.String(), key.Currency(request.AmountType)
}

func (w *Write) setKey(key string) { w.Pending.Key, w.Request.Key = key, key }

// PayeeOf describes a contact that the user calls by a name.
func PayeeOf(name string, c payments.SavedContact) journal.Payee {
	return journal.Payee{Name: name, ID: c.ID, Label: c.Label, Holder: c.HolderName, Rail: c.PaymentRail,
		Account: c.MaskedAccount()}
}

// SetPayee sets the contact of a transfer. The journal keeps it.
func (w *Write) SetPayee(payee journal.Payee) {
	payee.ID = w.Pending.Payee.ID // the id in the request, whatever the read shows
	w.Pending.Payee, w.hasPayee = payee, true
}

// fingerprint identifies the content of a request. The id of a batch and a made-up external id do not count: payctl
// adds them. How an amount is written does not count either, nor whether a default is written. Members are those of the
// body.
func fingerprint(operation string, params []string, body jsontext.Value, members effect.Members) string {
	if operation == contract.CreateAutoTransfer.ID && members != nil {
		members = maps.Clone(members)
		delete(members, "batchId")
		if strings.HasPrefix(string(members["externalId"]), `"`+journal.KeyPrefix) {
			delete(members, "externalId")
		}
		if string(members["amountType"]) == `"`+string(payments.AmountTypeSource)+`"` {
			delete(members, "amountType")
		}
		if members["route"].Kind() == '{' {
			parts, _ := effect.Object(members["route"])
			if len(parts) == 1 && parts["routeKey"] != nil {
				members["route"] = parts["routeKey"] // which is another way to write it
			}
		}
		if amount, err := money.ParseDecimal(strings.Trim(string(members["amount"]), `"`)); err == nil {
			members["amount"] = jsontext.Value(`"` + amount.Written(0).String() + `"`)
		}
		body = encode(members)
	}
	return payments.FingerprintOf(operation, strings.Join(params, "/"), body)
}

// encode returns value as JSON. Values of the contract can always be encoded.
func encode(body any) jsontext.Value {
	text, _ := json.Marshal(body, json.Deterministic(true))
	return text
}
