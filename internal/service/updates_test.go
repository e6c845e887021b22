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

func (w *world) account(t require.TestingT, id string) service.State[payments.Account] {
	read, err := w.GetAccount(background, id, service.ReadOptions{})
	require.NoError(t, err)
	return read
}

func (w *world) contact(t require.TestingT, id string) service.State[payments.SavedContact] {
	read, err := w.GetSavedContact(background, id, service.ReadOptions{})
	require.NoError(t, err)
	return read
}

func shown(t require.TestingT, value any) map[string]any {
	document, err := payments.Document(value)
	require.NoError(t, err)
	return document
}

// mask is what the service shows of a tax identifier of eight or more characters.
func mask(taxID string) string { return strings.Repeat("*", len(taxID)-4) + taxID[len(taxID)-4:] }

// A patch has the effect on what a client sees that RFC 7396 describes, or none.
func TestPatchOfAnAccountIsThatOfItsDocument(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		w := empty(t)
		request := person("ada@example.com")
		request.Metadata = payments.Metadata{"a": "1", "b": "2"}
		request.ExternalID, request.PhoneNumber, request.TaxID = "x-1", "+442079460000", "AB123456C"
		request.Address = &payments.Address{Line1: "1 St James's Square", City: "London", Country: "GB", PostalCode: "SW1Y 4LB"}
		created, err := w.CreateAccount(background, request, once)
		require.NoError(t, err)
		id := created.Value.ID
		for range rapid.IntRange(1, 4).Draw(t, "patches") {
			before := w.account(t, id)
			patch := drawPatch(t)
			updated, err := w.UpdateAccount(background, id, patch, once)
			after := w.account(t, id)
			if err != nil {
				requireRefused(t, err, payments.ProblemValidation)
				require.Equal(t, before, after, "a refused patch changes nothing: %v", patch)
				continue
			}
			require.Equal(t, after.Value, updated.Value)
			expected := patch.Apply(shown(t, before.Value))
			delete(expected, "unknown")
			if pairs, _ := expected["metadata"].(map[string]any); len(pairs) == 0 {
				delete(expected, "metadata")
			}
			changed := payments.Changed(shown(t, before.Value), expected) // a tax identifier may be the one that is masked
			if taxID, ok := expected["taxId"].(string); ok {
				expected["taxId"] = mask(taxID)
			}
			require.Equal(t, expected, shown(t, after.Value), "%v", patch)
			require.Equal(t, len(changed) > 0, before.ETag != after.ETag, "%v", patch)
		}
	})
}

// drawPatch draws a patch of an account, which may be one that has to be refused.
func drawPatch(t *rapid.T) payments.MergePatch {
	values := map[string][]any{
		"email":       {"ada@example.com", "bea@example.com", "no address", nil},
		"firstName":   {"Ada", "Bea", nil},
		"legalName":   {"Ada Ltd", nil},
		"country":     {"GB", "DE", "ZZ", nil},
		"birthDate":   {"1990-12-31", "2020-01-01", nil},
		"phoneNumber": {"+442079460001", "12", nil},
		"externalId":  {"x-1", "x-2", "", nil},
		"taxId":       {"AB123456C", "CD123456E", nil},
		"address":     {nil, map[string]any{"line2": "Flat 2"}, map[string]any{"postalCode": nil}, map[string]any{"city": nil}, "London"},
		"metadata":    {nil, map[string]any{"a": "3"}, map[string]any{"a": nil, "b": nil}, map[string]any{"z": nil}, map[string]any{}, map[string]any{"a": 7.0}},
		"unknown":     {map[string]any{"deep": map[string]any{"x": nil}}, nil},
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
	account := w.open(t, "ada@example.com")
	contact := w.save(t, "sepa", "EUR", "Grace")
	many := map[string]any{}
	for i := range 51 {
		many[fmt.Sprint("key", i)] = "value"
	}
	before, contactBefore := w.account(t, account.ID), w.contact(t, contact.ID)
	for field, patch := range map[string]payments.MergePatch{
		"email": {"email": nil}, "lastName": {"lastName": nil}, "firstName": {"firstName": 5.0}, "id": {"id": nil},
		"address.line1": {"address": map[string]any{"city": "London"}}, "metadata": {"metadata": many},
		"kycStatus": {"kycStatus": "approved"}, "type": {"type": "business", "legalName": "Ada Ltd"},
		"birthDate": {"birthDate": "2020-01-01"}, "country": {"country": "ZZ"},
	} {
		_, err := w.UpdateAccount(background, account.ID, patch, once)
		require.Contains(t, requireRefused(t, err, payments.ProblemValidation).Errors, field)
		require.Equal(t, before, w.account(t, account.ID), field)
	}
	for _, field := range []string{"iban", "bic", "address", "memo", "paymentRail", "currency", "accountId", "holderType", "id", "createdAt"} {
		_, err := w.UpdateSavedContact(background, contact.ID, payments.MergePatch{"label": "New", field: "changed"}, once)
		require.Equal(t, []string{field}, requireRefused(t, err, payments.ProblemValidation).Errors.Names())
		require.Equal(t, contactBefore, w.contact(t, contact.ID), field)
	}
	_, err := w.UpdateSavedContact(background, contact.ID, payments.MergePatch{"iban": nil}, once)
	requireRefused(t, err, payments.ProblemValidation)
	_, err = w.UpdateSavedContact(background, contact.ID, payments.MergePatch{"label": nil}, once)
	requireRefused(t, err, payments.ProblemValidation)
	_, err = w.UpdateAccount(background, "acc_none", payments.MergePatch{}, once)
	requireRefused(t, err, payments.ProblemNotFound)
	_, err = w.UpdateSavedContact(background, "sct_none", payments.MergePatch{}, once)
	requireRefused(t, err, payments.ProblemNotFound)
}

// What the client sees can be sent back as it is, with the members that are to change. Lists follow the change.
func TestPatchWithTheWholeDocument(t *testing.T) {
	t.Parallel()
	w := empty(t)
	account, contact := w.open(t, "ada@example.com"), w.save(t, "sepa", "EUR", "Grace")
	before, events := w.account(t, account.ID), w.events(t, payments.EventFilter{})
	patch := payments.MergePatch(shown(t, account))
	_, err := w.UpdateAccount(background, account.ID, patch, once)
	require.NoError(t, err)
	require.Equal(t, before, w.account(t, account.ID), "nothing has changed")
	patch["email"] = "bea@example.com"
	_, err = w.UpdateAccount(background, account.ID, patch, once)
	require.NoError(t, err)
	found, err := w.ListAccounts(background, payments.AccountFilter{Email: "BEA@example.com"})
	require.NoError(t, err)
	require.Len(t, found.Data, 1)

	patch = shown(t, contact)
	patch["label"], patch["externalId"] = "Hopper", "vendor-7"
	renamed, err := w.UpdateSavedContact(background, contact.ID, patch, once)
	require.NoError(t, err)
	require.Equal(t, contact.IBAN, renamed.Value.IBAN)
	listed, err := w.ListSavedContacts(background, payments.SavedContactFilter{Label: "Hopper", ExternalID: "vendor-7"})
	require.NoError(t, err)
	require.Equal(t, []payments.SavedContact{renamed.Value}, listed.Data)
	require.Equal(t, events, w.events(t, payments.EventFilter{}), "a patch is no event")
}

// A patch does not disturb the identity check, and what the check was about stays once there is a verdict.
func TestPatchesAndTheIdentityCheck(t *testing.T) {
	t.Parallel()
	w := empty(t)
	account := w.open(t, "ada@example.com")
	check := w.kyc(t, account.ID)
	_, err := w.UpdateAccount(background, account.ID, payments.MergePatch{"lastName": "King"}, once)
	require.NoError(t, err, "the check is %s", account.KYCStatus)
	require.Equal(t, check, w.kyc(t, account.ID))
	tag := w.account(t, account.ID).ETag
	w.advance(t, kycDelay)
	approved := w.account(t, account.ID)
	require.Equal(t, payments.KYCStatusApproved, approved.Value.KYCStatus, "the verdict comes when it would have come")
	require.NotEqual(t, tag, approved.ETag)

	_, err = w.UpdateAccount(background, account.ID, payments.MergePatch{"lastName": "Byron", "country": "DE", "email": "b@example.com"}, once)
	refusal := requireRefused(t, err, payments.ProblemInvalidState)
	require.Contains(t, refusal.Detail, "country, lastName")
	require.Equal(t, approved, w.account(t, account.ID))
	updated, err := w.UpdateAccount(background, account.ID, payments.MergePatch{"lastName": "King", "email": "b@example.com"}, once)
	require.NoError(t, err, "a name that stays as it is")
	require.Equal(t, "b@example.com", updated.Value.Email)
	require.Equal(t, w.clock.Now(), updated.Value.UpdatedAt)
}
