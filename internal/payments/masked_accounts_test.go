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
		Type: AccountTypeIndividual, FirstName: "Ada Élise", LastName: "X", LegalName: "Example Ltd", RegistrationNumber: "01234567",
		Email: "ada@example.com", Country: "GB", ExternalID: "user-1", BirthDate: "1990-12-31", PhoneNumber: "+442079460000", TaxID: "123456789",
		Address: &Address{Line1: "1 Street", City: "London", Region: "ENG", PostalCode: "N1 1AA", Country: "GB"}, Metadata: Metadata{"a": "b"},
	}.Opened("acc_1", KYCStatusPending, born)
	masked := account.Masked()
	require.Equal(t, Account{
		ID: "acc_1", KYCStatus: KYCStatusPending, Type: AccountTypeIndividual, FirstName: "A*** É***", LastName: "***", LegalName: "Example Ltd",
		RegistrationNumber: "01234567", Email: "a***@example.com", Country: "GB", ExternalID: "user-1", BirthDate: "***", PhoneNumber: "+********0000",
		TaxID: "*****6789", Address: &Address{Line1: "***", City: "***", Region: "ENG", PostalCode: "***", Country: "GB"},
		Metadata: Metadata{"a": "b"}, CreatedAt: born, UpdatedAt: born,
	}, masked)
	require.Equal(t, "1 Street", account.Address.Line1, "the account itself stays as it was")
	require.Equal(t, masked, masked.Masked())
	require.Equal(t, Account{}, Account{}.Masked())
}
