package service_test

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/store/memory"
)

func key(name, fingerprint string) payments.Idempotency {
	return payments.Idempotency{Key: name, Fingerprint: payments.Fingerprint(fingerprint)}
}

// requireSameOnTheWire compares what clients get. One number can have more than one form in memory.
func requireSameOnTheWire(t require.TestingT, expected, actual any) {
	one, err := json.Marshal(expected, json.Deterministic(true))
	require.NoError(t, err)
	other, err := json.Marshal(actual, json.Deterministic(true))
	require.NoError(t, err)
	require.Equal(t, string(one), string(other))
}

func (w *world) count(t require.TestingT) int {
	list, err := w.ListAccounts(background, payments.AccountFilter{PageQuery: payments.PageQuery{Limit: 100}})
	require.NoError(t, err)
	require.Nil(t, list.NextCursor)
	return len(list.Data)
}

func TestSameKeyGivesTheFirstAnswer(t *testing.T) {
	t.Parallel()
	w := empty(t)
	first, err := w.CreateAccount(background, person("ada@example.com"), key("k", "a"))
	require.NoError(t, err)
	require.False(t, first.Replayed)
	w.advance(t, kycDelay) // the account has changed since, the answer has not
	again, err := w.CreateAccount(background, person("ada@example.com"), key("k", "a"))
	require.NoError(t, err)
	require.True(t, again.Replayed)
	require.Equal(t, first.Value, again.Value)
	_, err = w.CreateAccount(background, person("bob@example.com"), key("k", "b"))
	requireRefused(t, err, payments.KindKeyReuse)
	require.Equal(t, 1, w.count(t))
}

func TestKeysOfOperationsAndClientsAreApart(t *testing.T) {
	t.Parallel()
	shared := memory.New()
	one, other := newWorld(t, shared, "one"), newWorld(t, shared, "other")
	first, err := one.CreateAccount(background, person("ada@example.com"), key("k", "a"))
	require.NoError(t, err)
	theirs, err := other.CreateAccount(background, person("eve@example.com"), key("k", "b"))
	require.NoError(t, err)
	require.False(t, theirs.Replayed)
	require.NotEqual(t, first.Value.ID, theirs.Value.ID)
	contact, err := one.CreateSavedContact(background, contactTo(t, "base", "USDC", "Grace"), key("k", "c"))
	require.NoError(t, err)
	require.False(t, contact.Replayed)
}

func TestRefusalDoesNotBindTheKey(t *testing.T) {
	t.Parallel()
	w := empty(t)
	w.open(t, "ada@example.com")
	contact := w.save(t, "base", "USDC", "Grace")
	_, err := w.CreateAutoTransfer(background, to(contact, achToBase, "50.00"), key("k", "a"))
	requireRefused(t, err, payments.KindKYCRequired)
	w.advance(t, kycDelay)
	_, err = w.CreateAutoTransfer(background, to(contact, achToBase, "0.01"), key("k", "b"))
	requireRefused(t, err, payments.KindLimitExceeded)
	transfer, err := w.CreateAutoTransfer(background, to(contact, achToBase, "50.00"), key("k", "a"))
	require.NoError(t, err)
	require.False(t, transfer.Replayed)
	canceled, err := w.CancelTransfer(background, transfer.Value.ID, key("k", "a"))
	require.NoError(t, err)
	again, err := w.CancelTransfer(background, transfer.Value.ID, key("k", "a"))
	require.NoError(t, err, "repeating a cancellation is no second cancellation")
	require.True(t, again.Replayed)
	requireSameOnTheWire(t, canceled.Value, again.Value)
}

func TestKeyIsKeptForADay(t *testing.T) {
	t.Parallel()
	w := empty(t)
	for day := range 3 {
		created, err := w.CreateAccount(background, person("ada@example.com"), key("k", fmt.Sprint(day)))
		require.NoError(t, err)
		require.False(t, created.Replayed)
		w.clock.Advance(24*time.Hour - time.Millisecond)
		again, err := w.CreateAccount(background, person("ada@example.com"), key("k", fmt.Sprint(day)))
		require.NoError(t, err)
		require.True(t, again.Replayed)
		w.clock.Advance(time.Millisecond)
	}
	require.Equal(t, 3, w.count(t))
}

func TestConcurrentRequestsWithOneKeyHaveOneEffect(t *testing.T) {
	t.Parallel()
	w := empty(t)
	w.approved(t)
	contact := w.save(t, "base", "USDC", "Grace")
	const callers = 64
	var effects atomic.Int64
	var ids sync.Map
	start := make(chan struct{})
	var all sync.WaitGroup
	for range callers {
		all.Go(func() {
			<-start
			transfer, err := w.CreateAutoTransfer(background, to(contact, achToBase, "50.00"), key("k", "a"))
			if err != nil {
				t.Error(err)
				return
			}
			if !transfer.Replayed {
				effects.Add(1)
			}
			ids.Store(transfer.Value.ID, true)
		})
	}
	close(start)
	all.Wait()
	require.EqualValues(t, 1, effects.Load())
	list, err := w.ListTransfers(background, payments.TransferFilter{})
	require.NoError(t, err)
	require.Len(t, list.Data, 1)
	ids.Range(func(id, _ any) bool {
		require.Equal(t, list.Data[0].ID, id)
		return true
	})
}

// Keys behave as a map from the key to the first request that had an effect, which forgets after a day.
func TestKeysBehaveAsAModel(t *testing.T) {
	t.Parallel()
	type kept struct {
		body, id string
		until    time.Time
	}
	rapid.Check(t, func(t *rapid.T) {
		w := empty(t)
		model, effects := map[string]kept{}, 0
		for range rapid.IntRange(1, 30).Draw(t, "requests") {
			w.clock.Advance(time.Duration(rapid.IntRange(0, 30).Draw(t, "hours")) * time.Hour)
			name := rapid.SampledFrom([]string{"", "k1", "k2", "k1 "}).Draw(t, "key")
			body := rapid.SampledFrom([]string{"GB", "DE", "ZZ"}).Draw(t, "body") // the last is refused
			request := person("ada@example.com")
			request.Country = body
			known, bound := model[name]
			bound = bound && w.clock.Now().Before(known.until)
			written, err := w.CreateAccount(background, request, key(name, body))
			switch {
			case bound && known.body == body:
				require.NoError(t, err)
				require.True(t, written.Replayed)
				require.Equal(t, known.id, written.Value.ID)
			case bound:
				requireRefused(t, err, payments.KindKeyReuse)
			case body == "ZZ":
				requireRefused(t, err, payments.KindValidation)
			default:
				require.NoError(t, err)
				require.False(t, written.Replayed)
				effects++
				if name != "" {
					model[name] = kept{body, written.Value.ID, w.clock.Now().Add(24 * time.Hour)}
				}
			}
		}
		require.Equal(t, effects, w.count(t))
	})
}
