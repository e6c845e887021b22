package refserver_test

import (
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/payments"
)

// Two servers with one store are one service: a token, a key and a record of one count at the other, and what is due
// happens at whichever is asked.
func TestTwoServersWithOneStore(t *testing.T) {
	t.Parallel()
	config := inDatabase(t)
	config.KYCDelay, config.SettleDelay = time.Nanosecond, time.Millisecond
	both := serveMany(t, config, 2)
	one, two := both[0], both[1]
	require.Equal(t, one.world(t), two.world(t))
	contact := one.approvedContact(t)

	// The same keys at both at once: each has one effect.
	const keys = 40
	ids := make([][2]string, keys)
	var all sync.WaitGroup
	for key := range keys {
		for i, c := range []*caller{one, two} {
			all.Go(func() {
				a, err := c.do(t.Context(), http.MethodPost, "/transfers/auto/v1", transferTo(contact, fmt.Sprint("r", key)), fmt.Sprint("k", key))
				var transfer payments.Transfer
				if err != nil || a.status != http.StatusCreated || json.Unmarshal(a.body, &transfer) != nil {
					t.Errorf("%v %d %s", err, a.status, a.body)
				}
				ids[key][i] = transfer.ID
			})
		}
	}
	all.Wait()
	for key, pair := range ids {
		require.Equal(t, pair[0], pair[1], key)
	}
	for _, c := range []*caller{one, two} {
		var list payments.TransferPage
		c.read(t, http.MethodGet, "/transfers/v1?limit=100", "", &list)
		require.Len(t, list.Data, keys)
	}
	for key, pair := range ids {
		c := []*caller{one, two}[key%2]
		require.Eventually(t, func() bool {
			var transfer payments.Transfer
			c.read(t, http.MethodGet, "/transfers/"+pair[0]+"/v1", "", &transfer)
			return transfer.State == payments.TransferStatePaymentProcessed
		}, 20*time.Second, time.Millisecond)
	}
	a, err := two.do(t.Context(), http.MethodDelete, "/identity/auth/tokens/current/v1", "", "")
	require.NoError(t, err)
	require.Equal(t, http.StatusNoContent, a.status)
	a, err = one.do(t.Context(), http.MethodGet, "/transfers/v1", "", "")
	require.NoError(t, err)
	require.Equal(t, http.StatusUnauthorized, a.status, "a token that was revoked at one is useless at the other")
}
