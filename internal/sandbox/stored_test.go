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
		w.LogRequest(w.Instance(), payments.SandboxRequest{Time: w.Now(), Operation: "listAccounts"}, "key", payments.RequestContent{})
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

// Faults outlast the process, and those of the configuration are there again after a reset, when the log is empty.
func TestFaultsSurviveARestart(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	var kept *memory.Store
	run := func() *sandbox.Worlds {
		opened, err := memory.Open(t.Context(), folder)
		require.NoError(t, err)
		kept = opened
		return worlds(t, opened, func(c *sandbox.Config) { c.Faults = []payments.SandboxFault{reset3} })
	}
	w := current(t, run(), "ada")
	require.True(t, w.meets(), "a new world has the configured faults")
	require.NoError(t, kept.Close())

	w = current(t, run(), "ada")
	require.True(t, w.meets())
	require.True(t, w.meets())
	require.False(t, w.meets())
	w.log(2)
	require.Equal(t, []int{2, 1}, w.logged())
	_, err := w.ResetSandbox(t.Context())
	require.NoError(t, err)
	require.Empty(t, w.logged())
	require.Equal(t, []payments.SandboxFault{reset3}, w.faults())
	w.log(1)
	require.Equal(t, []int{1}, w.logged())
	require.NoError(t, kept.Close())
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

// Requests that only read write nothing for faults that are not counted.
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
	require.Equal(t, before, kept.updates.Load())
	require.Len(t, w.logged(), 100)
}
