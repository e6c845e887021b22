package server_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/refserver"
	"github.com/payctl/payctl/internal/test/paytest"
)

// Every answer names its request, and no two have the same name.
func TestRequestIDs(t *testing.T) {
	t.Parallel()
	a := run(t, refserver.Config{})
	account := a.approved()
	seen := map[string]bool{}
	check := func(answer *answer) {
		t.Helper()
		id := answer.header.Get("X-Request-Id")
		require.Regexp(t, `^req_[A-Z2-7]{26}$`, id, answer)
		require.False(t, seen[id], "%s names two requests", id)
		seen[id] = true
		if answer.status >= http.StatusBadRequest && answer.body != "" {
			require.Equal(t, id, answer.member("requestId"))
		}
	}
	for _, op := range contract.Operations {
		path := contract.Expand(op.Path, account)
		for _, authorization := range []string{"Bearer " + a.token, basic(paytest.ClientID, paytest.ClientSecret), ""} {
			if op.Method == http.MethodDelete && op.Path == tokenPath {
				continue // the token is needed
			}
			check(a.do(op.Method, path, "", "Authorization", authorization, "X-Request-Id", "mine"))
		}
		check(a.do("OPTIONS", path, ""))
		check(a.do("TRACE", path, ""))
	}
	check(a.do("GET", "/nowhere", ""))
	check(a.do("BREW", "/", ""))
	check(a.dial(t).write("OPTIONS * HTTP/1.1", "Host: a").read())
	check(a.do("GET", accountsPath, ""))
	logged := a.do("GET", "/sandbox/requests/v1?limit=1", "").member("data").([]any)[0].(map[string]any)
	require.True(t, seen[logged["requestId"].(string)], "the request log has the same name")
}

func TestCacheHeaders(t *testing.T) {
	t.Parallel()
	a := run(t, refserver.Config{})
	kyc, transfer := revised(t, a)
	for request, expected := range map[string]string{
		"GET " + accountsPath:                            "no-store",
		"GET " + strings.TrimSuffix(kyc, "/kyc") + "/v1": "no-cache",
		"GET " + kyc + "/v1":                             "no-cache",
		"HEAD " + kyc + "/v1":                            "no-cache",
		"GET " + transfer + "/v1":                        "no-cache",
		"GET /transfers/v1":                              "no-store",
		"GET " + contactsPath:                            "no-store",
		"GET /events/v1":                                 "no-store",
		"POST " + transfer + "/cancel/v1":                "no-store",
		"GET " + tokenPath:                               "no-store",
		"GET /healthz":                                   "no-store",
		"GET /openapi.json":                              "no-cache",
		"GET /openapi.yaml":                              "no-cache",
		"GET /problems/gone":                             "no-cache",
		"GET /sandbox/clock/v1":                          "no-store",
		"GET /sandbox/snapshot/v1":                       "no-store",
		"GET /nowhere":                                   "no-store",
		"POST /healthz":                                  "no-store",
		"GET /accounts/none/v1":                          "no-store",
		"GET /accounts/none/kyc/v1":                      "no-store",
	} {
		method, path, _ := strings.Cut(request, " ")
		answer := a.do(method, path, "")
		require.Equal(t, []string{expected}, answer.header["Cache-Control"], request)
		require.Empty(t, answer.header.Get("Last-Modified"), "nothing has a date")
		if expected == "no-store" {
			require.Empty(t, answer.header.Get("ETag"), request)
		}
	}
	require.Equal(t, "Accept", a.do("GET", "/events/v1", "").header.Get("Vary"))
	token := a.do("POST", tokenPath, "", "Authorization", basic(paytest.ClientID, paytest.ClientSecret))
	require.Equal(t, "no-store", token.header.Get("Cache-Control"))
	require.Equal(t, "no-cache", token.header.Get("Pragma"))
	date, err := http.ParseTime(token.header.Get("Date"))
	require.NoError(t, err)
	require.WithinDuration(t, time.Now(), date, time.Hour)
}

// A refusal of a body's form says which forms are taken.
func TestAcceptedTypesAreNamed(t *testing.T) {
	t.Parallel()
	a := run(t, refserver.Config{})
	patch := a.do("PATCH", infoPath, "{}", "Content-Type", "application/merge-patch+json")
	requireProblem(t, patch, payments.KindUnsupportedMediaType)
	require.Equal(t, "application/json", patch.header.Get("Accept-Patch"))
	require.Equal(t, "application/json", a.do("OPTIONS", infoPath, "").header.Get("Accept-Patch"))
	post := a.do("POST", accountsPath, "{}", "Content-Type", "text/plain")
	requireProblem(t, post, payments.KindUnsupportedMediaType)
	require.Empty(t, post.header.Get("Accept-Patch"), "it has no PATCH")
	require.Empty(t, a.do("OPTIONS", accountsPath, "").header.Get("Accept-Patch"))
	for _, headers := range [][]string{
		{"Content-Type", "application/json", "Content-Type", "text/plain"}, {"Content-Type", "application/json", "Content-Type", "application/json"},
	} {
		answer := a.do("PATCH", infoPath, "{}", headers...)
		requireProblem(t, answer, payments.KindUnsupportedMediaType)
	}
	for _, headers := range [][]string{
		{"Content-Encoding", "identity", "Content-Encoding", "gzip"}, {"Content-Encoding", "identity, gzip"}, {"Content-Encoding", "x-unheard-of"},
	} {
		answer := a.do("PATCH", infoPath, "{}", headers...)
		requireProblem(t, answer, payments.KindUnsupportedMediaType)
		require.Equal(t, "identity", answer.header.Get("Accept-Encoding"))
		require.Empty(t, answer.header.Get("Accept"), "the media type is not to blame")
	}
	require.Equal(t, http.StatusOK, a.do("PATCH", infoPath, "{}", "Content-Encoding", "IDENTITY").status)
}

// Every member of a problem document, of a problem of each sort.
func TestProblemMembers(t *testing.T) {
	t.Parallel()
	a := run(t, refserver.Config{})
	for _, c := range []struct {
		answer *answer
		kind   payments.Kind
		path   string
	}{
		{a.do("GET", "/accounts/none/v1?x=1", ""), payments.KindNotFound, "/accounts/none/v1"},
		{a.do("GET", "/accounts/a%20b/v1", ""), payments.KindNotFound, "/accounts/a%20b/v1"},
		{a.do("POST", autoPath, "{}"), payments.KindValidation, autoPath},
		{a.do("POST", autoPath, "{"), payments.KindMalformed, autoPath},
		{a.do("GET", accountsPath, "", "Authorization", ""), payments.KindUnauthenticated, accountsPath},
		{a.do("PUT", accountsPath, ""), payments.KindMethodNotAllowed, accountsPath},
	} {
		members := c.answer.members()
		described := payments.Describe(c.kind)
		require.Equal(t, "application/problem+json", c.answer.header.Get("Content-Type"))
		require.Equal(t, a.URL+"/problems/"+string(c.kind), members["type"])
		require.Equal(t, described.Title, members["title"])
		require.EqualValues(t, described.Status, members["status"])
		require.EqualValues(t, c.answer.status, members["status"])
		require.NotEmpty(t, members["detail"])
		require.Equal(t, c.path, members["instance"], "the path, without the query")
		require.Equal(t, c.answer.header.Get("X-Request-Id"), members["requestId"])
		require.Equal(t, c.kind == payments.KindValidation, members["errors"] != nil)
		for name := range members {
			require.Contains(t, []string{"type", "title", "status", "detail", "instance", "errors", "requestId"}, name)
		}
	}
}
