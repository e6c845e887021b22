package contract

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// Whatever the value is, it stays one segment of the path, from which it is read back.
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
	for query, fields := range map[string][]string{
		"":                                     nil,
		"limit=1&cursor=acc_1":                 nil,
		"limit=100":                            nil,
		"limit=0":                              {"limit"},
		"limit=101":                            {"limit"},
		"limit=":                               {"limit"},
		"limit=1e1":                            {"limit"},
		"limit=99999999999999999999":           {"limit"},
		"limit=1&limit=2":                      {"limit"},
		"limit=%2B5":                           {"limit"},
		"limit=05":                             {"limit"},
		"limit=00":                             {"limit"},
		"limit=-05":                            {"limit"},
		"limit=-0":                             {"limit"}, // an integer, but less than 1
		"limit=-":                              {"limit"},
		"limit=5.0":                            {"limit"},
		"limit=1_0":                            {"limit"},
		"limit=%205":                           {"limit"},
		"limit=0x5":                            {"limit"},
		"kycStatus=approved,pending":           nil,
		"kycStatus=approved&kycStatus=pending": nil,
		"kycStatus=approved,rejected&kycStatus=pending": nil,
		"kycStatus=approved&kycStatus=frozen":           {"kycStatus"},
		"kycStatus=approved&kycStatus=":                 {"kycStatus"},
		"kycStatus=":                                    {"kycStatus"},
		"kycStatus=approved,":                           {"kycStatus"},
		"email=a%40b&email=a%40b":                       {"email"},
		strings.Repeat("kycStatus=approved&", 20):       nil,
		strings.Repeat("kycStatus=approved&", 21):       {"kycStatus"},
		"kycStatus=frozen&limit=x":                      {"kycStatus", "limit"},
		"createdAfter=2026-01-01T00:00:00":              {"createdAfter"},
		"createdAfter=2026-01-01T00:00:00%2B01:00":      nil,
	} {
		values, err := url.ParseQuery(query)
		require.NoError(t, err)
		report := ValidateValues(ListAccounts.Query, values)
		require.Len(t, report.Errors, len(fields), query)
		for _, field := range fields {
			require.Len(t, report.Errors[field], 1, query)
		}
	}
	report := ValidateValues(ListAccounts.Query, url.Values{"page": {"1"}, "Limit": {"1"}})
	require.Equal(t, []string{"Limit", "page"}, report.Unknown)
}

func TestValidateForm(t *testing.T) {
	t.Parallel()
	require.Empty(t,
		ValidateValues(schemaAccessTokenRequest.Members, url.Values{"grant_type": {"client_credentials"}}).Errors)
	report := ValidateValues(schemaAccessTokenRequest.Members, url.Values{
		"grant_type": {"password"}, "scope": {"a", "b"}, "username": {"x"},
	})
	require.Len(t, report.Errors, 2)
	require.Equal(t, []string{"username"}, report.Unknown)
}

// What is missing depends on the kind of account, and on nothing that has a value.
func TestMissing(t *testing.T) {
	t.Parallel()
	missing := func(op Operation, given map[string]string) string {
		return strings.Join(op.Missing(func(member string) string { return given[member] }), " ")
	}
	require.Equal(t, "country email type", missing(CreateAccount, nil))
	require.Equal(t, "country email firstName lastName", missing(CreateAccount, map[string]string{"type": "individual"}))
	require.Equal(t, "legalName",
		missing(CreateAccount, map[string]string{"type": "business", "country": "GB", "email": "a"}))
	require.Empty(t, missing(CreateAccount, map[string]string{"type": "new", "country": "GB", "email": "a"}))
	require.Equal(t, "destinationSavedContactId route", missing(CreateAutoTransfer, nil))
	require.Empty(t, missing(ListAccounts, nil), "it has no body")
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
