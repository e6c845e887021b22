package server_test

import (
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/refserver"
)

// Of many requests at once with one key, or with one reference and different keys, exactly one creates a transfer, and
// all get the same.
func TestConcurrentRequestsHaveOneEffect(t *testing.T) {
	t.Parallel()
	for name, data := range map[string]string{"in memory": "", "in a folder": t.TempDir()} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := run(t, refserver.Config{Data: data, Bounds: refserver.Bounds{KeyWait: patience}})
			a.approved()
			body := `{"destinationSavedContactId":"` + a.saved("base", "USDC") + `","route":"ach:USD->base:USDC","amount":"50.00"`
			for transfers, ask := range []func(i int) *answer{
				func(int) *answer { return a.do("POST", autoPath, body+`}`, "Idempotency-Key", "k") },
				func(i int) *answer {
					return a.do("POST", autoPath, body+`,"reference":"r"}`, "Idempotency-Key", strconv.Itoa(i))
				},
			} {
				answers := make([]*answer, 64)
				start := make(chan struct{})
				var all sync.WaitGroup
				for i := range answers {
					all.Go(func() {
						<-start
						answers[i] = ask(i)
					})
				}
				close(start)
				all.Wait()
				first := 0
				for _, answer := range answers {
					require.Less(t, answer.status, 300, answer)
					require.Equal(t, answers[0].body, answer.body, "byte for byte")
					if answer.status == http.StatusCreated && answer.header.Get("Idempotency-Replayed") == "" {
						first++
					}
				}
				require.Equal(t, 1, first)
				require.Len(t, a.do("GET", "/transfers/v1", "").member("data"), transfers+1)
			}
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
