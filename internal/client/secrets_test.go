package client

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/payctl/payctl/internal/payments"
)

// encodings are the ways in which services and what stands before them repeat what they were sent.
var encodings = map[string]func(string) string{
	"plain":              func(s string) string { return s },
	"JSON":               func(s string) string { b, _ := json.Marshal(s); return string(b[1 : len(b)-1]) },
	"JSON, all escaped":  func(s string) string { return each(s, `\u%04x`) },
	"a query":            url.QueryEscape,
	"a path":             url.PathEscape,
	"all percent":        func(s string) string { return each(s, "%%%02X") },
	"all percent, lower": func(s string) string { return each(s, "%%%02x") },
	"hexadecimal":        func(s string) string { return fmt.Sprintf("%x", s) },
	"HTML":               html.EscapeString,
	"base64":             func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) },
	"base64 of Basic":    func(s string) string { return base64.StdEncoding.EncodeToString([]byte("client:" + s)) },
	"base64 inside":      func(s string) string { return base64.RawURLEncoding.EncodeToString([]byte("xy" + s + "z")) },
}

func each(text, format string) string {
	var b strings.Builder
	for _, octet := range []byte(text) {
		fmt.Fprintf(&b, format, octet)
	}
	return b.String()
}

// However a service repeats a credential, in whatever answer: it does not get past the client, and the rest does.
func TestCredentialsAreStrippedFromAnswers(t *testing.T) {
	t.Parallel()
	for name, encode := range encodings {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(rt *rapid.T) {
				secret := "zq" + rapid.StringMatching(`[A-Za-z0-9<>&"'+/=%~._-]{8,40}`).Draw(rt, "secret") + "qz"
				var s Secrets
				s.Add("another-one", secret)
				echo := encode(secret)
				quoted := `"` + echo + `"`
				if !json.Valid([]byte(quoted)) {
					b, err := json.Marshal(echo)
					require.NoError(rt, err)
					quoted = string(b)
				}
				for _, body := range []string{
					`{"a":` + quoted + `,"b":[1,"kept"],"n":12.50}`, "<p>" + echo + "</p> kept 12.50", "kept 12.50\n" + echo, `{"b":"kept 12.50","a":"` + echo,
				} {
					answer := &Response{Line: "HTTP/1.1 200 " + echo, Header: http.Header{"X-Echo": {"v " + echo}}, Body: []byte(body)}
					s.redactor().strip(answer)
					shown := answer.Line + answer.Header.Get("X-Echo") + string(answer.Body)
					require.NotContains(rt, shown, echo)
					require.NotContains(rt, shown, secret)
					require.Contains(rt, string(answer.Body), "kept")
					require.Contains(rt, string(answer.Body), "12.50")
					require.Equal(rt, json.Valid([]byte(body)), json.Valid(answer.Body))
				}
			})
		})
	}
}

func TestAnswersWithoutCredentialsStayAsTheyAre(t *testing.T) {
	t.Parallel()
	var s Secrets
	s.Add("short", "long-enough", "12345678")
	for _, body := range []string{"", `{ "a" : "x\u0041",  "short": 1.0 }`, "\x00\xff short", `{"a`} {
		require.Equal(t, body, string(s.redactor().stripBody([]byte(body))))
	}
	require.Equal(t, `{"a":"[redacted]","b":"short"}`, string(s.redactor().stripBody([]byte(`{"a": 12345678, "b": "short"}`))), "a number stays JSON")
	require.Equal(t, "no [redacted] here", s.Redact("no long-enough here"))
}

// Each call may be told what an earlier one, or none, has sent.
func TestNoCallIsToldACredential(t *testing.T) {
	t.Parallel()
	const stored, fetched = "secret-of-the-store", "fetched-token-0001"
	s := serve(t, func(w http.ResponseWriter, r *http.Request, _ int) {
		echo := stored + " " + testToken + " " + fetched
		w.Header().Set("X-Request-Id", echo)
		w.Header().Set("Payctl-World", echo)
		switch {
		case r.Header.Get("Accept") == mediaEventStream+", application/problem+json;q=0.9":
			w.Header().Set("Content-Type", mediaEventStream)
			_, _ = io.WriteString(w, "id: "+strings.ReplaceAll(echo, " ", "_")+"\ndata: {\"id\":\"evt_1\",\"type\":\"transfer.state\",\"subjectId\":\""+echo+"\",\"to\":\"a\",\"occurredAt\":\"2026-01-01T00:00:00Z\"}\n\n")
		case strings.Contains(r.URL.Path, "identity") && r.Method == "POST":
			replyJSON(w, 200, `{"access_token":"`+fetched+`","token_type":"`+echo+`","scope":"`+echo+`"}`)
		case strings.Contains(r.URL.Path, "trf_2"):
			reply(w, 404, "application/problem+json", `{"type":"https://x.test/problems/not-found","title":"`+echo+`","detail":"`+echo+`","errors":{"`+echo+`":["`+echo+`"]},"requestId":"`+echo+`"}`)
		default:
			replyJSON(w, 200, `{"id":"`+echo+`","state":"awaiting_funds"}`)
		}
	})
	secrets := &Secrets{}
	secrets.Add(stored, testToken) // read from a store, not sent yet
	c, _ := connect(t, s.URL, func(config *Config) { config.Secrets = secrets })
	told := ""
	token, err := c.CreateAccessToken(t.Context(), "id", "client-secret", payments.AccessTokenRequest{})
	require.NoError(t, err)
	require.Equal(t, fetched, token.AccessToken, "what it brings comes through")
	told += token.Scope + token.TokenType
	transfer, err := c.GetTransfer(t.Context(), "trf_1", payments.Condition{})
	require.NoError(t, err)
	told += transfer.Value.ID + c.World()
	_, err = c.GetTransfer(t.Context(), "trf_2", payments.Condition{})
	refusal := refusalIn(t, err)
	told += fmt.Sprint(refusal.Problem, err, string(refusal.Document))
	require.NoError(t, c.StreamEvents(t.Context(), payments.EventFilter{}, func(m payments.EventMessage) error {
		told += fmt.Sprint(m.Cursor, *m.Event)
		return nil
	}))
	require.Contains(t, told, redacted)
	for _, secret := range []string{stored, fetched, testToken} {
		require.NotContains(t, told, secret)
	}
}
