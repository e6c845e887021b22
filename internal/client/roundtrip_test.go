package client

import (
	"context"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/effect"
	"github.com/payctl/payctl/internal/payments"
)

// A write on a connection that is closed without a response is not sent again by net/http.
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
			require.NoError(t, selectCall(t.Context(), c), "the connection has to be one that is reused")
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
