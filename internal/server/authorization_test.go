package server_test

import (
	"encoding/base64"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/refserver"
)

const (
	basicChallenge  = `Basic realm="payments", charset="UTF-8"`
	bearerChallenge = `Bearer realm="payments"`
)

// ask sends a request with Authorization headers as they are, to an operation without a body.
func ask(t *testing.T, a *api, request string, authorization ...string) *answer {
	t.Helper()
	lines := []string{request + " HTTP/1.1", "Host: a", "Content-Length: 0"}
	for _, value := range authorization {
		lines = append(lines, "Authorization:"+value)
	}
	return a.dial(t).write(lines...).read()
}

func TestBasicCredentials(t *testing.T) {
	t.Parallel()
	a := run(t, refserver.Config{Clients: map[string]string{"sandbox": "sandbox-secret", "ключ": "пароль", "colons": "a:b::c"}})
	encoded := func(text string) string { return base64.StdEncoding.EncodeToString([]byte(text)) }
	good := encoded("sandbox:sandbox-secret")
	for name, header := range map[string]string{
		"as usual":               " Basic " + good,
		"a scheme in lower case": " basic " + good,
		"a scheme in capitals":   " BASIC " + good,
		"more spaces":            "   Basic   " + good + "  ",
		"UTF-8":                  " Basic " + encoded("ключ:пароль"),
		"colons in the secret":   " Basic " + encoded("colons:a:b::c"),
	} {
		require.Equal(t, http.StatusOK, ask(t, a, "POST "+tokenPath, header).status, name)
	}
	for name, header := range map[string]string{
		"an empty header":          "",
		"no credentials":           " Basic",
		"a space for credentials":  " Basic ",
		"no scheme":                " " + good,
		"a tab behind the scheme":  " Basic\t" + good,
		"a quoted string":          ` Basic "` + good + `"`,
		"no base64":                " Basic !",
		"no padding":               " Basic " + strings.TrimRight(encoded("sandbox:sandbox-secret1"), "="),
		"too much padding":         " Basic " + good + "=",
		"base64 of URLs":           " Basic " + base64.URLEncoding.EncodeToString([]byte("sandbox:\xff\xfe~~~")),
		"stray bits at the end":    " Basic c2FuZGJveDpzYW5kYm94LXNlY3JldB==",
		"something behind":         " Basic " + good + " x",
		"a second value":           " Basic " + good + ", Basic " + good,
		"no colon":                 " Basic " + encoded("sandbox"),
		"no id":                    " Basic " + encoded(":sandbox-secret"),
		"no secret":                " Basic " + encoded("sandbox:"),
		"a control character":      " Basic " + encoded("sandbox:sandbox-secret\x00"),
		"a line break":             " Basic " + encoded("sandbox:sandbox-secret\n"),
		"no UTF-8":                 " Basic " + encoded("sandbox:\xff"),
		"a wrong secret":           " Basic " + encoded("sandbox:wrong"),
		"a secret of another case": " Basic " + encoded("sandbox:Sandbox-Secret"),
		"an unknown client":        " Basic " + encoded("other:sandbox-secret"),
		"Bearer":                   " Bearer " + a.token,
		"Digest":                   ` Digest username="sandbox"`,
	} {
		answer := ask(t, a, "POST "+tokenPath, header)
		requireProblem(t, answer, payments.KindUnauthenticated)
		require.Equal(t, []string{basicChallenge}, answer.header["Www-Authenticate"], name)
		require.NotContains(t, answer.body, "sandbox-secret", "no answer repeats a secret")
		require.NotContains(t, answer.body, good)
	}
	missing := ask(t, a, "POST "+tokenPath)
	requireProblem(t, missing, payments.KindUnauthenticated)
	require.Equal(t, basicChallenge, missing.header.Get("WWW-Authenticate"))
	twice := ask(t, a, "POST "+tokenPath, " Basic "+good, " Basic "+good)
	requireProblem(t, twice, payments.KindMalformed)
	require.Equal(t, basicChallenge, twice.header.Get("WWW-Authenticate"))
}

func TestBearerTokens(t *testing.T) {
	t.Parallel()
	a := run(t, refserver.Config{})
	for name, header := range map[string]string{
		"as usual":               " Bearer " + a.token,
		"a scheme in lower case": " bearer " + a.token,
		"a scheme in capitals":   "BEARER " + a.token,
		"more spaces":            "  Bearer   " + a.token + " ",
	} {
		require.Equal(t, http.StatusOK, ask(t, a, "GET "+accountsPath, header).status, name)
	}
	refused := func(name, challenge string, answer *answer) {
		t.Helper()
		requireProblem(t, answer, payments.KindUnauthenticated)
		require.Equal(t, []string{challenge}, answer.header["Www-Authenticate"], name)
		require.NotContains(t, answer.body, a.token)
	}
	for name, header := range map[string]string{
		"an empty header": "", "no scheme": " " + a.token, "Basic": " Basic " + base64.StdEncoding.EncodeToString([]byte("sandbox:sandbox-secret")),
		"another scheme": " Token " + a.token, "a tab behind the scheme": " Bearer\t" + a.token,
	} {
		refused(name, bearerChallenge, ask(t, a, "GET "+accountsPath, header))
	}
	refused("nothing", bearerChallenge, ask(t, a, "GET "+accountsPath))
	refused("a token in the query", bearerChallenge, ask(t, a, "GET "+accountsPath+"?access_token="+a.token))
	for name, header := range map[string]string{
		"no token": " Bearer", "a space for a token": " Bearer ", "two tokens": " Bearer " + a.token + " " + a.token, "a list": " Bearer " + a.token + ", Bearer " + a.token,
		"a quoted string": ` Bearer "` + a.token + `"`, "no character of a token": " Bearer " + a.token + "\xff", "half a token": " Bearer " + a.token[:20],
		"another case": " Bearer " + swapCase(a.token), "unknown": " Bearer " + strings.Repeat("A", 43), "long": " Bearer " + strings.Repeat("A", 20_000),
	} {
		refused(name, bearerChallenge+`, error="invalid_token"`, ask(t, a, "GET "+accountsPath, header))
	}
	twice := ask(t, a, "GET "+accountsPath, " Bearer "+a.token, " Bearer "+a.token)
	requireProblem(t, twice, payments.KindMalformed)
	require.Equal(t, bearerChallenge+`, error="invalid_request"`, twice.header.Get("WWW-Authenticate"))
	narrow := ask(t, a, "GET "+accountsPath, " Bearer "+a.login("kyc:read"))
	requireProblem(t, narrow, payments.KindInsufficientScope)
	require.Equal(t, bearerChallenge+`, error="insufficient_scope", scope="accounts:read"`, narrow.header.Get("WWW-Authenticate"))
}

func swapCase(text string) string {
	if upper := strings.ToUpper(text); upper != text {
		return upper
	}
	return strings.ToLower(text)
}
