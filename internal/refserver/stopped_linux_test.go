package refserver_test

import (
	"fmt"
	"net/http"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/payments"
)

const (
	stops     = 3
	whileStop = 3 // requests of each kind that are answered while a server is stopped
)

// TestStoppedNeighbour stops a server under load (SIGSTOP) at random moments. Meanwhile another server on the same folder
// answers each request: reads as usual, and writes, if the stopped one is in the middle of a commit, with 503 and
// Retry-After. It goes on when the stopped one does, or when that is killed.
func TestStoppedNeighbour(t *testing.T) {
	t.Parallel()
	rounds := killsOr(t, stops)
	folder := t.TempDir()
	neighbour := startProcess(t, place{Folder: folder})
	other := login(t, serve(t, place{Folder: folder}.config()), connections)
	contact := other.approvedContact(t)
	busy := &caller{url: neighbour.url, token: other.token, http: httpClient}
	var next atomic.Int64
	create := func(c *caller) (answer, error) {
		n := fmt.Sprint("r", next.Add(1))
		return c.do(t.Context(), http.MethodPost, "/transfers/auto/v1", transferTo(contact, n), n)
	}
	awaitCreated := func() {
		for {
			if a, err := create(other); err == nil && a.status == http.StatusCreated {
				return
			}
			require.NoError(t, t.Context().Err())
		}
	}
	load := func() *sync.WaitGroup {
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() {
				for { // until the server is gone
					if _, err := create(busy); err != nil {
						return
					}
				}
			})
		}
		return &all
	}
	working := load()
	refused := 0
	for round := range rounds {
		<-time.After(time.Duration(50+7*(round%13)) * time.Millisecond)
		neighbour.signal(t, syscall.SIGSTOP)
		for range whileStop {
			a, err := create(other)
			require.NoError(t, err)
			if a.status == http.StatusServiceUnavailable {
				refused++
				require.Equal(t, "1", a.header.Get("Retry-After"))
			} else {
				require.Equal(t, http.StatusCreated, a.status, "%s", a.body)
			}
			var list payments.TransferPage
			other.read(t, http.MethodGet, "/transfers/v1?limit=1", "", &list)
		}
		if last := round == rounds-1; last || round%5 == 4 {
			neighbour.kill(t)
			working.Wait()
			awaitCreated()
			if !last {
				neighbour = startProcess(t, place{Folder: folder})
				busy.url = neighbour.url
				working = load()
			}
			continue
		}
		neighbour.signal(t, syscall.SIGCONT)
		awaitCreated()
	}
	t.Logf("%d stops, %d writes refused", rounds, refused)
}

// signal sends a signal, and waits until a process that is stopped has stopped.
func (p *process) signal(t *testing.T, s syscall.Signal) {
	t.Helper()
	require.NoError(t, p.cmd.Process.Signal(s))
	if s == syscall.SIGSTOP {
		require.Eventually(t, func() bool {
			stat, err := os.ReadFile(fmt.Sprint("/proc/", p.cmd.Process.Pid, "/stat"))
			return err == nil && strings.Contains(string(stat), ") T ")
		}, 10*time.Second, time.Millisecond)
	}
}
