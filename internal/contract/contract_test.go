package contract

import (
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// Any value stays one segment of the path, and can be read back from it.
func TestExpandIsReversible(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		value := rapid.String().Draw(t, "value")
		path := Expand(GetAccount.Path, value)
		segment := regexp.MustCompile(`^/accounts/([^/?#]*)/v1$`).FindStringSubmatch(path)
		require.NotNil(t, segment, path)
		back, err := url.PathUnescape(segment[1])
		require.NoError(t, err)
		require.Equal(t, value, back)
	})
	require.Equal(t, "/a/%7Btwo%7D/b/y", Expand("/a/{one}/b/{two}", "{two}", "y"))
}

// A client can quote the id of a request whatever the response is.
func TestEveryResponseHasARequestID(t *testing.T) {
	t.Parallel()
	for _, op := range Operations {
		for _, answer := range op.Responses {
			i := slices.IndexFunc(answer.Response.Headers, func(m Member) bool { return m.Name == "X-Request-Id" })
			require.GreaterOrEqual(t, i, 0, "%s %d", op.ID, answer.Status)
			require.True(t, answer.Response.Headers[i].Required, "%s %d", op.ID, answer.Status)
		}
	}
}

func TestValidateQuery(t *testing.T) {
	t.Parallel()
	for fields, queries := range map[string][]string{
		"": {
			"", "limit=1&cursor=acc_1", "limit=100", "kycStatus=approved,pending", "kycStatus=approved&kycStatus=pending",
			"kycStatus=approved,rejected&kycStatus=pending", strings.Repeat("kycStatus=approved&", 20),
			"createdAfter=2026-01-01T00:00:00%2B01:00",
		},
		"limit": {
			"limit=0", "limit=101", "limit=", "limit=1e1", "limit=99999999999999999999", "limit=1&limit=2", "limit=%2B5",
			"limit=05", "limit=00", "limit=-05", "limit=-0", "limit=-", "limit=5.0", "limit=1_0", "limit=%205", "limit=0x5",
		},
		"kycStatus": {
			"kycStatus=approved&kycStatus=frozen", "kycStatus=approved&kycStatus=", "kycStatus=", "kycStatus=approved,",
			strings.Repeat("kycStatus=approved&", 21),
		},
		"email": {"email=a%40b&email=a%40b"}, "createdAfter": {"createdAfter=2026-01-01T00:00:00"},
		"kycStatus limit": {"kycStatus=frozen&limit=x"},
	} {
		for _, query := range queries {
			values, err := url.ParseQuery(query)
			require.NoError(t, err)
			found := ValidateValues(ListAccounts.Query, values).Errors
			require.Equal(t, fields, strings.Join(slices.Sorted(maps.Keys(found)), " "), query)
			for _, messages := range found {
				require.Len(t, messages, 1, query)
			}
		}
	}
	report := ValidateValues(ListAccounts.Query, url.Values{"page": {"1"}, "Limit": {"1"}})
	require.Equal(t, []string{"Limit", "page"}, report.Unknown)
}

// Every operation that a command can use is in the table of resources once.
func TestEveryOperationIsOfOneResource(t *testing.T) {
	t.Parallel()
	count := map[*Operation]int{}
	for _, r := range Resources {
		for _, use := range r.Uses {
			count[use.Op]++
			require.NotEmpty(t, use.Commands, use.Op.ID)
		}
	}
	for _, op := range Operations {
		isUsed := op.Access != Open && !op.IsSandbox()
		require.Equal(t, isUsed, count[op] == 1, op.ID)
	}
}
