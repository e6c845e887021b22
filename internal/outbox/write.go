package outbox

import (
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/payctl/payctl/internal/outbox/journal"
	"github.com/payctl/payctl/internal/payments"
)

// The operations that write, as the contract and the journal name them.
const (
	CreateAutoTransferOperation = "createAutoTransfer"
	CancelTransferOperation     = "cancelTransfer"
	CreateAccountOperation      = "createAccount"
	UpdateAccountOperation      = "updateAccount"
	CreateContactOperation      = "createSavedContact"
	UpdateContactOperation      = "updateSavedContact"
	SubmitKYCOperation          = "submitKyc"
)

// A Write is one change that is asked of the service. Every kind of write gives all of it.
type Write struct {
	// Intent is the write as the journal records it: its operation, key and fingerprint, and by what its effect is found.
	Intent journal.Intent
	// Request is the write as it is sent, with the effect that it asks for.
	Request payments.Request
	// Resource is where the service shows the effect.
	Resource Resource

	onlyOne bool     // it must not be sent while something else has its external id
	claim   *claimed // of a write that was claimed together with others, until it is submitted
}

// A Resource is where the service shows the effect of writes. The zero Resource shows it at a path that the service names.
type Resource struct {
	noun      string // in words
	get, list string // operations of the contract; empty: there is none
}

var resources = map[string]Resource{
	CreateAutoTransferOperation: {"transfer", "getTransfer", "listTransfers"},
	CancelTransferOperation:     {"transfer", "getTransfer", "listTransfers"},
	CreateAccountOperation:      {"account", "getAccount", "listAccounts"},
	UpdateAccountOperation:      {"account", "getAccount", "listAccounts"},
	CreateContactOperation:      {"contact", "getSavedContact", "listSavedContacts"},
	UpdateContactOperation:      {"contact", "getSavedContact", "listSavedContacts"},
	SubmitKYCOperation:          {"identity check", "getKycStatus", ""},
}

// newWrite describes a use of an operation of the contract. The body is JSON; nil for none.
func newWrite(operation string, key payments.Idempotency, body jsontext.Value, params ...string) *Write {
	w := &Write{
		Intent: journal.Intent{
			Operation: operation, Key: key.Key, Fingerprint: fingerprint(operation, params, body),
		},
		Request: payments.Request{
			Operation: operation, Params: params, Body: body, Key: key.Key, Match: key.Precondition.Match,
		},
		Resource: resources[operation],
	}
	if len(params) > 0 {
		w.Intent.Of = params[0]
	}
	texts := payments.Texts(body, "reference", "batchId", "externalId")
	switch operation {
	case CreateAutoTransferOperation:
		w.Intent.Reference, w.Intent.BatchID = texts[0], texts[1]
		w.Intent.Body = body // no other body is kept: it would hold personal data
		fallthrough
	case CreateAccountOperation, CreateContactOperation:
		w.Intent.ExternalID = texts[2]
		w.onlyOne = key.OneExternalID && w.Intent.ExternalID != ""
		w.Intent.OneExternalID = w.onlyOne
		w.Request.Expect = payments.Expected{Body: withoutBatch(body), IsNew: true}
	case CancelTransferOperation:
		w.Request.Expect = payments.Expected{ID: w.Intent.Of, State: string(payments.TransferStateCanceled)}
	case UpdateAccountOperation, UpdateContactOperation:
		w.Request.Expect = payments.Expected{ID: w.Intent.Of, Body: body, IsChange: true}
	case SubmitKYCOperation:
		w.Request.Expect = payments.Expected{ID: w.Intent.Of, IDMember: "accountId"}
	default:
		w.Request.Expect = payments.Expected{Any: true}
	}
	return w
}

// ownPrefix begins the keys and external ids that payctl makes up.
const ownPrefix = "payctl-"

// fingerprint identifies the content of a request. What payctl adds by itself is no part of it: the id of a batch, and an
// external id that was made up. Nor does it matter how an amount is written, or whether a default is.
func fingerprint(operation string, params []string, body jsontext.Value) string {
	if operation == CreateAutoTransferOperation {
		texts := payments.Texts(body, "externalId", "amountType", "route", "amount")
		body = changed(body, func(members map[string]jsontext.Value) {
			delete(members, "batchId")
			if strings.HasPrefix(texts[0], ownPrefix) {
				delete(members, "externalId")
			}
			if texts[1] == string(payments.AmountTypeSource) {
				delete(members, "amountType")
			}
			if route := members["route"]; texts[2] == "" {
				var parts map[string]jsontext.Value
				if json.Unmarshal(route, &parts) == nil && len(parts) == 1 && parts["routeKey"] != nil {
					members["route"] = parts["routeKey"] // which is another way to write it
				}
			}
			if amount, err := payments.ParseDecimal(texts[3]); err == nil {
				members["amount"] = jsontext.Value(`"` + amount.Written(0).String() + `"`)
			}
		})
	}
	return payments.FingerprintOf(operation, strings.Join(params, "/"), body)
}

// withoutBatch returns a body without the id of its batch, which is no part of a payment.
func withoutBatch(body jsontext.Value) jsontext.Value {
	return changed(body, func(members map[string]jsontext.Value) { delete(members, "batchId") })
}

// changed returns a JSON object after a change of its members, or anything else as it is.
func changed(body jsontext.Value, change func(map[string]jsontext.Value)) jsontext.Value {
	var members map[string]jsontext.Value
	if json.Unmarshal(body, &members) != nil || members == nil {
		return body
	}
	change(members)
	text, err := json.Marshal(members, json.Deterministic(true))
	if err != nil {
		return body
	}
	return text
}

// encode returns the body of a write. Values of the contract can always be encoded.
func encode(body any) jsontext.Value {
	text, _ := json.Marshal(body, json.Deterministic(true))
	return text
}
