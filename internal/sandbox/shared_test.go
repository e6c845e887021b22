package sandbox_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/sandbox"
	"github.com/payctl/payctl/internal/store/memory"
)

// servers are the worlds of several servers with one store.
type servers []*sandbox.Worlds

// any returns a client's world at one of the servers.
func (s servers) any(t testing.TB, client string) *tested {
	t.Helper()
	return current(t, s[rand.IntN(len(s))], client)
}

// Records sort by the order in which they were made, whichever server made them, also if the clock of one is ahead or a
// write fails in between.
func TestIdentifiersOfServersSortByTheirMaking(t *testing.T) {
	t.Parallel()
	machine := time.Now()
	var all servers
	kept := memory.New()
	for i := range 3 {
		all = append(all, worlds(t, kept, shared, func(c *sandbox.Config) {
			c.Clock = sandbox.ClockSetting{}
			c.Machine = func() time.Time { return machine.Add(time.Duration(i) * time.Millisecond) }
		}))
	}
	var made []string
	for range 60 {
		w := all.any(t, "ada")
		account := w.open("ada@example.com")
		made = append(made, account.ID)
		_, err := w.UpdateAccount(t.Context(), "acc_none", payments.MergePatch{}, once)
		refused(t, err, payments.KindNotFound)
		_, err = w.CreateSavedContact(t.Context(), payments.NewSavedContact{
			AccountID: account.ID, Label: "Ada", HolderName: "Ada L", HolderType: payments.AccountTypeIndividual, PaymentRail: "sepa", Currency: "EUR",
			IBAN: "DE89370400440532013000",
		}, once)
		require.NoError(t, err)
		machine = machine.Add(200 * time.Microsecond)
	}
	require.IsIncreasing(t, made)
}
