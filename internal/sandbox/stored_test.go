package sandbox_test

import (
	"context"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/sandbox"
	"github.com/payctl/payctl/internal/store"
	"github.com/payctl/payctl/internal/store/memory"
)

// current enters a world as the server does for each request.
func current(t testing.TB, ws *sandbox.Worlds, client string) *tested {
	t.Helper()
	world, err := ws.Current(t.Context(), client)
	require.NoError(t, err)
	return &tested{world, t}
}

func (w *tested) setFaults(faults ...payments.SandboxFault) {
	w.t.Helper()
	_, err := w.SetSandboxFaults(w.t.Context(), payments.SandboxFaults{Faults: faults})
	require.NoError(w.t, err)
}

func (w *tested) faults() []payments.SandboxFault {
	w.t.Helper()
	list, err := w.ListSandboxFaults(w.t.Context())
	require.NoError(w.t, err)
	return list.Faults
}

// meets reports whether a request to listAccounts meets a fault.
func (w *tested) meets() bool {
	w.t.Helper()
	_, fault, err := w.NextFault(w.t.Context(), "listAccounts", true)
	require.NoError(w.t, err)
	return fault != nil
}

func (w *tested) log(requests int) {
	for range requests {
		w.LogRequest(w.Instance(), payments.SandboxRequest{Time: w.Now(), Operation: "listAccounts"}, "key")
	}
}

// logged lists the numbers of all requests in the log, newest first.
func (w *tested) logged() (numbers []int) {
	w.t.Helper()
	for cursor := ""; ; {
		page, err := w.ListSandboxRequests(w.t.Context(), payments.PageQuery{Cursor: cursor, Limit: 100})
		require.NoError(w.t, err)
		for _, r := range page.Data {
			require.Len(w.t, r.IdempotencyKeyHash, 64)
			numbers = append(numbers, r.Number)
		}
		if page.NextCursor == nil {
			return numbers
		}
		cursor = *page.NextCursor
	}
}

var reset3 = payments.SandboxFault{Operation: "listAccounts", Action: payments.SandboxFaultActionReset, Times: 3}

// Servers with one store count a fault down together.
func TestServersShareFaults(t *testing.T) {
	t.Parallel()
	kept := memory.New()
	one, two := worlds(t, kept, shared), worlds(t, kept, shared)
	current(t, one, "ada").setFaults(reset3)
	require.True(t, current(t, two, "ada").meets())
	require.False(t, current(t, two, "bob").meets(), "they belong to one world")
	require.True(t, current(t, one, "ada").meets())
	left := reset3
	left.Times = 1
	require.Equal(t, []payments.SandboxFault{left}, current(t, two, "ada").faults())
	require.True(t, current(t, two, "ada").meets())
	require.False(t, current(t, one, "ada").meets())
	require.Empty(t, current(t, one, "ada").faults())
}

// A fault that is used up in the memory of one server only is none.
func TestServersCountAFaultOnce(t *testing.T) {
	t.Parallel()
	kept := memory.New()
	one, two := worlds(t, kept, shared), worlds(t, kept, shared)
	current(t, one, "ada").setFaults(reset3)
	ada, again := current(t, one, "ada"), current(t, two, "ada")
	met := 0
	for range 5 {
		for _, w := range []*tested{ada, again} { // which look for no news
			if w.meets() {
				met++
			}
		}
	}
	require.Equal(t, 3, met)
}

// Faults and the log outlast the process, and are gone after a reset.
func TestFaultsAndLogSurviveARestart(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	var kept *memory.Store
	run := func() *sandbox.Worlds {
		opened, err := memory.Open(t.Context(), folder)
		require.NoError(t, err)
		kept = opened
		return worlds(t, opened, func(c *sandbox.Config) { c.Faults = []payments.SandboxFault{reset3} })
	}
	ws := run()
	w := current(t, ws, "ada")
	require.True(t, w.meets(), "a new world has the configured faults")
	w.log(2)
	ws.Close()
	require.NoError(t, kept.Close())

	ws = run()
	w = current(t, ws, "ada")
	require.True(t, w.meets())
	require.True(t, w.meets())
	require.False(t, w.meets())
	w.log(1)
	require.Equal(t, []int{3, 2, 1}, w.logged())
	require.Empty(t, current(t, ws, "bob").logged())
	w.log(1)
	_, err := w.ResetSandbox(t.Context())
	require.NoError(t, err)
	require.Empty(t, w.logged())
	require.Equal(t, []payments.SandboxFault{reset3}, w.faults())
	w.log(1)
	require.Equal(t, []int{1}, w.logged())
	require.NoError(t, kept.Close())
}

// The log stays bounded also where it is stored in many parts.
func TestStoredLogIsBounded(t *testing.T) {
	t.Parallel()
	kept := memory.New()
	w := enter(t, worlds(t, kept), "ada")
	stored := func() (n int) {
		require.NoError(t, kept.View(t.Context(), "ada", func(tx store.Tx) error {
			batches, err := tx.Requests().List(store.Query{Limit: 10_000})
			for _, batch := range batches {
				n += len(batch.Requests)
			}
			return err
		}))
		return n
	}
	for range 30 {
		w.log(1)
		require.NotEmpty(t, w.logged())
	}
	for range 3 {
		w.log(600)
		numbers := w.logged()
		require.LessOrEqual(t, len(numbers), 1000)
		require.Less(t, stored(), 2000)
	}
	numbers := w.logged()
	require.Len(t, numbers, 1000)
	require.Equal(t, []int{1830, 831}, []int{numbers[0], numbers[999]})
	w.log(3000)
	require.Equal(t, 4830, w.logged()[0])
	require.Equal(t, 1000, stored())
	require.NoError(t, w.ClearSandboxRequests(t.Context()))
	require.Zero(t, stored())
}

// counting counts what is written to a store.
type counting struct {
	store.Store
	updates atomic.Int64
}

func (c *counting) Update(ctx context.Context, world string, fn func(store.Tx) error) error {
	c.updates.Add(1)
	return c.Store.Update(ctx, world, fn)
}

// Requests that only read write nothing for faults that are not counted, and for their log entries once together.
func TestReadsDoNotWrite(t *testing.T) {
	t.Parallel()
	kept := &counting{Store: memory.New()}
	w := current(t, worlds(t, kept), "ada")
	w.setFaults(payments.SandboxFault{Operation: "*", Action: payments.SandboxFaultActionDelay, Delay: "1ms", Percent: 50},
		payments.SandboxFault{Operation: "getAccount", Action: payments.SandboxFaultActionReset, Times: 1})
	before := kept.updates.Load()
	for range 100 {
		require.False(t, w.meets())
		w.log(1)
	}
	require.LessOrEqual(t, kept.updates.Load()-before, int64(1))
	require.Len(t, w.logged(), 100)
}
