package server_test

import (
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/refserver"
)

func TestConcurrentRequestsWithOneKey(t *testing.T) {
	t.Parallel()
	for name, config := range map[string]refserver.Config{"in memory": {}, "in a folder": {Data: t.TempDir()}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			config.Bounds.KeyWait = patience
			a := run(t, config)
			a.approved()
			body := `{"destinationSavedContactId":"` + a.saved("base", "USDC") + `","route":"ach:USD->base:USDC","amount":"50.00"}`
			const callers = 64
			answers := make([]*answer, callers)
			start := make(chan struct{})
			var all sync.WaitGroup
			for i := range callers {
				all.Go(func() {
					<-start
					answers[i] = a.do("POST", autoPath, body, "Idempotency-Key", "k")
				})
			}
			close(start)
			all.Wait()
			first := 0
			for _, answer := range answers {
				require.Equal(t, http.StatusCreated, answer.status, answer)
				require.Equal(t, answers[0].body, answer.body, "byte for byte")
				require.Equal(t, answers[0].header.Get("Location"), answer.header.Get("Location"))
				if answer.header.Get("Idempotency-Replayed") == "" {
					first++
				}
			}
			require.Equal(t, 1, first)
			require.Len(t, a.do("GET", "/transfers/v1", "").member("data"), 1)
		})
	}
}

// A request whose key is in use for long gets 409, and finds the key free when the other request has ended.
func TestKeyInUse(t *testing.T) {
	t.Parallel()
	a := run(t, refserver.Config{Bounds: refserver.Bounds{KeyWait: time.Millisecond}})
	_, transfer := revised(t, a)
	path := transfer + "/cancel/v1"
	const callers = 4
	answers, wires := make(chan *answer), make([]*wire, callers)
	var all sync.WaitGroup
	for i := range wires {
		wires[i] = a.dial(t).write("POST "+path+" HTTP/1.1", "Host: a", "Authorization: Bearer "+a.token, "Idempotency-Key: k", "Content-Length: 2", "Expect: 100-continue")
		all.Go(func() {
			response, err := http.ReadResponse(wires[i].reader, nil)
			if err != nil || response.StatusCode == http.StatusContinue {
				return // the one whose body is waited for
			}
			defer response.Body.Close()
			body, _ := io.ReadAll(response.Body)
			answers <- &answer{t, response.StatusCode, response.Header, string(body)}
		})
	}
	for range callers - 1 {
		answer := <-answers
		requireProblem(t, answer, payments.KindKeyInUse)
		require.Equal(t, "1", answer.header.Get("Retry-After"))
	}
	require.Equal(t, http.StatusCreated, a.do("POST", accountsPath, adaBody, "Idempotency-Key", "k").status, "another operation's key is another")
	for _, w := range wires {
		require.NoError(t, w.Close())
	}
	all.Wait()
	later := a.do("POST", path, "", "Idempotency-Key", "k")
	for later.status == http.StatusConflict && strings.Contains(later.body, "idempotency-key-in-use") {
		later = a.do("POST", path, "", "Idempotency-Key", "k")
	}
	require.Equal(t, http.StatusOK, later.status)
	require.Empty(t, later.header.Get("Idempotency-Replayed"), "the one that was given up had no effect")
}
