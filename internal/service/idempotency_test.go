package service_test

import (
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/payctl/payctl/internal/payments"
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
