package service_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/service"
)

func (w *world) account(id string) service.State[payments.Account] {
	return must(w.GetAccount(background, id, service.ReadOptions{}))
}

func (w *world) contact(id string) service.State[payments.SavedContact] {
	return must(w.GetSavedContact(background, id, service.ReadOptions{}))
}

func shown(value any) map[string]any {
	return must(payments.Document(value))
}

// mask returns what the service shows of a tax identifier of eight or more characters.
func mask(taxID string) string { return strings.Repeat("*", len(taxID)-4) + taxID[len(taxID)-4:] }

// A patch changes what a client sees as RFC 7396 describes, or is refused.
func TestPatchOfAnAccountIsThatOfItsDocument(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		w := empty(t)
		request := person("ada@example.com")
		request.Metadata = payments.Metadata{"a": "1", "b": "2"}
		request.ExternalID, request.PhoneNumber, request.TaxID = "x-1", "+442079460000", "AB123456C"
		request.Address = &payments.Address{Line1: "1 St James's", City: "London", Country: "GB", PostalCode: "SW1Y 4LB"}
		id := must(w.CreateAccount(background, request, once)).Value.ID
		for range rapid.IntRange(1, 4).Draw(t, "patches") {
			before := w.account(id)
			patch := drawPatch(t)
			updated, err := w.UpdateAccount(background, id, patch, once)
			after := w.account(id)
			if err != nil {
				requireRefused(t, err, payments.ProblemValidation)
				require.Equal(t, before, after, "a refused patch changes nothing: %v", patch)
				continue
			}
			require.Equal(t, after.Value, updated.Value)
			expected := patch.Apply(shown(before.Value))
			delete(expected, "unknown")
			if pairs, _ := expected["metadata"].(map[string]any); len(pairs) == 0 {
				delete(expected, "metadata")
			}
			changed := payments.Changed(shown(before.Value), expected) // an equal tax identifier differs from the masked one
			if taxID, ok := expected["taxId"].(string); ok {
				expected["taxId"] = mask(taxID)
			}
			require.Equal(t, expected, shown(after.Value), "%v", patch)
			require.Equal(t, len(changed) > 0, before.ETag != after.ETag, "%v", patch)
		}
	})
}

// drawPatch draws a patch of an account, which may be invalid.
func drawPatch(t *rapid.T) payments.MergePatch {
	type object = map[string]any
	values := map[string][]any{
		"email":       {"ada@example.com", "bea@example.com", "no address", nil},
		"firstName":   {"Ada", "Bea", nil},
		"legalName":   {"Ada Ltd", nil},
		"country":     {"GB", "DE", "ZZ", nil},
		"birthDate":   {"1990-12-31", "2020-01-01", nil},
		"phoneNumber": {"+442079460001", "12", nil},
		"externalId":  {"x-1", "x-2", "", nil},
		"taxId":       {"AB123456C", "CD123456E", nil},
		"address":     {nil, object{"line2": "Flat 2"}, object{"postalCode": nil}, object{"city": nil}, "London"},
		"metadata":    {nil, object{"a": "3"}, object{"a": nil, "b": nil}, object{"z": nil}, object{}, object{"a": 7.0}},
		"unknown":     {object{"deep": object{"x": nil}}, nil},
		"type":        {"individual", "business"},
	}
	patch := payments.MergePatch{}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		of := values[name]
		if rapid.IntRange(0, 3).Draw(t, "has "+name) == 0 {
			patch[name] = of[rapid.IntRange(0, len(of)-1).Draw(t, name)]
		}
	}
	return patch
}

func TestPatchesThatAreRefused(t *testing.T) {
	t.Parallel()
	w := empty(t)
	account := w.open("ada@example.com")
	contact := w.save(t, "sepa", "EUR", "Grace")
	many := map[string]any{}
	for i := range 51 {
		many[fmt.Sprint("key", i)] = "value"
	}
	before, contactBefore := w.account(account.ID), w.contact(contact.ID)
	for field, patch := range map[string]payments.MergePatch{
		"email": {"email": nil}, "lastName": {"lastName": nil}, "firstName": {"firstName": 5.0}, "id": {"id": nil},
		"address.line1": {"address": map[string]any{"city": "London"}}, "metadata": {"metadata": many},
		"kycStatus": {"kycStatus": "approved"}, "type": {"type": "business", "legalName": "Ada Ltd"},
		"birthDate": {"birthDate": "2020-01-01"}, "country": {"country": "ZZ"},
	} {
		_, err := w.UpdateAccount(background, account.ID, patch, once)
		require.Contains(t, requireRefused(t, err, payments.ProblemValidation).Errors, field)
		require.Equal(t, before, w.account(account.ID), field)
	}
	for _, field := range []string{
		"iban", "bic", "address", "memo", "paymentRail", "currency", "accountId", "holderType", "id", "createdAt",
	} {
		_, err := w.UpdateSavedContact(background, contact.ID, payments.MergePatch{"label": "New", field: "changed"}, once)
		require.Equal(t, []string{field}, requireRefused(t, err, payments.ProblemValidation).Errors.Names())
		require.Equal(t, contactBefore, w.contact(contact.ID), field)
	}
	for _, patch := range []payments.MergePatch{{"iban": nil}, {"label": nil}} {
		_, err := w.UpdateSavedContact(background, contact.ID, patch, once)
		requireRefused(t, err, payments.ProblemValidation)
	}
	nothing := payments.MergePatch{}
	requireRefused(t, errOf(w.UpdateAccount(background, "acc_none", nothing, once)), payments.ProblemNotFound)
	requireRefused(t, errOf(w.UpdateSavedContact(background, "sct_none", nothing, once)), payments.ProblemNotFound)
}

// A client can send back the whole document with some members changed. Lists follow the change.
func TestPatchWithTheWholeDocument(t *testing.T) {
	t.Parallel()
	w := empty(t)
	account, contact := w.open("ada@example.com"), w.save(t, "sepa", "EUR", "Grace")
	before, events := w.account(account.ID), w.events(t, payments.EventFilter{})
	patch := payments.MergePatch(shown(account))
	must(w.UpdateAccount(background, account.ID, patch, once))
	require.Equal(t, before, w.account(account.ID), "nothing has changed")
	patch["email"] = "bea@example.com"
	must(w.UpdateAccount(background, account.ID, patch, once))
	found := must(w.ListAccounts(background, payments.AccountFilter{Email: "BEA@example.com"}))
	require.Len(t, found.Data, 1)
	patch = shown(contact)
	patch["label"], patch["externalId"] = "Hopper", "vendor-7"
	renamed := must(w.UpdateSavedContact(background, contact.ID, patch, once))
	require.Equal(t, contact.IBAN, renamed.Value.IBAN)
	listed := must(w.ListSavedContacts(background, payments.SavedContactFilter{Label: "Hopper", ExternalID: "vendor-7"}))
	require.Equal(t, []payments.SavedContact{renamed.Value}, listed.Data)
	require.Equal(t, events, w.events(t, payments.EventFilter{}), "a patch has no event")
}

// A patch does not affect the identity check. Members that the check verifies cannot change after its verdict.
func TestPatchesAndTheIdentityCheck(t *testing.T) {
	t.Parallel()
	w := empty(t)
	account := w.open("ada@example.com")
	check := w.kyc(account.ID)
	must(w.UpdateAccount(background, account.ID, payments.MergePatch{"lastName": "King"}, once))
	require.Equal(t, check, w.kyc(account.ID))
	tag := w.account(account.ID).ETag
	w.advance(t, kycDelay)
	approved := w.account(account.ID)
	require.Equal(t, payments.KYCStatusApproved, approved.Value.KYCStatus, "the verdict comes on time")
	require.NotEqual(t, tag, approved.ETag)

	patch := payments.MergePatch{"lastName": "Byron", "country": "DE", "email": "b@example.com"}
	_, err := w.UpdateAccount(background, account.ID, patch, once)
	require.Contains(t, requireRefused(t, err, payments.ProblemInvalidState).Detail, "country, lastName")
	require.Equal(t, approved, w.account(account.ID))
	patch = payments.MergePatch{"lastName": "King", "email": "b@example.com"} // the name does not change
	updated := must(w.UpdateAccount(background, account.ID, patch, once)).Value
	require.Equal(t, "b@example.com", updated.Email)
	require.Equal(t, w.clock.Now(), updated.UpdatedAt)
}
