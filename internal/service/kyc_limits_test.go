package service

import (
	"net/http"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/payments"
)

// The contract states the limits of identity checks again.
func TestLimitsOfIdentityChecksAreTheContracts(t *testing.T) {
	t.Parallel()
	member := func(s *contract.Schema, name string) *contract.Schema {
		i := slices.IndexFunc(s.Members, func(m contract.Member) bool { return m.Name == name })
		require.GreaterOrEqual(t, i, 0, name)
		return s.Members[i].Schema
	}
	require.Equal(t, maxRegistrationNumber, member(contract.CreateAccount.Body, "registrationNumber").MaxLength)
	check := contract.GetKYCStatus.ResponseFor(http.StatusOK).Content[0].Schema
	require.EqualValues(t, payments.MaxKYCAttempts, member(check, "attempt").Maximum)
}
