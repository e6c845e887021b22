package server_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/refserver"
	"github.com/payctl/payctl/internal/test/paytest"
)

func TestUnknownPaths(t *testing.T) {
	t.Parallel()
	a := run(t, refserver.Config{})
	for _, path := range []string{"", "/", "/accounts", "/accounts/v1/", "/accounts/v2", "/favicon.ico", "/problems/", "/problems", "/a%00b", "/%ff", "/sandbox%2Freset"} {
		for _, method := range []string{"GET", "POST", "OPTIONS"} {
			requireProblem(t, a.do(method, path, ""), payments.KindNotFound)
		}
	}
}

// Paths that a router would clean are refused, not redirected: a redirected POST is a POST lost or sent twice.
func TestUncleanPaths(t *testing.T) {
	t.Parallel()
	a := run(t, refserver.Config{})
	for _, path := range []string{
		"//accounts/v1", "/accounts//v1", "/./accounts/v1", "/accounts/./v1", "/accounts/../accounts/v1", "/accounts/v1/.", "/accounts/v1/..", "/..",
		"/../../etc/passwd", "/accounts/%2e/v1", "/accounts/%2e%2e/v1", "/accounts/%2E%2E/%2e%2e/v1", "/accounts/%2F/v1", "/accounts/..%2fv1", "/accounts%2Fv1",
		"/%2faccounts/v1", "/accounts/v1%2F",
	} {
		for _, method := range []string{"GET", "POST"} {
			answer := a.do(method, path, "")
			requireProblem(t, answer, payments.KindNotFound)
			require.Empty(t, answer.header.Get("Location"), path)
		}
	}
	for _, id := range []string{"a%2Fb", "a%20b", "%3Fx", "%00", "%ff", "...", "a%252Fb", "%E2%80%AE", strings.Repeat("a", 4000)} {
		requireProblem(t, a.do("GET", "/accounts/"+id+"/v1", ""), payments.KindNotFound)
	}
	require.Equal(t, http.StatusOK, a.do("GET", "/%61ccounts/v1", "").status, "an escape that says the same is the same path")
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
			switch {
			case method == http.MethodOptions:
				require.Equal(t, http.StatusNoContent, answer.status)
				require.Empty(t, answer.body)
				require.Equal(t, strings.Join(methods, ", "), answer.header.Get("Allow"))
			case slices.Contains(methods, method):
				require.NotEqual(t, http.StatusMethodNotAllowed, answer.status, "%s %s", method, path)
			case method == "BREW" || method == "get": // names of methods have a case
				require.Equal(t, http.StatusNotImplemented, answer.status, "%s %s", method, path)
				require.Empty(t, answer.header.Get("Allow"))
				requireProblem(t, answer, payments.KindNotImplemented)
			default:
				require.Equal(t, http.StatusMethodNotAllowed, answer.status, "%s %s", method, path)
				require.Equal(t, strings.Join(methods, ", "), answer.header.Get("Allow"), "%s %s", method, path)
				if method != http.MethodHead {
					requireProblem(t, answer, payments.KindMethodNotAllowed)
				}
			}
		}
	}
}

func TestHead(t *testing.T) {
	t.Parallel()
	a := run(t, refserver.Config{})
	account := a.approved()
	for _, path := range []string{"/healthz", "/openapi.yaml", "/openapi.json", "/problems/not-found", accountsPath, "/accounts/" + account + "/kyc/v1", "/accounts/none/v1", "/nowhere"} {
		get, head := a.do("GET", path, ""), a.do("HEAD", path, "")
		require.Equal(t, get.status, head.status, path)
		require.Empty(t, head.body)
		for _, name := range []string{"Content-Type", "Content-Length", "ETag", "Cache-Control", "Server", "Payctl-World"} {
			require.Equal(t, get.header.Get(name), head.header.Get(name), "%s of %s", name, path)
		}
	}
}

func TestAccept(t *testing.T) {
	t.Parallel()
	a := run(t, refserver.Config{})
	for accept, acceptable := range map[string]bool{
		"*/*": true, "application/json": true, "application/*": true, "text/html, */*;q=0.1": true, "application/json;q=0.001": true, "APPLICATION/JSON": true,
		"application/problem+json, application/json": true, "*/*;q=0, application/json": true, "application/json; charset=utf-8": true, "/": true, "garbage": true,
		"text/html": false, "application/xml, text/*": false, "application/json;q=0": false, "*/*;q=0": false, "application/*;q=0, */*": false, "*/*, application/*;q=0": false,
		`text/plain;x="a, application/json;q=0, b", application/json`: true,
		"text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2":        true, "*/*;q=.": true, "text/html, */*;q=.": false,
		"*/*, application/json;q=0.0": false, "application/problem+json": false,
		"application/json;q=NaN": true, "application/json;q=-1": true, "application/json;q=2, text/html": false, "application/json;q=0.0001, */*": true,
	} {
		answer := a.do("GET", accountsPath, "", "Accept", accept)
		if acceptable {
			require.Equal(t, http.StatusOK, answer.status, accept)
		} else {
			requireProblem(t, answer, payments.KindNotAcceptable)
		}
	}
	require.Equal(t, http.StatusOK, a.do("GET", "/openapi.yaml", "", "Accept", "application/yaml").status)
	requireProblem(t, a.do("GET", "/openapi.yaml", "", "Accept", "application/json"), payments.KindNotAcceptable)
	requireProblem(t, a.do("GET", accountsPath, "", "Accept", "text/html", "Accept", "image/*"), payments.KindNotAcceptable)
}

// endless is a body without a known length.
func endless(size int64) io.Reader { return io.MultiReader(io.LimitReader(spaces{}, size)) }

type spaces struct{}

func (spaces) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' '
	}
	return len(p), nil
}

func TestBodySize(t *testing.T) {
	t.Parallel()
	a := run(t, refserver.Config{})
	const most = 1 << 20
	require.Equal(t, http.StatusOK, a.send("PATCH", infoPath, io.MultiReader(strings.NewReader("{}"), endless(most-2))).status)
	require.Equal(t, http.StatusOK, a.do("PATCH", infoPath, "{}"+strings.Repeat(" ", most-2)).status)
	for _, op := range contract.Operations {
		if op.Body == nil {
			continue
		}
		authorization := "Bearer " + a.token
		if op.Access == contract.Basic {
			authorization = basic(paytest.ClientID, paytest.ClientSecret)
		}
		most := most
		if op.ID == "restoreSandboxSnapshot" {
			most = 64 << 20
		}
		path := contract.Expand(op.Path, "x")
		requireProblem(t, a.do(op.Method, path, strings.Repeat(" ", most+1), "Authorization", authorization), payments.KindContentTooLarge)
		requireProblem(t, a.send(op.Method, path, endless(int64(most)+1), "Authorization", authorization), payments.KindContentTooLarge)
	}
}

func TestMediaTypes(t *testing.T) {
	t.Parallel()
	a := run(t, refserver.Config{})
	for media, supported := range map[string]bool{
		"application/json": true, "application/json; charset=utf-8": true, "Application/JSON": true, "application/json;": true, "application/json; charset=latin1": true,
		"text/plain": false, "application/xml": false, "application/json-patch+json": false, "application/merge-patch+json": false,
		"application/x-www-form-urlencoded": false, "nonsense": false, "application/json, text/plain": false, "": false,
	} {
		answer := a.do("PATCH", infoPath, `{}`, "Content-Type", media)
		if supported {
			require.Equal(t, http.StatusOK, answer.status, media)
			continue
		}
		requireProblem(t, answer, payments.KindUnsupportedMediaType)
		require.Equal(t, "application/json", answer.header.Get("Accept"))
	}
	credentials := basic(paytest.ClientID, paytest.ClientSecret)
	answer := a.do("POST", tokenPath, `<grant/>`, "Content-Type", "application/xml", "Authorization", credentials)
	requireProblem(t, answer, payments.KindUnsupportedMediaType)
	require.Equal(t, "application/json, application/x-www-form-urlencoded", answer.header.Get("Accept"))
	for coding, supported := range map[string]bool{"gzip": false, "br": false, "deflate, gzip": false, "identity": true} {
		answer := a.do("PATCH", infoPath, `{}`, "Content-Encoding", coding)
		if supported {
			require.Equal(t, http.StatusOK, answer.status)
			continue
		}
		requireProblem(t, answer, payments.KindUnsupportedMediaType)
		require.Equal(t, "identity", answer.header.Get("Accept-Encoding"))
	}
}

func TestTokenForms(t *testing.T) {
	t.Parallel()
	a := run(t, refserver.Config{})
	post := func(form string) *answer {
		return a.do("POST", tokenPath, form, "Content-Type", "application/x-www-form-urlencoded", "Authorization", basic(paytest.ClientID, paytest.ClientSecret))
	}
	require.Equal(t, http.StatusOK, post("grant_type=client_credentials&extra=1").status)
	for _, form := range []string{"grant_type=password", "grant_type=client_credentials&grant_type=client_credentials", "scope=everything"} {
		requireProblem(t, post(form), payments.KindValidation)
	}
	for _, form := range []string{"%zz", "a;b"} {
		requireProblem(t, post(form), payments.KindMalformed)
	}
}

func TestMalformedBodies(t *testing.T) {
	t.Parallel()
	a := run(t, refserver.Config{})
	deep := func(open, middle, closing string) string {
		return strings.Repeat(open, 10_001) + middle + strings.Repeat(closing, 10_001)
	}
	for name, body := range map[string]string{
		"blank":               "  ",
		"truncated":           `{"route":`,
		"no JSON":             `route=sepa`,
		"trailing value":      `{}{}`,
		"trailing text":       `{} x`,
		"trailing comma":      `{"route":"a",}`,
		"comment":             `{/* */}`,
		"single quotes":       `{'a':1}`,
		"duplicate member":    `{"route":"a","route":"a"}`,
		"duplicate, escaped":  `{"route":"a","\u0072oute":"a"}`,
		"duplicate, unknown":  `{"x":{"y":1,"y":2}}`,
		"invalid UTF-8":       "{\"route\":\"\xff\"}",
		"overlong UTF-8":      "{\"route\":\"\xc0\xaf\"}",
		"invalid UTF-8 name":  "{\"\xed\xa0\x80\":1}",
		"lone surrogate":      `{"route":"\ud800"}`,
		"lone low surrogate":  `{"route":"\udc00x"}`,
		"reversed surrogates": `{"route":"\udc00\ud800"}`,
		"control character":   "{\"route\":\"\x00\"}",
		"leading zero":        `{"x":01}`,
		"NaN":                 `{"x":NaN}`,
		"byte order mark":     "\xef\xbb\xbf{}",
		"UTF-16":              "\xff\xfe{\x00}\x00",
		"deep arrays":         deep("[", "", "]"),
		"deep objects":        `{"x":` + deep(`{"x":`, "1", "}") + `}`,
		"deep and open":       strings.Repeat(`[`, 1_000_000),
	} {
		for _, op := range contract.Operations {
			if op.Body == nil || op.Access == contract.Basic {
				continue
			}
			answer := a.do(op.Method, contract.Expand(op.Path, "x"), body, "Content-Type", op.BodyMedia)
			require.Equal(t, http.StatusBadRequest, answer.status, "%s: %s: %s", op.ID, name, answer.body)
			problem := requireProblem(t, answer, payments.KindMalformed)
			require.Contains(t, problem.Detail, "line ", name)
			require.Less(t, len(answer.body), 1000)
		}
	}
	for _, op := range contract.Operations {
		if op.BodyRequired {
			requireProblem(t, a.do(op.Method, contract.Expand(op.Path, "x"), ""), payments.KindMalformed)
			requireProblem(t, a.do(op.Method, contract.Expand(op.Path, "x"), "", "Content-Type", op.BodyMedia), payments.KindMalformed)
		}
	}
}

func TestUnknownMembers(t *testing.T) {
	t.Parallel()
	const body = `{"selectedSource":{"currency":"EUR","chain":1},"mode":{"a":[1]}}`
	lenient, strict := run(t, refserver.Config{}), run(t, refserver.Config{Strict: true})
	require.Equal(t, http.StatusOK, lenient.do("PATCH", infoPath, body).status)
	problem := requireProblem(t, strict.do("PATCH", infoPath, body), payments.KindValidation)
	require.Equal(t, payments.FieldErrors{
		"selectedSource.chain": {"The selectedSource.chain field is not known."}, "mode": {"The mode field is not known."},
	}, problem.Errors)
	require.Equal(t, http.StatusOK, lenient.do("GET", accountsPath+"?page=2", "").status)
	problem = requireProblem(t, strict.do("GET", accountsPath+"?page=2", ""), payments.KindValidation)
	require.Equal(t, []string{"page"}, problem.Errors.Names())
	require.Equal(t, http.StatusOK, strict.do("PATCH", infoPath, `{}`).status)
}

func TestQueries(t *testing.T) {
	t.Parallel()
	a := run(t, refserver.Config{})
	for query, kind := range map[string]payments.Kind{
		"limit=%zz": payments.KindMalformed, "limit=1;cursor=acc_": payments.KindMalformed, "limit=0": payments.KindValidation, "limit=101": payments.KindValidation,
		"limit=ten": payments.KindValidation, "limit=1&limit=2": payments.KindValidation, "createdAfter=yesterday": payments.KindValidation,
		"kycStatus=frozen": payments.KindValidation, "cursor=trf_1": payments.KindValidation, "cursor=acc_": payments.KindValidation, "cursor=" + strings.Repeat("a", 257): payments.KindValidation,
		"kycStatus=approved&kycStatus=frozen": payments.KindValidation,
		"kycStatus=approved&kycStatus=":       payments.KindValidation, "email=a%40b.test&email=a%40b.test": payments.KindValidation,
	} {
		problem := requireProblem(t, a.do("GET", accountsPath+"?"+query, ""), kind)
		require.NotContains(t, problem.Detail, "body", query)
	}
	require.Equal(t, http.StatusOK, a.do("GET", accountsPath+"?limit=100&kycStatus=approved&createdAfter=2026-01-01T00:00:00Z&email=a%40b.test&externalId=x", "").status)
	require.Equal(t, http.StatusOK, a.do("GET", accountsPath+"?", "").status)
}

// The elements of a list are separated by commas, or the parameter is repeated, or both.
func TestListsInQueries(t *testing.T) {
	t.Parallel()
	a := run(t, refserver.Config{})
	account := a.approved()
	a.do("POST", accountsPath, adaBody)
	count := func(path, query string) int {
		return len(a.do("GET", path+"?"+query, "").member("data").([]any))
	}
	for query, found := range map[string]int{
		"kycStatus=approved": 1, "kycStatus=approved,pending": 2, "kycStatus=approved&kycStatus=pending": 2,
		"kycStatus=rejected&kycStatus=rejected": 0, "kycStatus=rejected,approved&kycStatus=pending": 2,
	} {
		require.Equal(t, found, count(accountsPath, query), query)
	}
	const created, changed = "account.created", "kyc.statusChanged"
	of := "subjectId=" + account + "&types="
	both := count(eventsPath, of+created+","+changed)
	require.Greater(t, both, count(eventsPath, of+created))
	require.Equal(t, both, count(eventsPath, of+changed+"&types="+created))
	require.Equal(t, http.StatusOK, a.do("GET", "/transfers/v1?state=awaiting_funds&state=canceled", "").status)
}

func TestEveryAnswerNamesTheServiceAndTheWorld(t *testing.T) {
	t.Parallel()
	a := run(t, refserver.Config{Version: "1.2.3"})
	for _, path := range []string{"/healthz", accountsPath, "/nowhere", "/accounts//v1"} {
		answer := a.do("GET", path, "")
		require.Equal(t, "payctl/1.2.3", answer.header.Get("Server"), path)
		require.Equal(t, "nosniff", answer.header.Get("X-Content-Type-Options"))
		require.Empty(t, answer.header.Get("Access-Control-Allow-Origin"), "calls come from a backend")
	}
	world := a.do("GET", accountsPath, "").header.Get("Payctl-World")
	require.NotEmpty(t, world)
	require.Equal(t, world, a.do("GET", "/accounts/none/v1", "").header.Get("Payctl-World"))
	other := a.do("POST", tokenPath, "", "Authorization", basic("other", "secret")).member("access_token").(string)
	require.NotEqual(t, world, a.do("GET", accountsPath, "", "Authorization", "Bearer "+other).header.Get("Payctl-World"))
	require.Empty(t, a.do("GET", accountsPath, "", "Authorization", "").header.Get("Payctl-World"))
}

// A request that is held when the service stops gets 503, and never an empty success.
func TestStoppingServiceSaysSo(t *testing.T) {
	t.Parallel()
	s, err := refserver.New(refserver.Config{})
	require.NoError(t, err)
	token := login(t, s.Handler, paytest.ClientID)
	ctx, stop := context.WithCancelCause(t.Context())
	stop(errors.New("the end"))
	for _, path := range []string{accountsPath, "/accounts/x/v1", tokenPath} {
		r := httptest.NewRequestWithContext(ctx, "GET", path, nil)
		r.Header.Set("Authorization", "Bearer "+token)
		response, body, err := paytest.Serve(s.Handler, r)
		require.NoError(t, err)
		require.NoError(t, response.Body.Close())
		require.Equal(t, http.StatusServiceUnavailable, response.StatusCode, "%s", body)
		require.Equal(t, "1", response.Header.Get("Retry-After"))
	}
}

// login fetches a token from a handler.
func login(t testing.TB, handler http.Handler, client string) string {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), "POST", tokenPath, nil)
	r.SetBasicAuth(client, paytest.ClientSecret)
	response, body, err := paytest.Serve(handler, r)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	require.Equal(t, http.StatusOK, response.StatusCode, string(body))
	return decode[payments.AccessToken](&answer{t, response.StatusCode, response.Header, string(body)}).AccessToken
}
