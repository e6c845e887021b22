package server_test

import (
	"encoding/base64"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/refserver"
	"github.com/payctl/payctl/internal/sandbox"
	"github.com/payctl/payctl/internal/test/paytest"
)

const (
	basicChallenge  = `Basic realm="payments", charset="UTF-8"`
	bearerChallenge = `Bearer realm="payments"`
	invalidToken    = bearerChallenge + `, error="invalid_token"`
)

// ask sends a request without a body, with Authorization headers as they are.
func ask(t *testing.T, a *api, request string, authorization ...string) *answer {
	t.Helper()
	lines := []string{request + " HTTP/1.1", "Host: a", "Content-Length: 0"}
	for _, value := range authorization {
		lines = append(lines, "Authorization:"+value)
	}
	return a.dial(t).write(lines...).read()
}

// refused requires that an answer is a 401 with a challenge and does not repeat a secret.
func refused(t *testing.T, answer *answer, challenge, secret, name string) {
	t.Helper()
	requireProblem(t, answer, payments.ProblemUnauthenticated)
	require.Equal(t, []string{challenge}, answer.header["Www-Authenticate"], name)
	require.NotContains(t, answer.body, secret)
}

// FuzzAuthorization tests the forms of the header. This test checks what a client gets.
func TestBasicCredentials(t *testing.T) {
	t.Parallel()
	a := run(t, refserver.Config{Clients: map[string]string{"sandbox": "sandbox-secret", "ключ": "a:b::c"}})
	encoded := func(text string) string { return base64.StdEncoding.EncodeToString([]byte(text)) }
	good := encoded("sandbox:sandbox-secret")
	for name, header := range map[string]string{
		"as usual": " Basic " + good, "more spaces": "   BASIC   " + good + "  ", "UTF-8": " Basic " + encoded("ключ:a:b::c"),
	} {
		require.Equal(t, http.StatusOK, ask(t, a, "POST "+tokenPath, header).status, name)
	}
	refused(t, ask(t, a, "POST "+tokenPath), basicChallenge, good, "no header")
	for name, header := range map[string]string{
		"an empty header": "", "no scheme": " " + good, "a wrong secret": " Basic " + encoded("sandbox:wrong"),
		"an unknown client": " Basic " + encoded("other:sandbox-secret"), "Bearer": " Bearer " + a.token,
	} {
		refused(t, ask(t, a, "POST "+tokenPath, header), basicChallenge, "sandbox-secret", name)
	}
	faults := map[string]bool{}
	for _, credentials := range []string{
		"", "sandbox:sandbox-secret", encoded("sandbox:")[1:], encoded("sandbox:\xff"), encoded("sandbox:sandbox-secret\n"),
		encoded("sandbox"), encoded(":sandbox-secret"), encoded(strings.Repeat("a", 256) + ":b"),
	} {
		answer := ask(t, a, "POST "+tokenPath, " Basic "+credentials)
		refused(t, answer, basicChallenge, "sandbox-secret", credentials)
		faults[answer.member("detail").(string)] = true
	}
	require.Len(t, faults, 8, "each fault has its own detail")
	twice := ask(t, a, "POST "+tokenPath, " Basic "+good, " Basic "+good)
	requireProblem(t, twice, payments.ProblemMalformed)
	require.Equal(t, basicChallenge, twice.header.Get("WWW-Authenticate"))
}

func TestBearerTokens(t *testing.T) {
	t.Parallel()
	a := run(t, refserver.Config{})
	for _, header := range []string{" Bearer " + a.token, "BEARER " + a.token, "  Bearer   " + a.token + " "} {
		require.Equal(t, http.StatusOK, ask(t, a, "GET "+accountsPath, header).status, header)
	}
	for name, header := range map[string]string{
		"an empty header": "", "no scheme": " " + a.token, "another scheme": " Token " + a.token,
	} {
		refused(t, ask(t, a, "GET "+accountsPath, header), bearerChallenge, a.token, name)
	}
	refused(t, ask(t, a, "GET "+accountsPath), bearerChallenge, a.token, "nothing")
	refused(t, ask(t, a, "GET "+accountsPath+"?access_token="+a.token), bearerChallenge, a.token, "a token in the query")
	for name, header := range map[string]string{
		"no token": " Bearer", "a list": " Bearer " + a.token + ", Bearer " + a.token,
		"half a token": " Bearer " + a.token[:20],
		"unknown":      " Bearer " + strings.Repeat("A", 43), "long": " Bearer " + strings.Repeat("A", 20_000),
	} {
		refused(t, ask(t, a, "GET "+accountsPath, header), invalidToken, a.token, name)
	}
	twice := ask(t, a, "GET "+accountsPath, " Bearer "+a.token, " Bearer "+a.token)
	requireProblem(t, twice, payments.ProblemMalformed)
	require.Equal(t, bearerChallenge+`, error="invalid_request"`, twice.header.Get("WWW-Authenticate"))
}

// Each operation requires what the contract says: credentials, a token, a token with its scope, or nothing. Expired and
// revoked tokens are refused like unknown ones. The sandbox accepts expired tokens, so that a client that advances the
// clock does not lock itself out.
func TestAccessToEachOperation(t *testing.T) {
	t.Parallel()
	a := run(t, refserver.Config{})
	narrow, revoked := a.login("kyc:write"), a.login("")
	require.Equal(t, http.StatusNoContent, a.do("DELETE", tokenPath, "", "Authorization", "Bearer "+revoked).status)
	operations := func(prove func(op *contract.Operation, ask func(authorization string) *answer)) {
		for _, op := range contract.Operations {
			prove(op, func(authorization string) *answer {
				return a.do(op.Method, contract.Expand(op.Path, "x"), "", "Authorization", authorization)
			})
		}
	}
	operations(func(op *contract.Operation, ask func(string) *answer) {
		credentials := basic(paytest.ClientID, paytest.ClientSecret)
		require.Equal(t, strings.HasPrefix(op.Path, "/sandbox/"), op.IsSandbox(), op.ID)
		switch op.Access {
		case contract.Basic:
			require.Equal(t, "createAccessToken", op.ID)
			require.Equal(t, http.StatusOK, ask(credentials).status)
			refused(t, ask("Bearer "+a.token), basicChallenge, a.token, op.ID)
		case contract.Bearer:
			refused(t, ask(credentials), bearerChallenge, a.token, op.ID)
			refused(t, ask(""), bearerChallenge, a.token, op.ID)
			refused(t, ask("Bearer "+revoked), invalidToken, revoked, op.ID)
		case contract.Open:
			require.NotEqual(t, http.StatusUnauthorized, ask("").status, op.ID)
		}
		if op.Scope != "" && op.Scope != "kyc:write" {
			answer := ask("Bearer " + narrow)
			requireProblem(t, answer, payments.ProblemInsufficientScope)
			challenge := bearerChallenge + `, error="insufficient_scope", scope="` + op.Scope + `"`
			require.Equal(t, challenge, answer.header.Get("WWW-Authenticate"))
		}
	})
	require.Equal(t, http.StatusOK, a.do("GET", tokenPath, "", "Authorization", "Bearer "+narrow).status,
		"any token may describe itself")

	a.Advance(t, time.Hour-time.Millisecond)
	require.Equal(t, http.StatusOK, a.do("GET", accountsPath, "").status)
	a.Advance(t, time.Millisecond)
	operations(func(op *contract.Operation, ask func(string) *answer) {
		if op.Access == contract.Bearer && !op.IsSandbox() {
			refused(t, ask("Bearer "+a.token), invalidToken, a.token, op.ID)
		}
	})
	require.Equal(t, paytest.Start.Add(time.Hour), good[payments.SandboxClock](a.do("GET", clockPath, "")).Now)
}

// The token operation takes JSON and forms, and names every wrong field. It gives no token for a malformed request.
func TestTokenRequests(t *testing.T) {
	t.Parallel()
	a := run(t, refserver.Config{})
	post := func(media, body string) *answer {
		return a.do("POST", tokenPath, body, "Content-Type", media, "Authorization", basic("someone", "secret"))
	}
	for _, body := range []string{"", `{}`, `{"grant_type":"client_credentials"}`} {
		answer := post("application/json", body)
		require.Equal(t, "no-store", answer.header.Get("Cache-Control"))
		token := "Bearer " + good[payments.AccessToken](answer).AccessToken
		require.Equal(t, http.StatusOK, a.do("PATCH", infoPath, `{}`, "Authorization", token).status)
	}
	require.Equal(t, "kyc:read", post(form, "grant_type=client_credentials&scope=kyc:read&extra=1").member("scope"))
	for body, fields := range map[string][]string{
		"grant_type=password": {"grant_type"}, "scope=everything": {"scope"},
		"grant_type=client_credentials&grant_type=client_credentials": {"grant_type"},
	} {
		require.Equal(t, fields, requireProblem(t, post(form, body), payments.ProblemValidation).Errors.Names(), body)
	}
	for _, body := range []string{"%zz", "a;b", `{"scope":"accounts:read"}`, "scopes=accounts:read"} {
		requireProblem(t, post(form, body), payments.ProblemMalformed)
	}
	requireProblem(t, post("application/xml", "<grant/>"), payments.ProblemUnsupportedMediaType)
}

// A token is valid for its lifetime by the client's clock, even if the world's clock runs faster.
func TestTokenOfAScaledClock(t *testing.T) {
	t.Parallel()
	clock := sandbox.ClockSetting{Mode: payments.ClockModeScaled, Scale: 1000, Start: paytest.Start}
	a := run(t, refserver.Config{Clock: clock, TokenLifetime: time.Hour})
	token := decode[payments.AccessTokenDescription](a.do("GET", tokenPath, ""))
	require.Equal(t, 1000*time.Hour, token.ExpiresAt.Sub(token.IssuedAt))
}
