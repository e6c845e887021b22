package client

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/client/redact"
	"github.com/payctl/payctl/internal/payments"
)

// renewable is a token source that records its renewals.
type renewable struct {
	token    string
	err      error
	renewErr error
	renewed  []string
}

func (r *renewable) Token(context.Context) (string, error) { return r.token, r.err }
func (r *renewable) Renew(_ context.Context, rejected string) (string, error) {
	r.renewed = append(r.renewed, rejected)
	return "fresh-token", r.renewErr
}

func expecting(token string) func(http.ResponseWriter, *http.Request, int) {
	return func(w http.ResponseWriter, r *http.Request, _ int) {
		if r.Header.Get("Authorization") != "Bearer "+token {
			w.Header().Set("WWW-Authenticate", `Bearer realm="payments", error="invalid_token", error_description="expired"`)
			replyProblem(w, http.StatusUnauthorized, payments.ProblemUnauthenticated)
			return
		}
		replyJSON(w, http.StatusOK, `{"id":"trf_1","routes":[]}`)
	}
}

func using(source TokenSource) func(*Config) { return func(config *Config) { config.Token = source } }

func TestRejectedTokenIsRenewedOnce(t *testing.T) {
	t.Parallel()
	for name, call := range map[string]func(context.Context, *Client) error{
		"read": readCall, "select": selectCall, "keyed": keyedCall, "keyless": keylessCall, "delete": deleteCall,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, expecting("fresh-token"))
			source := &renewable{token: "stale-token"}
			c, w := connect(t, s.URL, using(source), func(config *Config) { config.Retries = 0 })
			require.NoError(t, call(t.Context(), c))
			require.Equal(t, []string{"stale-token"}, source.renewed)
			require.Equal(t, 2, s.count())
			require.Empty(t, w.Slept())
		})
	}
	t.Run("and rejected again", func(t *testing.T) {
		t.Parallel()
		s := serve(t, expecting("another"))
		source := &renewable{token: "stale-token"}
		c, _ := connect(t, s.URL, using(source))
		refusal := refusalIn(t, keyedCall(t.Context(), c))
		require.Equal(t, payments.ProblemUnauthenticated, refusal.ProblemType())
		require.Contains(t, refusal.Challenge, "invalid_token")
		require.Len(t, source.renewed, 1)
		require.Equal(t, 2, s.count())
	})
	t.Run("and cannot be renewed", func(t *testing.T) {
		t.Parallel()
		s := serve(t, expecting("another"))
		for why, isShown := range map[error]bool{errors.ErrUnsupported: false, errInterrupt: true} {
			c, _ := connect(t, s.URL, using(&renewable{token: "stale-token", renewErr: why}))
			err := readCall(t.Context(), c)
			require.Equal(t, payments.ProblemUnauthenticated, kindOf(t, err))
			require.Equal(t, isShown, errors.Is(err, why))
		}
		require.Equal(t, 2, s.count())
	})
	t.Run("only if the service rejects the token", func(t *testing.T) {
		t.Parallel()
		for challenge, isRenewed := range map[string]bool{
			``: false, `Bearer`: false, `Bearer error="invalid_token"`: true, `bearer Error=invalid_token`: true,
			`Bearer realm="x", scope="a b", error="insufficient_scope"`: false, `Bearer error="invalid_request"`: false,
			`Basic realm="x", error="invalid_token"`: false, `Basic realm="x", Bearer realm="y", error="invalid_token"`: true,
		} {
			s := serve(t, func(w http.ResponseWriter, _ *http.Request, _ int) {
				w.Header()["Www-Authenticate"] = []string{"Digest x", challenge}
				replyProblem(w, http.StatusUnauthorized, payments.ProblemUnauthenticated)
			})
			source := &renewable{token: "stale-token"}
			c, _ := connect(t, s.URL, using(source))
			require.Error(t, readCall(t.Context(), c))
			require.Equal(t, isRenewed, len(source.renewed) > 0, challenge)
		}
	})
	t.Run("not for a token that the caller presents", func(t *testing.T) {
		t.Parallel()
		s := serve(t, expecting("another"))
		source := &renewable{token: "fresh-token"}
		c, _ := connect(t, s.URL, using(source))
		_, err := c.DescribeAccessToken(t.Context(), "presented")
		require.Equal(t, payments.ProblemUnauthenticated, kindOf(t, err))
		require.Error(t, c.RevokeAccessToken(t.Context(), "presented"))
		require.Empty(t, source.renewed)
		require.Equal(t, "Bearer presented", s.request(0).Header.Get("Authorization"))
	})
}

func TestNothingIsSentWithoutTheCredential(t *testing.T) {
	t.Parallel()
	s := serve(t, func(w http.ResponseWriter, _ *http.Request, _ int) { replyJSON(w, 200, transferBody) })
	c, _ := connect(t, s.URL, using(&renewable{err: errInterrupt}))
	require.ErrorIs(t, readCall(t.Context(), c), errInterrupt)
	for _, token := range []string{"", "two words", "line\r\nbreak", "ключ"} {
		c, _ := connect(t, s.URL, using(staticToken(token)))
		err := readCall(t.Context(), c)
		require.Equal(t, payments.ProblemCredential, kindOf(t, err))
		if token != "" {
			require.NotContains(t, err.Error(), token)
		}
	}
	for _, pair := range [][2]string{{"", "secret"}, {"a:b", "secret"}, {"id", "sec\nret"}} {
		_, err := c.CreateAccessToken(t.Context(), pair[0], pair[1], payments.AccessTokenRequest{})
		require.Equal(t, payments.ProblemCredential, kindOf(t, err))
		require.NotContains(t, err.Error(), pair[1])
	}
	require.Zero(t, s.count())
}

func TestBasicOnlyForTheTokenOperation(t *testing.T) {
	t.Parallel()
	s := serve(t, func(w http.ResponseWriter, _ *http.Request, _ int) {
		replyJSON(w, 200, `{"access_token":"t","token_type":"Bearer","expires_in":3600}`)
	})
	c, _ := connect(t, s.URL)
	token, err := c.CreateAccessToken(t.Context(), "id", "a:b", payments.AccessTokenRequest{})
	require.NoError(t, err)
	require.Equal(t, payments.AccessToken{AccessToken: "t", TokenType: "Bearer", ExpiresIn: 3600}, token)
	user, password, ok := s.request(0).BasicAuth()
	require.True(t, ok)
	require.Equal(t, "id", user)
	require.Equal(t, "a:b", password)
	require.Empty(t, s.bodies[0], "a request that asks for nothing has no body")

	_, err = c.CreateAccessToken(t.Context(), "id", "s", payments.AccessTokenRequest{Scope: "kyc:read"})
	require.NoError(t, err)
	require.JSONEq(t, `{"scope":"kyc:read"}`, s.bodies[1])
	require.Equal(t, "application/json", s.request(1).Header.Get("Content-Type"))
}

// tokenOf requests a token from a service that gives this answer. It also returns the log.
func tokenOf(t *testing.T, status int, media, body string) (payments.AccessToken, string, error) {
	t.Helper()
	var log []string
	s := serve(t, func(w http.ResponseWriter, _ *http.Request, _ int) { reply(w, status, media, body) })
	c, _ := connect(t, s.URL, logging(&log), func(config *Config) { config.Retries = 0 })
	token, err := c.CreateAccessToken(t.Context(), "id", "s3cr3t-client", payments.AccessTokenRequest{})
	return token, strings.Join(log, "\n"), err
}

// Neither the error nor the log shows any text of an answer to the token operation.
func TestNoTextOfATokenAnswerIsShown(t *testing.T) {
	t.Parallel()
	for _, body := range []string{
		`{"data":{"jwt":"ZANZIBAR"}}`, `{"access_token":["ZANZIBAR"]}`, `{"access_token":{"id":"ZANZIBAR"}}`, `["ZANZIBAR"]`,
		`"ZANZIBAR"`,
		`<token>ZANZIBAR</token>`, `access_token=ZANZIBAR`, `{"token":"ZANZIBAR`,
		`{"access_token":"a","access_token":"ZANZIBAR"}`,
		`{"access_token":"ZAN ZANZIBAR"}`,
		`{"type":"ZANZIBAR","title":"ZANZIBAR","detail":"ZANZIBAR","errors":{"a":["ZANZIBAR"]},"error":"ZANZIBAR"}`,
	} {
		for _, media := range []string{"application/json", "application/problem+json", "text/html"} {
			for _, status := range []int{200, 302, 400, 401, 429, 503} {
				_, log, err := tokenOf(t, status, media, body)
				require.Error(t, err)
				refusal := refusalIn(t, err)
				require.NotContains(t, err.Error()+string(refusal.Document)+log, "ZANZIBAR", "%d %s", status, body)
			}
		}
	}
	_, _, err := tokenOf(t, 200, "application/json", `{"data":{"jwt":"ZANZIBAR"}}`)
	require.ErrorContains(t, err, `{"data":{"jwt":"[redacted]"}}`, "names of members are shown")
}

func TestTokensAreCheckedWhenTheyCome(t *testing.T) {
	t.Parallel()
	for body, kind := range map[string]payments.ProblemType{
		`{"access_token":" t0ken\n","token_type":"bearer"}`: "",
		`{"access_token":"t0ken","token_type":"MAC"}`:       payments.ProblemCredential,
		`{"access_token":"t0ken","token_type":"DPoP"}`:      payments.ProblemCredential,
		`{"access_token":"t0k en"}`:                         payments.ProblemCredential,
		`{"access_token":"t0k\nen"}`:                        payments.ProblemCredential,
		`{"access_token":"tökén"}`:                          payments.ProblemCredential,
		`{"access_token":" "}`:                              payments.ProblemCredential,
		`{"access_token":""}`:                               payments.ProblemUnusable,
	} {
		token, _, err := tokenOf(t, 200, "application/json", body)
		if kind == "" {
			require.NoError(t, err)
			require.Equal(t, "t0ken", token.AccessToken)
			continue
		}
		require.Equal(t, kind, kindOf(t, err), body)
	}
	for _, code := range redact.OAuthErrors {
		_, _, err := tokenOf(t, 400, "application/json", `{"error":"`+code+`","error_description":"ZANZIBAR"}`)
		require.Equal(t, payments.ProblemCredential, kindOf(t, err))
		require.ErrorContains(t, err, code)
	}
	_, _, err := tokenOf(t, 401, "application/problem+json",
		`{"type":"https://x.test/problems/unauthenticated","title":"ZANZIBAR","status":401}`)
	require.Equal(t, payments.ProblemUnauthenticated, kindOf(t, err))
}
