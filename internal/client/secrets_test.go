package client

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/client/redact"
	"github.com/payctl/payctl/internal/payments"
)

// A service may repeat a credential in the response to another call than the one that sent it.
func TestNoCallReturnsACredential(t *testing.T) {
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
			replyJSON(w, 200, `{"id":"trf_1","reference":"`+echo+`","state":"awaiting_funds"}`)
		}
	})
	secrets := &redact.Secrets{}
	secrets.Add(stored, testToken) // read from a store, not sent yet
	c, _ := connect(t, s.URL, func(config *Config) { config.Secrets = secrets })
	told := ""
	token, err := c.CreateAccessToken(t.Context(), "id", "client-secret", payments.AccessTokenRequest{})
	require.NoError(t, err)
	require.Equal(t, fetched, token.AccessToken, "what it brings comes through")
	told += token.Scope + token.TokenType
	transfer, err := c.GetTransfer(t.Context(), "trf_1", payments.ReadOptions{})
	require.NoError(t, err)
	told += transfer.Value.Reference + c.World()
	_, err = c.GetTransfer(t.Context(), "trf_2", payments.ReadOptions{})
	refusal := refusalIn(t, err)
	told += fmt.Sprint(refusal.Problem, err, string(refusal.Document))
	require.NoError(t, c.StreamEvents(t.Context(), payments.EventFilter{}, func(m payments.EventMessage) error {
		told += fmt.Sprint(m.Cursor, *m.Event)
		return nil
	}))
	require.Contains(t, told, redact.Mark)
	for _, secret := range []string{stored, fetched, testToken} {
		require.NotContains(t, told, secret)
	}
}
