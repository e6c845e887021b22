package outbox

import (
	"context"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/payctl/payctl/internal/outbox/journal"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/shell"
)

// ImportAccount creates the account of a row, or returns the one that has the row's external id. The key is made of the
// external id, so that the same row has one account wherever and however often it is sent. An account that exists with
// other content is an *ExternalIDUsedError.
func (o *Outbox) ImportAccount(
	ctx context.Context, account payments.NewAccount,
) (payments.WriteResult[payments.Account], error) {
	write := o.accountWrite(account, keyOfExternalID(CreateAccountOperation, account.ExternalID))
	write.Differs = func(existing payments.Account, _ bool) error {
		next := shell.Hint("payctl accounts update -- ACCOUNT   (changes the existing one)",
			shell.Values{"ACCOUNT": existing.ID})
		return checkSameContent("account", next, existing.ID, string(existing.KYCStatus), account, existing)
	}
	return submitImport(ctx, o, write, account)
}

// ImportSavedContact is ImportAccount for saved contacts.
func (o *Outbox) ImportSavedContact(
	ctx context.Context, contact payments.NewSavedContact,
) (payments.WriteResult[payments.SavedContact], error) {
	write := o.contactWrite(contact, keyOfExternalID(CreateContactOperation, contact.ExternalID))
	write.Differs = func(existing payments.SavedContact, _ bool) error {
		normal, _ := contact.Check() // the service shows the coordinates in this form
		next := shell.Hint("payctl contacts update -- CONTACT   (changes the existing one)",
			shell.Values{"CONTACT": existing.ID})
		return checkSameContent("contact", next, existing.ID, "", normal, existing)
	}
	return submitImport(ctx, o, write, contact)
}

func keyOfExternalID(operation, externalID string) payments.Idempotency {
	return payments.Idempotency{Key: journal.ReferenceKey(operation, externalID)}
}

func submitImport[T any](
	ctx context.Context, o *Outbox, write Write[T], body any,
) (payments.WriteResult[T], error) {
	// What another write with the external id has created counts as the row's if it has the same content.
	write.LookFirst, write.Intent.OneExternalID = true, true
	return submitOperation(ctx, o, write, body)
}

// An ExternalIDUsedError says that an external id belongs to something that exists.
type ExternalIDUsedError struct {
	*payments.ProblemError

	ID, State string
	// Differences are the members in which what exists differs from what was to be created; none if that was not compared.
	Differences []string
}

// Unwrap is the problem.
func (e *ExternalIDUsedError) Unwrap() error { return e.ProblemError }

// checkSameContent returns an error if what exists with an external id differs from a request.
func checkSameContent(noun, next, id, state string, request, existing any) error {
	differing := differingMembers(request, existing)
	if len(differing) == 0 {
		return nil
	}
	problem := payments.NewLocalProblem(payments.KindExternalIDUsed, nil,
		"The external id belongs to another "+noun+".", "It belongs to %s, which differs in %s. Nothing was changed.",
		id, strings.Join(differing, ", "))
	problem.Next = next
	return &ExternalIDUsedError{problem, id, state, differing}
}

// differingMembers are the names of the members of a request that what exists does not have, or has otherwise. What the
// request leaves out does not count.
func differingMembers(request, existing any) (names []string) {
	wanted, _ := payments.Document(request) // values of the contract can always be encoded
	shown, _ := payments.Document(existing)
	for _, name := range slices.Sorted(maps.Keys(wanted)) {
		if !isSameValue(wanted[name], shown[name]) {
			names = append(names, name)
		}
	}
	return names
}

// isSameValue compares a value of a request with the one that the service shows, which may be masked.
func isSameValue(wanted, shown any) bool {
	text, isText := wanted.(string)
	mask, isShown := shown.(string)
	if !isText || !isShown {
		return reflect.DeepEqual(wanted, shown)
	}
	begin, end := strings.IndexByte(mask, '*'), strings.LastIndexByte(mask, '*')
	if begin < 0 {
		return text == mask
	}
	return len(text) >= len(mask)-(end+1-begin) && strings.HasPrefix(text, mask[:begin]) && strings.HasSuffix(text, mask[end+1:])
}
