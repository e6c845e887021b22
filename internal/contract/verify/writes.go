package verify

import (
	"cmp"
	"crypto/rand"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/effect"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/wait"
)

// approvalTime is how long an identity check may take: services for tests decide within seconds.
const approvalTime = 30 * time.Second

// accounts checks what makes it safe to repeat a write, with an account and a transfer of its own. It reports whether
// the service honours idempotency keys for both.
func (r *run) accounts() (honoursKeys bool) {
	op, mark := &contract.CreateAccount, "payctl-verify-"+strings.ToLower(rand.Text()[:10])
	account := map[string]string{
		"type": "individual", "firstName": "Verify", "lastName": "Payctl", "email": mark + "@example.com",
		"country": "GB", "externalId": mark,
	}
	call := effect.Request{Operation: op.ID, Body: encode(account), Key: mark}
	id := r.create(call)
	if id == "" {
		r.skip(oneKey, op, "nothing was created")
		return false
	}
	isOnce := r.again(oneKey, call, "externalId", mark, id, false, 1)
	account["externalId"] += "-other"
	call.Body = encode(account)
	isRefused := r.again(otherContent, call, "externalId", account["externalId"], "", true, 0)
	return r.transfers(id, mark) && isOnce && isRefused
}

// The checks of idempotency keys.
const (
	oneKey       = "one key, one effect"
	otherContent = "other content with a used key"
)

// transfers checks the same of payments, which the service makes once for each reference.
func (r *run) transfers(account, mark string) (honoursKeys bool) {
	op := &contract.CreateAutoTransfer
	r.expect("400 for missing members", effect.Request{Operation: op.ID, Body: []byte("{}"), Key: mark + "-e"}, 400)
	payee := map[string]string{
		"accountId": account, "label": mark, "holderName": "Verify Payctl", "holderType": "individual",
		"paymentRail": "sepa", "currency": "EUR", "iban": "DE89370400440532013000",
	}
	contact := r.create(effect.Request{Operation: contract.CreateSavedContact.ID, Body: encode(payee), Key: mark + "-c"})
	route, amount := r.sepaRoute()
	const check = "one reference, one payment"
	switch {
	case contact == "" || route == "":
		r.skip(check, op, "there is no contact, or no route to one")
		return false
	case !r.isApproved(account):
		r.skip(check, op, "the identity check of "+account+" was not approved in time")
		return false
	}
	transfer := map[string]any{"destinationSavedContactId": contact, "route": route, "amount": amount, "reference": mark}
	call := effect.Request{Operation: op.ID, Body: encode(transfer), Key: mark + "-1"}
	id := r.create(call)
	if id == "" {
		r.skip(check, op, "nothing was created")
		return false
	}
	isOnce := r.again(oneKey, call, "reference", mark, id, false, 1)
	call.Key = mark + "-2"
	r.again(check, call, "reference", mark, id, true, 1)
	transfer["metadata"] = map[string]string{"other": "content"}
	call.Body, call.Key = encode(transfer), mark+"-3"
	r.again("other content with a used reference", call, "reference", mark, "", true, 1)
	transfer["reference"] = mark + "-other"
	call.Body, call.Key = encode(transfer), mark+"-1"
	isRefused := r.again(otherContent, call, "reference", mark+"-other", "", true, 0)
	r.one(contract.GetTransfer.Resource(), id)
	return isOnce && isRefused
}

// create makes a creation, and checks that the sent members come back, at once or in a read. It returns the id, which
// is empty if nothing was created.
func (r *run) create(call effect.Request) (id string) {
	got := r.expect("response to a creation", call, 201)
	if id = idOf(got); id == "" {
		return ""
	}
	op, group := contract.Find(call.Operation), Differs
	lacks := func(shown answer) (faults []string) {
		members, err := effect.Object(shown.Body)
		if err != nil {
			return []string{err.Error()}
		}
		compared := effect.Expected{Body: call.Body, IsNew: true}.Compare(members)
		for _, m := range compared {
			if m.Likeness != effect.Equal && slices.Contains(proof, m.Name) {
				group = Payments
			}
		}
		for _, name := range compared.NotCompared() {
			faults = append(faults, name+" does not come back")
		}
		return append(faults, compared.Differences()...)
	}
	faults := lacks(got)
	if len(faults) > 0 {
		read, _ := r.ask(effect.Request{Operation: op.Resource().Get.ID, Params: []string{id}})
		group = Differs
		faults = lacks(read)
	}
	r.require("members that come back", op, group, got, faults...)
	return id
}

// again makes a call that should have no effect any more. It checks that the answer shows an id or, if allowed, is a
// refusal, and how many rows of the list have a value.
func (r *run) again(check string, call effect.Request, member, value, id string, mayRefuse bool, rows int) bool {
	op, made := contract.Find(call.Operation), 0
	got, _ := r.ask(call)
	all, _ := r.ask(effect.Request{Operation: op.Resource().List.ID, Query: url.Values{member: {value}}})
	for _, row := range rowsOf(all) {
		if effect.Text(row, member) == value {
			made++
		}
	}
	var faults []string
	isRefusal := got.Status >= 400 && got.Status < 500
	if made != rows || !(mayRefuse && isRefusal) && (id == "" || idOf(got) != id) {
		text := fmt.Sprintf("it was answered with status %d, and the service has %d with this %s", got.Status, made, member)
		faults = []string{text}
	}
	return r.require(check, op, Payments, got, faults...)
}

// isApproved waits until the identity check of an account is decided.
func (r *run) isApproved(account string) bool {
	for began := time.Now(); time.Since(began) < approvalTime; {
		got, _ := r.ask(effect.Request{Operation: contract.GetKYCStatus.ID, Params: []string{account}})
		status := payments.KYCStatus(effect.Text(got.Body, "status"))
		if status.Decided() || wait.Sleep(r.ctx, time.Second/2) != nil {
			return status == payments.KYCStatusApproved
		}
	}
	return false
}

// sepaRoute returns a route to an IBAN, and the smallest amount that it takes; empty if there is none.
func (r *run) sepaRoute() (key, amount string) {
	got, _ := r.ask(effect.Request{Operation: contract.SelectRoutes.ID, Body: []byte("{}")})
	var info payments.TransferInfo
	_ = effect.Read(got.Body, &info) // another answer has no routes
	for _, route := range info.Routes {
		if strings.HasSuffix(route.RouteKey, "->sepa:EUR") {
			key = cmp.Or(key, route.RouteKey)
		}
	}
	for _, about := range info.TransactionsInfo {
		if about.RouteKey == key {
			return key, about.MinAmount.String()
		}
	}
	return key, "10"
}

// idOf returns the id of what a write made; empty if it was no success.
func idOf(got answer) string {
	if got.Status >= 300 {
		return ""
	}
	return effect.Text(got.Body, "id")
}
