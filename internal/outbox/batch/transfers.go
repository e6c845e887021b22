package batch

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/money"
	"github.com/payctl/payctl/internal/outbox"
	"github.com/payctl/payctl/internal/outbox/journal"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/wait"
)

const (
	contactMember = "destinationSavedContactId"

	maxSingle   = 1000 // contacts that are read one by one; more are found in the list
	maxAccounts = 20   // accounts of contacts that are read before anything is sent
)

// Transfers are rows that become the transfers of a batch.
type Transfers struct {
	Plan
	// TakesAny reports that rows without an amount are meant: they take whatever arrives.
	TakesAny bool
	// References matches the references that the service keeps as they are; nil means all.
	References *regexp.Regexp

	contacts map[string]*contact // by their names in rows: an identifier, external id or label
}

// A contact is a beneficiary as the service has it.
type contact struct {
	payments.SavedContact
	payee journal.Payee
	rows  int
	fault string // why it cannot be paid
}

// Format describes the rows.
func (t *Transfers) Format() Format[payments.NewAutoTransfer] {
	return Format[payments.NewAutoTransfer]{
		Op:      &contract.CreateAutoTransfer,
		Columns: map[string]string{contactMember: "contact", "externalId": "", "batchId": ""},
		ID:      "reference",
		Named:   []string{contactMember, "route"},
		Check:   t.checkAmount,
		Write: func(request payments.NewAutoTransfer) *outbox.Write {
			request.BatchID = t.BatchID
			return outbox.NewAutoTransfer(request, payments.Idempotency{})
		},
	}
}

func (t *Transfers) checkAmount(request *payments.NewAutoTransfer) payments.FieldErrors {
	wrong := payments.FieldErrors{}
	switch {
	case request.Amount == nil && request.AmountType != "":
		wrong.Add("amount", "amount is empty, and amount_type needs one")
	case request.Amount == nil && !t.TakesAny:
		wrong.Add("amount", "amount is empty: such a payment takes whatever arrives; if that is meant, add --set amount=")
	case request.Amount != nil && request.Amount.Zero():
		wrong.Add("amount", "amount must be more than zero")
	case request.Amount != nil && request.AmountType == "":
		request.AmountType = payments.AmountTypeSource
	}
	return wrong
}

// Check asks the service about the contacts and routes of a file, adds errors to its rows, and plans the batch. It
// changes nothing.
func (t *Transfers) Check(ctx context.Context, service payments.Reads, file *File[payments.NewAutoTransfer]) error {
	t.Plan = Plan{BatchID: t.BatchID} // an earlier check may have had rows that are left out now
	info, err := service.SelectRoutes(ctx, payments.RouteSelection{})
	if err == nil {
		err = t.findContacts(ctx, service, file)
	}
	if err != nil {
		return err
	}
	t.Rows, t.File = len(file.Items), file.name
	routes := routePlans(info)
	var sum money.Decimal
	for i, item := range file.Items {
		request := &item.Request
		name := request.DestinationSavedContactID
		to, route := t.contacts[name], routes[request.Route.RouteKey]
		fault := to.fault
		if fault == "" && route != nil {
			fault = route.key.Misses(to.SavedContact)
		}
		if fault != "" {
			item.Wrong(contactMember, "%s", fault)
		}
		request.DestinationSavedContactID = to.ID
		item.ContactID, item.Beneficiary, item.payee = to.ID, to.Label+" ("+to.HolderName+")", &to.payee
		to.payee = outbox.PayeeOf(name, to.SavedContact)
		if t.References != nil && !t.References.MatchString(request.Reference) {
			item.Wrong("reference", "reference %q does not match references: %s of the profile", request.Reference, t.References)
		}
		to.rows++
		switch {
		case route != nil:
			if item.Sum, fault = t.add(route, request); fault != "" {
				item.Wrong("amount", "%s", fault)
			}
		case strings.HasSuffix(request.Route.RouteKey, "-"):
			item.Wrong("route", "route %q does not exist; if the shell took the > as a redirection, write the value in quotes",
				request.Route.RouteKey)
		default:
			item.Wrong("route", "route %q does not exist", request.Route.RouteKey)
		}
		if request.Amount == nil {
			continue
		}
		if last := i == len(file.Items)-1; last && i > 1 && request.Amount.Equal(sum) {
			t.Warnings = append(t.Warnings, fmt.Sprintf(
				"line %d (%s) has the sum of all rows before it, %s: it may be a totals line, not a payment",
				item.Line, request.Reference, request.Amount))
		}
		sum = sum.Add(*request.Amount)
	}
	t.addContacts()
	if err := t.digest(file); err != nil {
		return err
	}
	return t.warnOfAccounts(ctx, service)
}

// findContacts finds the contacts of a file. Names that do not look like identifiers are found in the list. The rest,
// and what a list does not show, are read one by one. A name must have one contact: a guess could pay another person.
func (t *Transfers) findContacts(
	ctx context.Context, service payments.Reads, file *File[payments.NewAutoTransfer],
) error {
	t.contacts = map[string]*contact{}
	lists := false
	for _, item := range file.Items {
		name := item.Request.DestinationSavedContactID
		t.contacts[name] = &contact{}
		lists = lists || !payments.IsContactID(name)
	}
	var known payments.NamedContacts
	if lists || len(t.contacts) > maxSingle {
		if err := known.Read(ctx, service, payments.SavedContactFilter{}); err != nil {
			return err
		}
	}
	var rest []string
	for name, to := range t.contacts {
		switch chosen, fault := known.Choose(name); {
		case chosen != nil:
			to.SavedContact = *chosen
		case fault != "":
			to.fault = fault
		case known.Partial, payments.IsContactID(name):
			rest = append(rest, name)
		default:
			to.fault = fmt.Sprintf("contact %q does not exist", name)
		}
	}
	return wait.Each(ctx, len(rest), func(ctx context.Context, i int) error {
		read, err := service.GetSavedContact(ctx, rest[i])
		problem, isProblem := errors.AsType[*payments.ProblemError](err)
		to := t.contacts[rest[i]]
		if to.SavedContact, to.ID = read.Value, rest[i]; isProblem && (problem.Status == 404 || problem.Status == 410) {
			to.fault, err = fmt.Sprintf("contact %q does not exist", rest[i]), nil
		}
		return err
	})
}

// warnOfAccounts warns of contacts whose account is not approved. The service may refuse their rows. An account that
// cannot be read is not an error.
func (t *Transfers) warnOfAccounts(ctx context.Context, service payments.Reads) error {
	labels := map[string][]string{} // by account
	for _, to := range t.contacts {
		if to.AccountID != "" && !slices.Contains(labels[to.AccountID], to.Label) {
			labels[to.AccountID] = append(labels[to.AccountID], to.Label)
		}
	}
	ids := slices.Sorted(maps.Keys(labels))
	for _, id := range ids[:min(len(ids), maxAccounts)] {
		read, err := service.GetAccount(ctx, id)
		status := read.Value.KYCStatus
		if err == nil && status != "" && status != payments.KYCStatusApproved { // an account need not show it
			slices.Sort(labels[id])
			t.Warnings = append(t.Warnings, fmt.Sprintf("the account %s of %s is %s and not approved: payments may be refused",
				id, strings.Join(labels[id], ", "), status))
		}
	}
	return context.Cause(ctx)
}
