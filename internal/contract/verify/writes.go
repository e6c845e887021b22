package verify

import (
	"cmp"
	"crypto/rand"
	"fmt"
	"strings"
	"time"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/wait"
)

// approvalTime is how long an identity check may take: services for tests decide within seconds.
const approvalTime = 30 * time.Second

// accounts checks what makes it safe to repeat a write, with an account and a transfer of its own.
func (r *run) accounts() {
	op := &contract.CreateAccount
	mark := "payctl-verify-" + strings.ToLower(rand.Text()[:10])
	account := map[string]string{
		"type": "individual", "firstName": "Verify", "lastName": "Payctl", "email": mark + "@example.com", "country": "GB", "externalId": mark,
	}
	call := Call{Op: op, Body: account, Key: mark}
	answer, ok := r.expect("response to a creation", call, 201)
	id := r.id(answer)
	if id == "" {
		r.skip("one key, one effect", op, "nothing was created")
		return
	}
	again, _ := r.ask(call)
	made := r.count(&contract.ListAccounts, "externalId", mark)
	r.require("one key, one effect", op, again, r.id(again) == id && made == 1,
		fmt.Sprintf("the same request with the same key was answered with %s, and %d accounts have its external id", described(again), made))
	account["externalId"] += "-other"
	other, _ := r.ask(call)
	made = r.count(&contract.ListAccounts, "externalId", account["externalId"])
	r.require("other content with a used key", op, other, isRefusal(other) && made == 0,
		fmt.Sprintf("it was answered with %s, and should be refused; %d accounts were made", described(other), made))
	if ok {
		r.transfers(id, mark)
	}
}

// transfers checks the same of payments, which the service makes once for each reference.
func (r *run) transfers(account, mark string) {
	op := &contract.CreateAutoTransfer
	if answer, ok := r.expect("400 for missing members", Call{Op: op, Body: struct{}{}, Key: mark + "-e"}, 400); ok {
		body := string(answer.Body)
		r.require("errors of missing members", op, answer,
			strings.Contains(body, `"destinationSavedContactId"`) && strings.Contains(body, `"route"`),
			"the problem does not name destinationSavedContactId and route")
	}
	answer, _ := r.expect("response to a creation", Call{Op: &contract.CreateSavedContact, Key: mark + "-c", Body: map[string]string{
		"accountId": account, "label": mark, "holderName": "Verify Payctl", "holderType": "individual",
		"paymentRail": "sepa", "currency": "EUR", "iban": "DE89370400440532013000",
	}}, 201)
	contact := r.id(answer)
	route, amount := r.sepaRoute()
	switch {
	case contact == "" || route == "":
		r.skip("one reference, one payment", op, "there is no contact, or no route to one")
		return
	case !r.isApproved(account):
		r.skip("one reference, one payment", op, "the identity check of "+account+" was not approved in time")
		return
	}
	transfer := map[string]any{
		"destinationSavedContactId": contact, "route": route, "amount": amount, "reference": mark,
	}
	answer, _ = r.expect("response to a creation", Call{Op: op, Body: transfer, Key: mark + "-1"}, 201)
	id := r.id(answer)
	if id == "" {
		r.skip("one reference, one payment", op, "nothing was created")
		return
	}
	again, _ := r.ask(Call{Op: op, Body: transfer, Key: mark + "-2"})
	made := r.count(&contract.ListTransfers, "reference", mark)
	r.require("one reference, one payment", op, again, (r.id(again) == id || isRefusal(again)) && made == 1,
		fmt.Sprintf("the same transfer with another key was answered with %s, and %d transfers have its reference", described(again), made))
	transfer["metadata"] = map[string]string{"other": "content"}
	other, _ := r.ask(Call{Op: op, Body: transfer, Key: mark + "-3"})
	made = r.count(&contract.ListTransfers, "reference", mark)
	r.require("other content with a used reference", op, other, isRefusal(other) && made <= 1,
		fmt.Sprintf("it was answered with %s, and should be refused; %d transfers have the reference", described(other), made))
	r.one(&contract.GetTransfer, id)
}

// isApproved waits until the identity check of an account is decided.
func (r *run) isApproved(account string) bool {
	for began := time.Now(); time.Since(began) < approvalTime; {
		answer, _ := r.ask(Call{Op: &contract.GetKYCStatus, Params: []string{account}})
		switch payments.Text(r.translated(&contract.GetKYCStatus, answer.Body), "status") {
		case string(payments.KYCStatusApproved):
			return true
		case string(payments.KYCStatusRejected):
			return false
		}
		if wait.Sleep(r.ctx, time.Second/2) != nil {
			return false
		}
	}
	return false
}

// sepaRoute returns a route to an IBAN, and the smallest amount that it takes; empty if there is none.
func (r *run) sepaRoute() (key, amount string) {
	answer, _ := r.ask(Call{Op: &contract.SelectRoutes, Body: struct{}{}})
	var info payments.TransferInfo
	_ = payments.Read(answer.Body, &info, r.terms.TranslateType) // another answer has no routes
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

// id returns the id of what a write made; empty if it was no success.
func (r *run) id(answer Answer) string {
	if answer.Operation == nil || answer.Status >= 300 {
		return ""
	}
	return payments.Text(r.translated(answer.Operation, answer.Body), "id")
}

// count returns how many rows of a list have a value; -1 if they cannot be read.
func (r *run) count(op *contract.Operation, member, value string) int {
	_, _, having := r.selected(op, member, value)
	return having
}

func isRefusal(answer Answer) bool { return answer.Status >= 400 && answer.Status < 500 }

func described(answer Answer) string {
	if answer.Status == 0 {
		return "nothing"
	}
	return fmt.Sprintf("status %d", answer.Status)
}
