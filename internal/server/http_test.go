package server_test

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/refserver"
	"github.com/payctl/payctl/internal/test/paytest"
)

// Paths outside the contract are not found. Paths that a router would clean are refused, not redirected: a redirected
// POST may be lost or sent twice.
func TestPaths(t *testing.T) {
	t.Parallel()
	a := run(t, refserver.Config{})
	for _, path := range []string{
		"", "/", "/accounts", "/accounts/v1/", "/accounts/v2", "/favicon.ico", "/problems/", "/a%00b", "/sandbox%2Freset",
		"//accounts/v1", "/accounts//v1", "/./accounts/v1", "/accounts/./v1", "/accounts/../accounts/v1", "/accounts/v1/..",
		"/../../etc/passwd", "/accounts/%2e/v1", "/accounts/%2E%2E/%2e%2e/v1", "/accounts/%2F/v1", "/accounts/..%2fv1",
		"/accounts%2Fv1", "/%2faccounts/v1", "/accounts/v1%2F",
	} {
		for _, method := range []string{"GET", "POST"} {
			answer := a.do(method, path, "")
			requireProblem(t, answer, payments.ProblemNotFound)
			require.Empty(t, answer.header.Get("Location"), path)
		}
	}
	long := strings.Repeat("a", 4000)
	for _, id := range []string{"a%2Fb", "a%20b", "%3Fx", "%00", "...", "a%252Fb", "%E2%80%AE", long} {
		requireProblem(t, a.do("GET", "/accounts/"+id+"/v1", ""), payments.ProblemNotFound)
	}
	for _, target := range []string{
		"/%ff", "/accounts/%c3/v1", "/accounts/%ed%a0%80/v1", "/accounts/v1?email=%ff", "/accounts/v1?%ff=a",
	} {
		requireProblem(t, a.do("GET", target, ""), payments.ProblemMalformed)
	}
	require.Equal(t, http.StatusOK, a.do("GET", "/%61ccounts/v1", "").status, "an escape of the same path")
}

func TestMethods(t *testing.T) {
	t.Parallel()
	a := run(t, refserver.Config{})
	allowed := map[string][]string{}
	for _, op := range contract.Operations {
		allowed[op.Path] = append(allowed[op.Path], op.Method)
	}
	for template, methods := range allowed {
		if slices.Contains(methods, http.MethodGet) {
			methods = append(methods, http.MethodHead)
		}
		methods = append(methods, http.MethodOptions)
		slices.Sort(methods)
		path := contract.Expand(template, "x")
		for _, method := range []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "BREW", "get"} {
			answer := a.do(method, path, "", "Authorization", "")
			allow := strings.Join(methods, ", ")
			switch {
			case method == http.MethodOptions:
				require.Equal(t, http.StatusNoContent, answer.status)
				require.Empty(t, answer.body)
			case slices.Contains(methods, method):
				require.NotEqual(t, http.StatusMethodNotAllowed, answer.status, "%s %s", method, path)
				continue
			case method == "BREW" || method == "get": // method names are case-sensitive
				requireProblem(t, answer, payments.ProblemNotImplemented)
				allow = ""
			default:
				require.Equal(t, http.StatusMethodNotAllowed, answer.status, "%s %s", method, path)
			}
			require.Equal(t, allow, answer.header.Get("Allow"), "%s %s", method, path)
		}
	}
}

// HEAD has the headers of GET. Every answer has Cache-Control, and identifies itself, the service and its world.
func TestHeaders(t *testing.T) {
	t.Parallel()
	a := run(t, refserver.Config{Version: "1.2.3"})
	kyc, transfer, _ := revised(t, a)
	world := a.do("GET", accountsPath, "").header.Get("Payctl-World")
	require.NotEmpty(t, world)
	ids := map[string]bool{}
	check := func(answer *answer, of, cache string) {
		t.Helper()
		id := answer.header.Get("X-Request-Id")
		require.Regexp(t, `^req_[A-Z2-7]{26}$`, id, of)
		require.False(t, ids[id], "%s names two requests", id)
		ids[id] = true
		require.Equal(t, "payctl/1.2.3", answer.header.Get("Server"))
		require.Equal(t, "nosniff", answer.header.Get("X-Content-Type-Options"))
		require.Equal(t, []string{cache}, answer.header["Cache-Control"], of)
		require.Empty(t, answer.header.Get("Last-Modified"), "no answer has a date")
		require.True(t, cache == "no-cache" || answer.header.Get("ETag") == "", of)
	}
	for path, cache := range map[string]string{
		strings.TrimSuffix(kyc, "/kyc") + "/v1": "no-cache", kyc + "/v1": "no-cache", transfer + "/v1": "no-cache",
		"/openapi.json": "no-cache", "/openapi.yaml": "no-cache", "/healthz": "no-store", accountsPath: "no-store",
		"/transfers/v1": "no-store", contactsPath: "no-store", eventsPath: "no-store", tokenPath: "no-store",
		clockPath: "no-store", snapshotPath: "no-store", "/accounts/none/v1": "no-store", "/nowhere": "no-store",
		"/accounts/none/kyc/v1": "no-store", "/accounts//v1": "no-store",
	} {
		get, head := a.do("GET", path, "", "X-Request-Id", "mine"), a.do("HEAD", path, "")
		check(get, path, cache)
		check(head, path, cache)
		require.Equal(t, get.status, head.status, path)
		require.Empty(t, head.body)
		for _, name := range []string{"Content-Type", "ETag", "Payctl-World"} {
			require.Equal(t, get.header.Get(name), head.header.Get(name), "%s of %s", name, path)
		}
	}
	for path, method := range map[string]string{
		transfer + "/cancel/v1": "POST", "/healthz": "POST", accountsPath: "TRACE", "/": "BREW",
	} {
		check(a.do(method, path, ""), path, "no-store")
	}
	require.Equal(t, world, a.do("GET", "/accounts/none/v1", "").header.Get("Payctl-World"))
	require.NotEqual(t, world, a.as("other").do("GET", accountsPath, "").header.Get("Payctl-World"))
	require.Empty(t, a.do("GET", accountsPath, "", "Authorization", "").header.Get("Payctl-World"))
	logged := good[payments.SandboxRequestPage](a.do("GET", requestsPath+"?limit=9", "")).Data
	require.True(t, slices.ContainsFunc(logged, func(r payments.SandboxRequest) bool { return ids[r.RequestID] }),
		"the log has the same request IDs")
}

func TestAccept(t *testing.T) {
	t.Parallel()
	a := run(t, refserver.Config{})
	for status, accepts := range map[int][]string{
		200: {
			"*/*", "application/*", "text/html, */*;q=0.1", "application/json;q=0.001", "APPLICATION/JSON", "garbage",
			"application/problem+json, application/json", "*/*;q=0, application/json", "application/json; charset=utf-8",
			"application/json;q=NaN", "application/json;q=-1", "text/html, application/json; q=0.5;",
		},
		406: {
			"text/html", "application/xml, text/*", "application/json;q=0", "*/*;q=0", "application/*;q=0, */*",
			"*/*, application/*;q=0", "*/*, application/json;q=0.0", "application/problem+json", "application/json;Q=0",
		},
	} {
		for _, accept := range accepts {
			require.Equal(t, status, a.do("GET", accountsPath, "", "Accept", accept).status, accept)
		}
	}
	require.Equal(t, http.StatusOK, a.do("GET", "/openapi.yaml", "", "Accept", "application/yaml").status)
	requireProblem(t, a.do("GET", "/openapi.yaml", "", "Accept", "application/json"), payments.ProblemNotAcceptable)
	twice := a.do("GET", accountsPath, "", "Accept", "text/html", "Accept", "image/*")
	requireProblem(t, twice, payments.ProblemNotAcceptable)
}

// A refusal of a media type or an encoding lists the supported ones.
func TestMediaTypesAndEncodings(t *testing.T) {
	t.Parallel()
	a := run(t, refserver.Config{})
	const media = "application/json"
	for _, supported := range []string{media, "application/json; charset=utf-8", "Application/JSON", "application/json;"} {
		require.Equal(t, http.StatusOK, a.do("PATCH", infoPath, `{}`, "Content-Type", supported).status, supported)
	}
	for _, other := range []string{
		"text/plain", "application/xml", "application/json-patch+json", "application/merge-patch+json", form, "nonsense",
		"application/json, text/plain", "", `application/json;a="`,
	} {
		answer := a.do("PATCH", infoPath, `{}`, "Content-Type", other)
		requireProblem(t, answer, payments.ProblemUnsupportedMediaType)
		require.Equal(t, media, answer.header.Get("Accept"))
		require.Equal(t, media, answer.header.Get("Accept-Patch"))
	}
	require.Equal(t, media, a.do("OPTIONS", infoPath, "").header.Get("Accept-Patch"))
	require.Empty(t, a.do("OPTIONS", accountsPath, "").header.Get("Accept-Patch"), "it has no PATCH")
	twice := a.do("PATCH", infoPath, "{}", "Content-Type", media, "Content-Type", media)
	requireProblem(t, twice, payments.ProblemUnsupportedMediaType)

	require.Equal(t, http.StatusOK, a.do("PATCH", infoPath, `{}`, "Content-Encoding", "IDENTITY").status)
	for _, codings := range [][]string{
		{"Content-Encoding", "gzip"}, {"Content-Encoding", "identity, gzip"}, {"Content-Encoding", "x-unheard-of"},
		{"Content-Encoding", "identity", "Content-Encoding", "gzip"},
	} {
		answer := a.do("PATCH", infoPath, `{}`, codings...)
		requireProblem(t, answer, payments.ProblemUnsupportedMediaType)
		require.Equal(t, "identity", answer.header.Get("Accept-Encoding"))
		require.Empty(t, answer.header.Get("Accept"), "the media type is right")
	}
}

// Every operation refuses a body that is too large, malformed, or required and missing.
func TestBodies(t *testing.T) {
	t.Parallel()
	const most = 10_000
	a := run(t, refserver.Config{Bounds: refserver.Bounds{BodyBytes: most, SnapshotBytes: 2 * most}})
	malformed := map[string]string{
		"blank":              "  ",
		"truncated":          `{"route":`,
		"no JSON":            `route=sepa`,
		"comment":            `{/* */}`,
		"duplicate, escaped": `{"route":"a","\u0072oute":"a"}`,
		"overlong UTF-8":     "{\"route\":\"\xc0\xaf\"}",
		"invalid UTF-8 name": "{\"\xed\xa0\x80\":1}",
		"deep and open":      strings.Repeat(`[`, most),
	}
	for _, op := range contract.Operations {
		if op.Body == nil {
			continue
		}
		path, authorization, limit := contract.Expand(op.Path, "x"), "Bearer "+a.token, most
		if op.Access == contract.Basic {
			authorization = basic(paytest.ClientID, paytest.ClientSecret)
		}
		if op == &contract.RestoreSandboxSnapshot {
			limit *= 2
		}
		send := func(body string) *answer {
			return a.do(op.Method, path, body, "Content-Type", op.BodyMedia, "Authorization", authorization)
		}
		requireProblem(t, send(strings.Repeat(" ", limit+1)), payments.ProblemContentTooLarge)
		for name, body := range malformed {
			answer := send(body)
			require.Equal(t, http.StatusBadRequest, answer.status, "%s: %s: %s", op.ID, name, answer.body)
			requireProblem(t, answer, payments.ProblemMalformed)
			require.Less(t, len(answer.body), 1000)
		}
		if op.BodyRequired {
			requireProblem(t, send(""), payments.ProblemMalformed)
		}
	}
	require.Equal(t, http.StatusOK, a.do("PATCH", infoPath, "{}"+strings.Repeat(" ", most-2)).status)
	open := run(t, refserver.Config{})
	requireProblem(t, open.do("PATCH", infoPath, strings.Repeat("[", 10_001)+strings.Repeat("]", 10_001)),
		payments.ProblemMalformed)
	requireProblem(t, open.do("PATCH", infoPath, strings.Repeat(`{"x":`, 10_001)+"1"+strings.Repeat("}", 10_001)),
		payments.ProblemMalformed)
}

func TestQueries(t *testing.T) {
	t.Parallel()
	a := run(t, refserver.Config{})
	for _, query := range []string{"limit=%zz", "limit=1;cursor=acc_"} {
		requireProblem(t, a.do("GET", accountsPath+"?"+query, ""), payments.ProblemMalformed)
	}
	for _, query := range []string{
		"limit=0", "limit=101", "limit=ten", "limit=1&limit=2", "createdAfter=yesterday", "kycStatus=frozen", "cursor=trf_1",
		"cursor=acc_", "cursor=" + strings.Repeat("a", 257), "kycStatus=approved&kycStatus=frozen",
		"kycStatus=approved&kycStatus=", "email=a%40b.test&email=a%40b.test",
	} {
		requireProblem(t, a.do("GET", accountsPath+"?"+query, ""), payments.ProblemValidation)
	}
	require.Equal(t, http.StatusOK, a.do("GET", accountsPath+"?", "").status)

	// A misspelt filter, or one with an unescaped plus sign, is refused instead of matching everything.
	for query, expected := range map[string]string{
		"kycStatus[]=rejected": "did you mean kycStatus?", "kycStatus%5B0%5D=rejected": "did you mean kycStatus?",
		"kycstatus=rejected": "did you mean kycStatus?", "kyc_status=rejected": "did you mean kycStatus?",
		"status=rejected": "did you mean kycStatus?", "limit=1&Limit=1": "did you mean limit?",
		"xyz=1": "which has limit, ", "[]=1": "which has limit, ", "=1": "which has limit, ",
		"email=eve+kyc-rejected@example.com": "send %2B", "createdAfter=2020-01-01T00:00:00+02:00": "send %2B",
	} {
		errors := requireProblem(t, a.do("GET", accountsPath+"?"+query, ""), payments.ProblemValidation).Errors
		require.Len(t, errors, 1, query)
		require.Contains(t, errors[errors.Names()[0]][0], expected, query)
	}
	require.Equal(t, http.StatusOK, a.do("GET", "/healthz?_=1", "").status, "it has no filters")

	// The elements of a list are separated by commas, or the parameter is repeated, or both.
	a.approved()
	a.do("POST", accountsPath, adaBody)
	for query, found := range map[string]int{
		"kycStatus=approved": 1, "kycStatus=approved,pending": 2, "kycStatus=approved&kycStatus=pending": 2,
		"kycStatus=rejected&kycStatus=rejected": 0, "kycStatus=rejected,approved&kycStatus=pending": 2,
	} {
		require.Len(t, a.do("GET", accountsPath+"?"+query, "").member("data"), found, query)
	}

	// A cursor of another client is refused, like a cursor of another list.
	other := a.as("other")
	other.do("POST", accountsPath, adaBody)
	cursor := "?cursor=" + a.do("GET", accountsPath+"?limit=1", "").member("nextCursor").(string)
	require.Equal(t, http.StatusOK, a.do("GET", accountsPath+cursor, "").status)
	requireProblem(t, other.do("GET", accountsPath+cursor, ""), payments.ProblemValidation)
	requireProblem(t, a.do("GET", "/transfers/v1"+cursor, ""), payments.ProblemValidation)
}

// Times in queries and bodies may have any form of RFC 3339, and no other.
func TestTimes(t *testing.T) {
	t.Parallel()
	a, _ := unchecked(t, refserver.Config{}) // the OpenAPI library accepts only capital letters
	snapshot := a.do("GET", snapshotPath, "")
	taken := snapshot.member("takenAt").(string)
	const wrong, good = "2030-01-01T00:00:00,5Z", "2026-12-31t23:59:59+02:00"
	for field, answer := range map[string]*answer{
		"now":          a.do("PUT", clockPath, `{"mode":"manual","now":"`+wrong+`"}`),
		"takenAt":      a.do("PUT", snapshotPath, strings.Replace(snapshot.body, taken, wrong, 1)),
		"createdAfter": a.do("GET", accountsPath+"?createdAfter="+url.QueryEscape(wrong), ""),
	} {
		require.Equal(t, []string{field}, requireProblem(t, answer, payments.ProblemValidation).Errors.Names())
	}
	require.Equal(t, http.StatusOK, a.do("GET", accountsPath+"?createdAfter="+url.QueryEscape(good), "").status)
	require.Equal(t, http.StatusOK, a.do("PUT", clockPath, `{"mode":"manual","now":"`+good+`"}`).status)
}

// The documents name the address at which they were requested, and otherwise equal those of the contract.
func TestDocumentsNameTheirServer(t *testing.T) {
	t.Parallel()
	a := run(t, refserver.Config{})
	for path, file := range map[string][]byte{"/openapi.yaml": contract.YAML, "/openapi.json": contract.JSON} {
		for host, address := range map[string]string{
			"127.0.0.1:8700": "http://127.0.0.1:8700", "payments.example": "http://payments.example", "a:": "http://a",
			"[::1]:8700": "http://[::1]:8700", "a,b;c=d&e:80": "http://a,b;c=d&e:80",
			"[fe80::1%25eth0]": "", "a'{b}": "", `a"b`: "", `a\b`: "",
		} {
			answer := a.dial(t).write("GET "+path+" HTTP/1.1", "Host: "+host).read()
			if address == "" {
				require.Equal(t, http.StatusBadRequest, answer.status, host)
				continue
			}
			require.Equal(t, http.StatusOK, answer.status, host)
			expected := strings.ReplaceAll(string(file), "http://127.0.0.1:8700", address)
			require.True(t, answer.body == expected, "%s of %q", path, host)
			require.Equal(t, strconv.Itoa(len(answer.body)), answer.header.Get("Content-Length"))
		}
	}
}
