package server

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/payments"
)

// However many requests of a client wait for their turn, another client has to wait for no more than a few of them. Requests
// whose clients go away leave nothing behind.
func TestTurnsAreFair(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		turns := newTurns(2)
		ctx, gone := context.WithCancel(t.Context())
		ends := map[string]chan func(){"ada": make(chan func(), 100), "bob": make(chan func(), 100), "eve": make(chan func(), 100)}
		ask := func(client string) {
			go func() {
				if end, err := turns.acquire(ctx, client); err == nil {
					ends[client] <- end
				}
			}()
			synctest.Wait()
		}
		for range 50 {
			ask("ada")
		}
		require.Len(t, ends["ada"], 1)
		ask("bob")
		require.Len(t, ends["bob"], 1, "before the others of ada")
		ask("eve")
		require.Empty(t, ends["eve"], "as many have a turn as may")
		(<-ends["ada"])()
		synctest.Wait()
		require.Len(t, ends["eve"], 1)
		require.Empty(t, ends["ada"])
		(<-ends["bob"])()
		synctest.Wait()
		require.Len(t, ends["ada"], 1)
		gone()
		synctest.Wait()
		(<-ends["ada"])()
		(<-ends["eve"])()
		synctest.Wait()
		require.Empty(t, turns.byClient)
		require.Empty(t, turns.all)
	})
}

// A client has one large body decoded and stored at a time, so that the others keep the processor. Small ones and those of
// other clients do not wait for it.
func TestLargeBodiesTakeTurns(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := New(Config{})
		decoded := map[string]int{}
		decode := func(client string, size int) *exchange {
			x := s.newExchange(httptest.NewRecorder(), httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", nil))
			x.op, x.session.ClientID = &contract.CreateAccount, client
			go func() {
				body := []byte(`{"metadata":{"` + strings.Repeat("k", size) + `":""}}`)
				if _, err := decodeBody[payments.NewAccount](x, body, nil); payments.IsKind(err, payments.KindValidation) {
					decoded[client]++
				}
			}()
			synctest.Wait()
			return x
		}
		first, second := decode("ada", largeBody), decode("ada", largeBody)
		require.Equal(t, 1, decoded["ada"])
		decode("bob", largeBody).release()
		require.Equal(t, 1, decoded["bob"])
		decode("ada", 10).release()
		require.Equal(t, 2, decoded["ada"])
		first.release()
		synctest.Wait()
		require.Equal(t, 3, decoded["ada"])
		second.release()
		require.Empty(t, s.bodies.all)
	})
}
