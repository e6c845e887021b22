package service

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/store"
)

// UpdateAccount implements payments.Service. A patch that changes nothing keeps the account's entity tag.
func (s *Service) UpdateAccount(
	ctx context.Context, accountID string, patch payments.AccountPatch, key WriteKey,
) (Written[payments.Account], error) {
	return applyOnce(ctx, s, "updateAccount", key, func(w *work) (account payments.Account, err error) {
		record, err := get(w.Accounts(), "account", accountID)
		if err != nil {
			return account, err
		}
		w.tag = s.accountTag(w, record)
		if err := w.require(w.tag); err != nil {
			return account, err
		}
		updated, merged, err := mergeAccount(record, patch, w.now)
		switch {
		case err != nil:
			return account, err
		case len(merged.errors) > 0:
			return account, payments.NewValidationProblem(merged.errors)
		case len(merged.changed) == 0:
			return record.Account, nil
		}
		if checked := merged.among(identityMembers); len(checked) > 0 && record.KYCStatus.Decided() {
			return account, payments.NewProblem(payments.ProblemInvalidState,
				"The identity check is %s, and its verdict is about %s, which cannot be changed any more. "+
					"Create another account for another person or business.", record.KYCStatus, strings.Join(checked, ", "))
		}
		changed := *record
		changed.Account = updated
		changed.Edits++
		w.tag = s.accountTag(w, &changed)
		return updated, w.Accounts().Put(&changed)
	})
}

// accountTag returns the entity tag of an account. Its identity check also changes it.
func (s *Service) accountTag(w *work, account *store.Account) string {
	return s.entityTag(w, account.Revision, account.Edits)
}

// identityMembers are the members of an account that its identity check verifies.
var identityMembers = []string{
	"firstName", "lastName", "legalName", "registrationNumber", "country", "birthDate", "address", "taxId",
}

// The schemas of the resources, and the members that a patch may change.
var (
	accountSchema     = contract.GetAccount.SuccessSchema()
	accountMembers    = append([]string{"email", "phoneNumber", "externalId", "metadata"}, identityMembers...)
	contactSchema     = contract.GetSavedContact.SuccessSchema()
	contactMembers    = []string{"label", "holderName", "externalId", "metadata"}
	destinationFields = []string{
		"paymentRail", "currency", "iban", "bic", "routingNumber", "accountNumber", "sortCode", "clabe",
		"pixKey", "pixKeyType",
		"address", "memo",
	}
)

// mergeAccount applies a patch to an account.
func mergeAccount(
	record *store.Account, patch payments.AccountPatch, now time.Time,
) (updated payments.Account, m mergeResult, err error) {
	m, err = merge(record.Account, patch, accountSchema, func(member string) string {
		if slices.Contains(accountMembers, member) {
			return ""
		}
		return "cannot be changed"
	})
	if err != nil {
		return updated, m, err
	}
	var request payments.NewAccount
	if json.Unmarshal(m.document, &request) != nil {
		return updated, m, nil //nolint:nilerr // the schema has reported it
	}
	request, faults := request.Check(now)
	for field, messages := range faults {
		if m.errors[field] == nil {
			m.errors[field] = messages
		}
	}
	updated = request.Opened(record.ID, record.KYCStatus, record.CreatedAt)
	updated.UpdatedAt = now
	return updated, m, nil
}

// UpdateSavedContact implements payments.Service.
func (s *Service) UpdateSavedContact(
	ctx context.Context, savedContactID string, patch payments.SavedContactPatch, key WriteKey,
) (Written[payments.SavedContact], error) {
	return applyOnce(ctx, s, "updateSavedContact", key, func(w *work) (contact payments.SavedContact, err error) {
		record, err := get(w.Contacts(), "saved contact", savedContactID)
		if err != nil {
			return contact, err
		}
		w.tag = s.entityTag(w, record.Edits)
		if err := w.require(w.tag); err != nil {
			return contact, err
		}
		updated, merged, err := mergeContact(record, patch)
		switch {
		case err != nil:
			return contact, err
		case len(merged.errors) > 0:
			return contact, payments.NewValidationProblem(merged.errors)
		case len(merged.changed) == 0:
			return showContact(record), nil
		}
		w.tag = s.entityTag(w, updated.Edits)
		return showContact(updated), w.Contacts().Put(updated)
	})
}

// mergeContact applies a patch to a saved contact. It keeps the record's coordinates, because clients see them masked.
func mergeContact(record *store.Contact, patch payments.SavedContactPatch) (*store.Contact, mergeResult, error) {
	m, err := merge(showContact(record), patch, contactSchema, func(member string) string {
		switch {
		case slices.Contains(contactMembers, member):
			return ""
		case slices.Contains(destinationFields, member):
			return "cannot be changed, because payments would go elsewhere: save another contact, and delete this one"
		}
		return "cannot be changed"
	})
	if err != nil {
		return nil, m, err
	}
	var shown payments.SavedContact
	if json.Unmarshal(m.document, &shown) != nil {
		return nil, m, nil //nolint:nilerr // the schema has reported it
	}
	updated := *record
	updated.Label, updated.HolderName = shown.Label, shown.HolderName
	updated.ExternalID, updated.Metadata = shown.ExternalID, shown.Metadata
	updated.Edits++
	return &updated, m, nil
}

// A mergeResult is the result of a patch.
type mergeResult struct {
	document []byte // JSON
	changed  []string
	errors   payments.FieldErrors
}

// among returns the members that the patch has changed.
func (m *mergeResult) among(members []string) []string {
	return slices.DeleteFunc(slices.Clone(m.changed), func(name string) bool { return !slices.Contains(members, name) })
}

// merge applies a patch to a resource as clients see it, and validates the result. A schema of the patch could not
// bound the pairs of metadata, for example. Members that the schema does not have are ignored. Fixed returns why a
// member cannot be changed, or "". A fixed member with its own value, as from a read, is not a fault.
func merge(
	shown any, patch payments.MergePatch, schema *contract.Schema, fixed func(string) string,
) (m mergeResult, err error) {
	known := maps.Clone(patch)
	maps.DeleteFunc(known, func(name string, _ any) bool { return !schema.Has(name) })
	before, err := payments.Document(shown)
	if err != nil {
		return m, err
	}
	after := known.Apply(before)
	if pairs, ok := after["metadata"].(map[string]any); ok && len(pairs) == 0 {
		delete(after, "metadata") // clients do not see it
	}
	if m.document, err = json.Marshal(after); err != nil {
		return m, err
	}
	report, err := contract.Validate(schema, m.document)
	if err != nil {
		return m, err
	}
	m.changed, m.errors = payments.Changed(before, after), report.Errors
	if m.errors == nil {
		m.errors = payments.FieldErrors{}
	}
	for _, name := range m.changed {
		if reason := fixed(name); reason != "" {
			m.errors[name] = []string{"The " + name + " field " + reason + "."}
		}
	}
	return m, nil
}
