package store_test

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/store"
)

// slowTx takes a while for each account that it puts.
type slowTx struct {
	store.Tx
	store.Table[store.Account]
	takes time.Duration
	put   *[]string
}

func (x slowTx) Accounts() store.Table[store.Account] { return x }

func (x slowTx) Put(a *store.Account) error {
	<-time.After(x.takes)
	*x.put = append(*x.put, a.ID)
	return nil
}

// A part has a bounded number of records, and takes a bounded time, as records may be large. Together they have each once.
func TestPartsAreShort(t *testing.T) {
	t.Parallel()
	for takes, most := range map[time.Duration]int{0: 100, 2 * time.Millisecond: 3, time.Second: 1} {
		synctest.Test(t, func(t *testing.T) {
			var all store.Export
			var put []string
			for i := range 250 {
				account := &store.Account{}
				account.ID = fmt.Sprintf("acc_%03d", 249-i)
				all.Accounts = append(all.Accounts, account)
			}
			largest := 0
			for part := range all.Parts() {
				before := len(put)
				require.NoError(t, part(slowTx{takes: takes, put: &put}))
				largest = max(largest, len(put)-before)
			}
			require.Equal(t, most, largest)
			require.Len(t, put, 250)
			require.IsIncreasing(t, put)
		})
	}
}
