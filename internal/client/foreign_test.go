package client

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/payments"
)

// JSON is read under media types that do not say what it is, a list may be the rows alone, and a token needs nothing
// but itself.
func TestOtherFormsOfAnswers(t *testing.T) {
	t.Parallel()
	for _, media := range []string{
		"text/plain", "text/json", "application/vnd.bank+json", "application/vnd.bank.v1", "application/octet-stream",
	} {
		s := serve(t, func(w http.ResponseWriter, r *http.Request, _ int) {
			w.Header().Set("Content-Type", media)
			_, _ = w.Write([]byte(`[` + transferBody + `]`))
		})
		c, _ := connect(t, s.URL)
		page, err := c.ListTransfers(t.Context(), payments.TransferFilter{})
		require.NoError(t, err, media)
		require.Len(t, page.Data, 1)
	}
	for media, body := range map[string]string{
		"application/json":                     "\ufeff" + `{"id":"trf_1","memo":"é"}`,
		"application/json; charset=ISO-8859-1": "{\"id\":\"trf_1\",\"memo\":\"\xe9\"}",
	} {
		s := serve(t, func(w http.ResponseWriter, _ *http.Request, _ int) { reply(w, http.StatusOK, media, body) })
		c, _ := connect(t, s.URL)
		read, err := c.GetTransfer(t.Context(), "trf_1")
		require.NoError(t, err, media)
		require.JSONEq(t, `{"id":"trf_1","memo":"é"}`, string(read.Value.Document))
	}
	s := serve(t, func(w http.ResponseWriter, _ *http.Request, _ int) {
		replyJSON(w, 200, `{"access_token":"tok_abcdefgh12345678","expires_in":"3600","scope":["a"]}`)
	})
	c, _ := connect(t, s.URL)
	token, err := c.CreateAccessToken(t.Context(), "id", "secret-secret", payments.AccessTokenRequest{})
	require.NoError(t, err)
	require.Equal(t, 3600, token.ExpiresIn)
}

// What is shown under another id is refused: it may be another customer's. What came is kept as it came.
func TestAnswersAboutSomethingElse(t *testing.T) {
	t.Parallel()
	s := serve(t, func(w http.ResponseWriter, r *http.Request, _ int) {
		replyJSON(w, 200, `{"id":"sct_1","accountId":"sct_1","later":[1]}`)
	})
	c, _ := connect(t, s.URL, func(config *Config) { config.Retries = 0 })
	read, err := c.GetSavedContact(t.Context(), "sct_1")
	require.NoError(t, err)
	require.JSONEq(t, `{"id":"sct_1","accountId":"sct_1","later":[1]}`, string(read.Value.Document))
	for name, get := range map[string]func() error{
		"an account": func() error { _, err := c.GetAccount(t.Context(), "acc_1"); return err },
		"a check":    func() error { _, err := c.GetKYCStatus(t.Context(), "acc_1"); return err },
		"a contact":  func() error { _, err := c.GetSavedContact(t.Context(), "sct_2"); return err },
		"a transfer": func() error { _, err := c.GetTransfer(t.Context(), "trf_1"); return err },
	} {
		require.Equal(t, payments.ProblemUnusable, kindOf(t, get()), name)
	}
}
