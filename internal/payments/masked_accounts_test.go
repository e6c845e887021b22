package payments

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestMaskedAccounts(t *testing.T) {
	t.Parallel()
	born := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	account := NewAccount{
		Type: AccountTypeIndividual, FirstName: "Ada Élise", LastName: "X", LegalName: "Example Ltd",
		RegistrationNumber: "01234567", Email: "ada@example.com", Country: "GB", ExternalID: "user-1",
		BirthDate: "1990-12-31", PhoneNumber: "+442079460000", TaxID: "123456789", Metadata: Metadata{"a": "b"},
		Address: &Address{Line1: "1 Street", City: "London", Region: "ENG", PostalCode: "N1 1AA", Country: "GB"},
	}.Opened("acc_1", KYCStatusPending, born)
	want := account
	want.FirstName, want.LastName, want.Email = "A*** É***", "***", "a***@example.com"
	want.BirthDate, want.PhoneNumber, want.TaxID = "***", "+********0000", "*****6789"
	want.Address = &Address{Line1: "***", City: "***", Region: "ENG", PostalCode: "***", Country: "GB"}
	masked := account.Masked()
	require.Equal(t, want, masked)
	require.Equal(t, "1 Street", account.Address.Line1, "the account itself is not changed")
	require.Equal(t, masked, masked.Masked())
	require.Equal(t, Account{}, Account{}.Masked())
}
