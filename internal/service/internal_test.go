package service

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/payments"
)

// FuzzParseCursor holds a cursor to be the one text of its place, and cursors to sort as their places do.
func FuzzParseCursor(f *testing.F) {
	for _, seed := range []string{
		"evt_00000000000000000000000000", "latest", "evt_abcdefghijklmnopvvvvvvvvvv",
		"evt_abcdefghijklmnop00000000vv", "evt_1", "evt_abcdefghijklmnop+000000001",
		"evt_ABCDEFGHIJKLMNOP0000000001",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		name, seq, ok := parseEventID(text)
		if !ok {
			return
		}
		require.Equal(t, text, eventID(name, seq))
		require.Len(t, text, len(prefixEvent)+instanceNameLength+placeLength)
		if seq+1 < 1<<placeBits {
			require.Less(t, text, eventID(name, seq+1))
		}
	})
}

// FuzzParseScopes holds scopes to be known, each there once and none that was not asked for.
func FuzzParseScopes(f *testing.F) {
	for _, seed := range []string{
		"KYC:read", "", "kyc:read", "kyc:read\taccounts:read\n", "kyc:read kyc:read accounts:read", "everything",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		scopes, wrong := parseScopes(text)
		if len(wrong) > 0 {
			require.Empty(t, scopes)
			return
		}
		asked := strings.Fields(text)
		for _, scope := range scopes {
			require.Contains(t, Scopes, scope)
			require.True(t, len(asked) == 0 || slices.Contains(asked, scope))
		}
		for _, scope := range asked {
			require.Contains(t, scopes, scope)
		}
		again, wrong := parseScopes(strings.Join(scopes, " "))
		require.Empty(t, wrong)
		require.ElementsMatch(t, scopes, again)
		require.Len(t, slices.Compact(slices.Sorted(slices.Values(scopes))), len(scopes))
	})
}

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
