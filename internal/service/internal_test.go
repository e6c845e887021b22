package service

import (
	"net/http"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/payments"
)

// FuzzParseCursor checks that each place has exactly one cursor, and that cursors sort like their places.
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

// The contract repeats the limits of identity checks.
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

// RFC 9110 section 8.8.3.2 has the table of comparisons. Sections 13.1.1 and 13.1.2 define lists and *.
func TestEntityTagComparison(t *testing.T) {
	t.Parallel()
	type comparison struct {
		tag          string
		weak, strong bool
	}
	for c, lists := range map[comparison][]string{
		{`"1"`, true, true}:    {`"1"`, `*`, ` * `, `"2", "1"`, `"2","1"`, `, "2",, "1" ,`, `"a,b", "1"`},
		{`"1"`, true, false}:   {`W/"1"`, `"2" , W/"1"`},
		{`W/"1"`, true, false}: {`"1"`, `W/"1"`},
		{`"1"`, false, false}: {
			`"2"`, `"1", 2`, `"1", *`, `",*,"`, `w/"1"`, `1`, `"1`, `"2" "1"`, `"2", *`, `"1"x`, `"1";q=1`, `"1""1"`, `W/ "1"`,
			``,
		},
		{`W/"2"`, false, false}: {`W/"1"`},
		{`1`, false, false}:     {`",1,"`},
	} {
		for _, list := range lists {
			require.Equal(t, c.weak, names(list, c.tag, true), "%q weakly with %q", list, c.tag)
			require.Equal(t, c.strong, names(list, c.tag, false), "%q strongly with %q", list, c.tag)
		}
	}
}
