package client

import (
	"encoding/base64"
	"html"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/payctl/payctl/internal/payments"
)

// A record is a log in memory.
type record struct {
	mu    sync.Mutex
	lines []string
}

func (r *record) add(line string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lines = append(r.lines, line)
}

func (r *record) text() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return strings.Join(r.lines, "\n")
}

func logging(r *record) func(*Config) { return func(config *Config) { config.Log = r.add } }

func TestLogShowsTheExchange(t *testing.T) {
	t.Parallel()
	s := serve(t, func(w http.ResponseWriter, _ *http.Request, _ int) {
		w.Header().Set("X-Trace", "abc")
		replyJSON(w, 201, `{"id":"trf_1","iban":"DE89370400440532013000","fees":[{"type":"bank","rate":"0.5"}],"extra":[null,true,12]}`)
	})
	var log record
	c, _ := connect(t, s.URL, logging(&log))
	require.NoError(t, keyedCall(t.Context(), c))
	require.Contains(t, log.lines, "> 1 POST "+s.URL+"/transfers/auto/v1")
	require.Contains(t, log.lines, "> 1 Authorization: Bearer [redacted]")
	require.Contains(t, log.lines, "> 1 Idempotency-Key: k-1")
	require.Contains(t, log.lines, `> 1 {"destinationSavedContactId":"sct_1","route":"sepa:EUR->base:USDC"}`)
	require.Contains(t, log.lines, "< 1 201 Created (0s)")
	require.Contains(t, log.lines, "< 1 X-Trace: abc")
	require.Contains(t, log.lines, `< 1 {"id":"trf_1","iban":"[redacted]","fees":[{"type":"bank","rate":"0.5"}],"extra":[null,true,12]}`)
}

func TestLogShowsWhatFailed(t *testing.T) {
	t.Parallel()
	s := serve(t, func(w http.ResponseWriter, _ *http.Request, _ int) { hangUp(w) })
	var log record
	c, _ := connect(t, s.URL, logging(&log), func(config *Config) { config.Retries = 1 })
	require.Error(t, readCall(t.Context(), c))
	require.Contains(t, log.text(), "* 1 EOF")
	require.Contains(t, log.text(), "* 2 EOF", "every attempt is shown")
}

func TestLoggedBodiesAreCut(t *testing.T) {
	t.Parallel()
	s := serve(t, func(w http.ResponseWriter, _ *http.Request, _ int) {
		replyJSON(w, 200, `{"id":"trf_1","reference":"`+strings.Repeat("é", maxLogged)+`"}`)
	})
	var log record
	c, _ := connect(t, s.URL, logging(&log))
	require.NoError(t, readCall(t.Context(), c))
	for _, line := range log.lines {
		require.LessOrEqual(t, len(line), maxLogged+len("< 1 "))
	}
	require.Contains(t, log.text(), "(4096 of ")
}

// Neither the log nor an error of the client shows a secret, wherever the request or the response has it.
func TestSecretsAreNeverShown(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var answer func(http.ResponseWriter)
	s := serve(t, func(w http.ResponseWriter, _ *http.Request, _ int) {
		mu.Lock()
		defer mu.Unlock()
		answer(w)
	})
	base, err := url.Parse(s.URL)
	require.NoError(t, err)
	rapid.Check(t, func(rt *rapid.T) {
		secret := func(name, alphabet string) string {
			return "zq" + rapid.StringMatching("["+alphabet+"]{2,24}").Draw(rt, name) + "qz"
		}
		const anything = `A-Za-z0-9<>&"'+/=%~.é\\\\ _-`
		token, sent, got := secret("token", "A-Za-z0-9._~+/-"), secret("sent", anything), secret("got", anything)
		credential := token
		var call func(*Client) error
		switch rapid.SampledFrom([]string{"token", "account", "contact", "api"}).Draw(rt, "call") {
		case "token":
			credential = base64.StdEncoding.EncodeToString([]byte("id:" + sent))
			call = func(c *Client) error {
				_, err := c.CreateAccessToken(t.Context(), "id", sent, payments.AccessTokenRequest{})
				return err
			}
		case "account":
			call = func(c *Client) error {
				_, err := c.CreateAccount(t.Context(), payments.NewAccount{TaxID: sent}, testKey{Key: "k"})
				return err
			}
		case "contact":
			call = func(c *Client) error {
				_, err := c.CreateSavedContact(t.Context(), payments.NewSavedContact{IBAN: sent}, testKey{Key: "k"})
				return err
			}
		case "api":
			body, err := json.Marshal(map[string]any{"a": []any{map[string]any{"password": sent}}})
			require.NoError(rt, err)
			call = func(c *Client) error {
				_, err := c.Do(t.Context(), "POST", "/x", url.Values{"access_token": {sent}}, nil, body)
				return err
			}
		}
		name := rapid.SampledFrom([]string{"access_token", "iban", "refreshToken", "client_secret", "taxId"}).Draw(rt, "name")
		echo := "You sent " + credential + " and " + sent + "."
		form := rapid.SampledFrom([]string{"JSON", "cut JSON", "HTML", "escaped HTML", "form", "drop"}).Draw(rt, "form")
		status := rapid.SampledFrom([]int{200, 302, 403, 500}).Draw(rt, "status")
		object, err := json.Marshal(map[string]any{"x": echo, name: got, "list": []any{map[string]any{name: got}}, echo: 1})
		require.NoError(rt, err)
		cut := rapid.IntRange(0, len(object)).Draw(rt, "cut")
		mu.Lock()
		answer = func(w http.ResponseWriter) {
			w.Header().Set("Set-Cookie", "s="+url.QueryEscape(got))
			w.Header().Set("X-Echo", "Bearer "+credential+" "+url.QueryEscape(sent))
			w.Header().Set("Location", "http://127.0.0.1:1/?token="+url.QueryEscape(got))
			switch form {
			case "JSON":
				replyJSON(w, status, string(object))
			case "cut JSON":
				replyJSON(w, status, string(object[:cut]))
			case "HTML":
				reply(w, status, "text/html", "<title>"+echo+"</title>")
			case "escaped HTML":
				reply(w, status, "text/html", "<p>"+html.EscapeString(echo)+"</p>")
			case "form":
				reply(w, status, "application/x-www-form-urlencoded", name+"="+url.QueryEscape(got)+"&x="+url.QueryEscape(echo))
			case "drop":
				hangUp(w)
			}
		}
		mu.Unlock()

		var log record
		c, err := New(Config{BaseURL: base, Token: staticToken(token), Log: log.add})
		require.NoError(rt, err)
		defer c.CloseIdleConnections()
		shown := ""
		if err := call(c); err != nil {
			shown = err.Error() + "\n"
		}
		shown += log.text()
		require.Contains(rt, shown, "> 1 POST")
		quoted := func(text string) string {
			b, err := json.Marshal(text)
			require.NoError(rt, err)
			return strings.Trim(string(b), `"`)
		}
		for _, secret := range []string{credential, sent, got} {
			for _, form := range []string{secret, url.QueryEscape(secret), html.EscapeString(secret), quoted(secret)} {
				require.NotContains(rt, shown, form)
			}
		}
	})
}
