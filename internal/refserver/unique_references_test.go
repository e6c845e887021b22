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
	"github.com/payctl/payctl/internal/refserver"
)

// Two servers on one folder keep references unique together: of the same payments at both at once, under keys of their
// own, each is made once, and what one server made is found at the other.
func TestTwoServersKeepReferencesUnique(t *testing.T) {
	t.Parallel()
	config := refserver.Config{Data: t.TempDir(), KYCDelay: time.Nanosecond, SettleDelay: time.Hour}
	one := login(t, serve(t, config), connections)
	two := &caller{url: serve(t, config), token: one.token, http: one.http}
	contact := one.approvedContact(t)
	const references = 40
	pay := func(c *caller, reference, key string) (id string, created bool) {
		a, err := c.do(t.Context(), http.MethodPost, "/transfers/auto/v1", transferTo(contact, reference), key)
		var transfer payments.Transfer
		if err != nil || a.status != http.StatusCreated && a.status != http.StatusOK || json.Unmarshal(a.body, &transfer) != nil {
			t.Errorf("%v %d %s", err, a.status, a.body)
		}
		return transfer.ID, a.status == http.StatusCreated
	}
	var mu sync.Mutex
	ids, creations := map[string]map[string]bool{}, map[string]int{}
	var all sync.WaitGroup
	for n := range references {
		reference := fmt.Sprint("r", n)
		ids[reference] = map[string]bool{}
		for i, c := range []*caller{one, two, one, two} {
			all.Go(func() {
				id, created := pay(c, reference, []string{"", fmt.Sprint("k", n, "-", i)}[(n+i/2)%2])
				mu.Lock()
				defer mu.Unlock()
				ids[reference][id] = true
				if created {
					creations[reference]++
				}
			})
		}
	}
	all.Wait()
	for reference := range ids {
		require.Len(t, ids[reference], 1, reference)
		require.Equal(t, 1, creations[reference], reference)
	}
	var list payments.TransferPage
	two.read(t, http.MethodGet, "/transfers/v1?limit=100", "", &list)
	require.Len(t, list.Data, references)

	id, created := pay(one, "last", "")
	require.True(t, created)
	found, created := pay(two, "last", "k")
	require.False(t, created)
	require.Equal(t, id, found)
}
