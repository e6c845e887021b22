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
	stops    = 3
	soonest  = 3 * time.Second
	stopTime = 1500 * time.Millisecond
)

// TestStoppedNeighbour stops a server under load (SIGSTOP) at random moments. Another server on the same folder then
// answers each request soon: reads as usual, and writes, if the stopped one is in the middle of a commit, with 503 and
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
	create := func(c *caller) (answer, time.Duration, error) {
		n := fmt.Sprint("r", next.Add(1))
		began := time.Now()
		a, err := c.do(t.Context(), http.MethodPost, "/transfers/auto/v1", transferTo(contact, n), n)
		return a, time.Since(began), err
	}
	load := func() *sync.WaitGroup {
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() {
				for { // until the server is gone
					if _, _, err := create(busy); err != nil {
						return
					}
				}
			})
		}
		return &all
	}
	working := load()
	refused, longest := 0, time.Duration(0)
	for round := range rounds {
		<-time.After(time.Duration(50+7*(round%13)) * time.Millisecond)
		neighbour.signal(t, syscall.SIGSTOP)
		for end := time.Now().Add(stopTime); time.Now().Before(end); {
			a, took, err := create(other)
			require.NoError(t, err)
			if a.status == http.StatusServiceUnavailable {
				refused++
				require.Equal(t, "1", a.header.Get("Retry-After"))
			} else {
				require.Equal(t, http.StatusCreated, a.status, "%s", a.body)
			}
			began := time.Now()
			var list payments.TransferPage
			other.read(t, http.MethodGet, "/transfers/v1?limit=1", "", &list)
			longest = max(longest, took, time.Since(began))
		}
		if last := round == rounds-1; last || round%5 == 4 {
			neighbour.kill(t)
			working.Wait()
			require.Eventually(t, func() bool { return isCreated(create(other)) }, soonest, time.Millisecond)
			if !last {
				neighbour = startProcess(t, place{Folder: folder})
				busy.url = neighbour.url
				working = load()
			}
			continue
		}
		neighbour.signal(t, syscall.SIGCONT)
		require.Eventually(t, func() bool { return isCreated(create(other)) }, soonest, time.Millisecond)
	}
	require.Less(t, longest, soonest)
	t.Logf("%d stops, %d writes refused, longest request %s", rounds, refused, longest)
}

func isCreated(a answer, _ time.Duration, err error) bool {
	return err == nil && a.status == http.StatusCreated
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
