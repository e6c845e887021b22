package verify

import (
	"cmp"
	"crypto/rand"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/effect"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/wait"
)

// approvalTime is how long an identity check may take: services for tests decide within seconds.
const approvalTime = 30 * time.Second

// accounts checks what makes it safe to repeat a write, with an account and a transfer of its own.
func (r *run) accounts() {
	op, mark := &contract.CreateAccount, "payctl-verify-"+strings.ToLower(rand.Text()[:10])
	account := map[string]string{
		"type": "individual", "firstName": "Verify", "lastName": "Payctl", "email": mark + "@example.com", "country": "GB", "externalId": mark,
	}
	call := effect.Request{Operation: op.ID, Body: encode(account), Key: mark}
	got, ok := r.expect("response to a creation", call, 201)
	id := idOf(got)
	if id == "" {
		r.skip("one key, one effect", op, "nothing was created")
		return
	}
	again, made, text := r.again(call, &contract.ListAccounts, "externalId", mark)
	r.require("one key, one effect", op, again, idOf(again) == id && made == 1, text)
	account["externalId"] += "-other"
	call.Body = encode(account)
	again, made, text = r.again(call, &contract.ListAccounts, "externalId", account["externalId"])
	r.require("other content with a used key", op, again, isRefusal(again) && made == 0, text)
	if ok {
		r.transfers(id, mark)
	}
}

// transfers checks the same of payments, which the service makes once for each reference.
func (r *run) transfers(account, mark string) {
	op := &contract.CreateAutoTransfer
	r.expect("400 for missing members", effect.Request{Operation: op.ID, Body: []byte("{}"), Key: mark + "-e"}, 400)
	got, _ := r.expect("response to a creation", effect.Request{Operation: contract.CreateSavedContact.ID, Key: mark + "-c", Body: encode(map[string]string{
		"accountId": account, "label": mark, "holderName": "Verify Payctl", "holderType": "individual",
		"paymentRail": "sepa", "currency": "EUR", "iban": "DE89370400440532013000",
	})}, 201)
	contact := idOf(got)
	route, amount := r.sepaRoute()
	const check = "one reference, one payment"
	switch {
	case contact == "" || route == "":
		r.skip(check, op, "there is no contact, or no route to one")
		return
	case !r.isApproved(account):
		r.skip(check, op, "the identity check of "+account+" was not approved in time")
		return
	}
	transfer := map[string]any{"destinationSavedContactId": contact, "route": route, "amount": amount, "reference": mark}
	got, _ = r.expect("response to a creation", effect.Request{Operation: op.ID, Body: encode(transfer), Key: mark + "-1"}, 201)
	id := idOf(got)
	if id == "" {
		r.skip(check, op, "nothing was created")
		return
	}
	again, made, text := r.again(effect.Request{Operation: op.ID, Body: encode(transfer), Key: mark + "-2"}, &contract.ListTransfers, "reference", mark)
	r.require(check, op, again, (idOf(again) == id || isRefusal(again)) && made == 1, text)
	transfer["metadata"] = map[string]string{"other": "content"}
	again, made, text = r.again(effect.Request{Operation: op.ID, Body: encode(transfer), Key: mark + "-3"}, &contract.ListTransfers, "reference", mark)
	r.require("other content with a used reference", op, again, isRefusal(again) && made <= 1, text)
	r.one(contract.GetTransfer.Resource(), id)
}

// again makes a call that should have no effect any more, and counts the rows with the value that it gives a member.
func (r *run) again(
	call effect.Request, list *contract.Operation, member, value string,
) (got answer, made int, text string) {
	got, _ = r.ask(call)
	all, _ := r.ask(effect.Request{Operation: list.ID, Query: url.Values{member: {value}}})
	for _, row := range rowsOf(all) {
		if effect.Text(row, member) == value {
			made++
		}
	}
	return got, made, fmt.Sprintf("it was answered with status %d, and the service has %d with this %s", got.Status, made, member)
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

func isRefusal(got answer) bool { return got.Status >= 400 && got.Status < 500 }
