package client

import (
	"bytes"
	"compress/gzip"
	"context"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/effect"
	"github.com/payctl/payctl/internal/payments"
)

// If a connection closes without a response, net/http does not send the write again.
func TestTransportNeverResendsAWrite(t *testing.T) {
	t.Parallel()
	calls := map[string]func(context.Context, *Client) error{
		"with key and body":                keyedCall,
		"with key, without body":           cancelCall,
		"without key":                      keylessCall,
		"delete":                           deleteCall,
		"api with key and body":            apiPost("Idempotency-Key", []byte(`{}`)),
		"api with key, without body":       apiPost("Idempotency-Key", nil),
		"api with key in another spelling": apiPost("idempotency-key", nil),
	}
	for name, call := range calls {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, func(w http.ResponseWriter, _ *http.Request, n int) {
				if n == 1 {
					replyJSON(w, http.StatusOK, infoBody)
					return
				}
				hangUp(w)
			})
			c, w := connect(t, s.URL)
			require.NoError(t, selectCall(t.Context(), c), "the write must use a connection that is reused")
			require.Equal(t, payments.ProblemOutcomeUnknown, kindOf(t, call(t.Context(), c)))
			require.Equal(t, 2, s.count(), "the write was received more than once")
			require.Empty(t, w.Slept())
		})
	}
}

func apiPost(header string, body []byte) func(context.Context, *Client) error {
	return func(ctx context.Context, c *Client) error {
		return c.Send(ctx, effect.Request{
			Method: "POST", Path: "/transfers/auto/v1", Header: http.Header{header: {"k-1"}}, Body: body,
		}).Err
	}
}

func compressed(text string) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = z.Write([]byte(text))
	_ = z.Close()
	return b.Bytes()
}

// A body that is not clearly JSON is not a success, least of all for a write: an intermediary may have answered.
func TestSuccessesThatAreNotClearlyJSON(t *testing.T) {
	t.Parallel()
	zipped := compressed(transferBody)
	damaged := bytes.Clone(zipped)
	damaged[len(damaged)-8] ^= 1 // its checksum
	plain := []byte(transferBody)
	for name, test := range map[string]struct {
		types  []string // media types
		coding string
		body   []byte
		why    string
	}{
		"HTML with JSON inside":    {[]string{"text/html"}, "", plain, "instead of JSON"},
		"a problem":                {[]string{"application/problem+json"}, "", plain, "instead of JSON"},
		"events as JSON":           {[]string{"application/json"}, "", []byte("data: " + transferBody + "\n\n"), "JSON"},
		"two types":                {[]string{"application/json", "text/html"}, "", plain, "instead of JSON"},
		"no type and no JSON":      {nil, "", []byte("<html>"), "JSON"},
		"brotli unasked":           {[]string{"application/json"}, "br", plain, `the content coding "br"`},
		"gzip twice":               {[]string{"application/json"}, "gzip, gzip", zipped, `the content coding "gzip, gzip"`},
		"gzip that is none":        {[]string{"application/json"}, "gzip", plain, "no complete answer"},
		"gzip that is damaged":     {[]string{"application/json"}, "gzip", damaged, "no complete answer"},
		"gzip without being named": {[]string{"application/json"}, "", zipped, "JSON"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, func(w http.ResponseWriter, _ *http.Request, _ int) {
				w.Header()["Content-Type"] = test.types
				if test.coding != "" {
					w.Header().Set("Content-Encoding", test.coding)
				}
				w.WriteHeader(http.StatusOK)
				_, _ = w.Write(test.body)
			})
			for class, call := range map[string]func(context.Context, *Client) error{
				"read": readCall, "token": tokenCall, "write": keyedCall, "cancel": cancelCall, "delete": deleteCall,
				"revoke": func(ctx context.Context, c *Client) error { return c.RevokeAccessToken(ctx, testToken) },
			} {
				c, _ := connect(t, s.URL, func(config *Config) { config.Retries = 0 })
				err := call(t.Context(), c)
				want := payments.ProblemOutcomeUnknown
				if class == "read" || class == "token" {
					want = payments.ProblemUnusable
				}
				require.Equal(t, want, kindOf(t, err), "%s: %v", class, err)
				require.Contains(t, err.Error(), test.why, class)
			}
		})
	}
}

// JSON is read even if the media type does not name it. A list may be an array of rows. A token answer needs only the
// token.
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

// An answer with another id is refused: it may be another customer's. A document is kept as it was received.
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
