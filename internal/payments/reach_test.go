package payments

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var (
	kycStatuses = []KYCStatus{
		KYCStatusNotStarted, KYCStatusIncomplete, KYCStatusPending, KYCStatusUnderReview, KYCStatusResubmissionRequired,
		KYCStatusApproved, KYCStatusRejected, KYCStatusExpired, KYCStatusPaused, KYCStatusOffboarded,
	}
	transferStates = []TransferState{
		TransferStateAwaitingFunds, TransferStateInReview, TransferStateFundsReceived, TransferStatePaymentSubmitted,
		TransferStatePaymentProcessed, TransferStateUndeliverable, TransferStateReturned, TransferStateRefunded,
		TransferStateCanceled, TransferStateExpired, TransferStateFailed,
	}
)

// closure is what can be reached in one step or more, by adding step to step until nothing is new.
func closure[S comparable](states []S, step func(from, to S) bool) map[[2]S]bool {
	known := map[[2]S]bool{}
	for range states {
		for _, from := range states {
			for _, to := range states {
				for _, over := range states {
					if step(from, to) || known[[2]S{from, over}] && step(over, to) {
						known[[2]S{from, to}] = true
					}
				}
			}
		}
	}
	return known
}

func TestReach(t *testing.T) {
	t.Parallel()
	kyc := closure(kycStatuses, KYCStatus.CanBecome)
	for _, from := range kycStatuses {
		for _, to := range kycStatuses {
			require.Equal(t, kyc[[2]KYCStatus{from, to}], from.CanReach(to), "%s to %s", from, to)
		}
		require.Equal(t, !from.Final(), from.CanReach("unheard_of"))
		require.True(t, KYCStatus("unheard_of").CanReach(from))
		require.Equal(t, from != KYCStatusRejected && from != KYCStatusOffboarded, from.CanReach(KYCStatusApproved), "%s", from)
	}
	transfers := closure(transferStates, TransferState.CanBecome)
	for _, from := range transferStates {
		for _, to := range transferStates {
			require.Equal(t, transfers[[2]TransferState{from, to}], from.CanReach(to), "%s to %s", from, to)
		}
		require.Equal(t, from.Final(), !from.CanReach("unheard_of"))
	}
	require.True(t, TransferStateRefunded.Final())
	require.False(t, TransferStateReturned.Final())
	require.False(t, TransferState("unheard_of").Final())
}

func TestPassed(t *testing.T) {
	t.Parallel()
	require.True(t, TransferStatePaymentProcessed.HasPassed(TransferStateFundsReceived))
	require.True(t, TransferStatePaymentSubmitted.HasPassed(TransferStateAwaitingFunds))
	require.False(t, TransferStateAwaitingFunds.HasPassed(TransferStateFundsReceived))
	require.False(t, TransferStatePaymentProcessed.HasPassed(TransferStatePaymentProcessed))
	require.False(t, TransferStateFailed.HasPassed(TransferStateAwaitingFunds), "it failed")
	require.False(t, TransferStatePaymentProcessed.HasPassed(TransferStateFailed))
	require.False(t, TransferState("unheard_of").HasPassed(TransferStateAwaitingFunds))
}

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
