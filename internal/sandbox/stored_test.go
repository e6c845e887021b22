package sandbox_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/sandbox"
	"github.com/payctl/payctl/internal/store"
	"github.com/payctl/payctl/internal/store/memory"
)

// current enters a world as the server does for each request.
func current(t testing.TB, ws *sandbox.Worlds, client string) *tested {
	return &tested{must(ws.Current(t.Context(), client)), t}
}

func (w *tested) setFaults(faults ...payments.SandboxFault) {
	must(w.SetSandboxFaults(w.t.Context(), payments.SandboxFaults{Faults: faults}))
}

func (w *tested) faults() []payments.SandboxFault {
	return must(w.ListSandboxFaults(w.t.Context())).Faults
}

// meets reports whether a request to listAccounts meets a fault.
func (w *tested) meets() bool {
	w.t.Helper()
	_, fault, err := w.NextFault(w.t.Context(), "listAccounts", true)
	require.NoError(w.t, err)
	return fault != nil
}

var reset3 = payments.SandboxFault{Operation: "listAccounts", Action: payments.SandboxFaultActionReset, Times: 3}

// Servers with one store share the count of a fault, even if they do not read the record in between.
func TestServersShareFaults(t *testing.T) {
	t.Parallel()
	kept := memory.New()
	one, two := worlds(kept, shared), worlds(kept, shared)
	current(t, one, "ada").setFaults(reset3)
	require.False(t, current(t, two, "bob").meets(), "faults belong to one world")
	met := 0
	for i, w := range slices.Repeat([]*tested{current(t, one, "ada"), current(t, two, "ada")}, 5) {
		if w.meets() {
			met++
		}
		if i == 1 {
			left := reset3
			left.Times = 1
			require.Equal(t, []payments.SandboxFault{left}, current(t, two, "ada").faults())
		}
	}
	require.Equal(t, 3, met)
	require.Empty(t, current(t, one, "ada").faults())
}

// About the given percentage of requests meet a fault. The same seed selects the same requests.
func TestFaultsByChance(t *testing.T) {
	t.Parallel()
	const requests = 2000
	meet := func(seed uint64, percent int) (met []bool) {
		w := newWorld(t, func(c *sandbox.Config) { c.Seed = &seed })
		w.setFaults(payments.SandboxFault{Operation: "listAccounts", Action: "reset", Percent: percent})
		for range requests {
			met = append(met, w.meets())
		}
		return met
	}
	for percent, wanted := range map[int][2]int{100: {requests, requests}, 50: {800, 1200}, 1: {1, 80}} {
		met := len(slices.DeleteFunc(meet(1, percent), func(met bool) bool { return !met }))
		require.True(t, wanted[0] <= met && met <= wanted[1], "%d%%: %d", percent, met)
	}
	once := meet(3, 30)
	require.Equal(t, once, meet(3, 30))
	require.NotEqual(t, once, meet(4, 30))
}

// A world outlives its process, with its instance, clock and faults. A reset restores the configured faults and empties
// the log.
func TestWorldOutlastsItsProcess(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	var kept *memory.Store
	run := func() *tested {
		kept = must(memory.Open(t.Context(), folder))
		ws := worlds(kept, func(c *sandbox.Config) { c.Faults = []payments.SandboxFault{reset3} })
		return current(t, ws, "ada")
	}
	before := run()
	require.True(t, before.meets(), "a new world has the configured faults")
	before.advance(48 * time.Hour)
	account := before.open("ada@example.com")
	require.NoError(t, kept.Close())

	w := run()
	require.Equal(t, before.Instance(), w.Instance())
	require.Equal(t, before.Now(), w.Now())
	require.Greater(t, w.open("bob@example.com").ID, account.ID, "identifiers stay in order, even within a millisecond")
	require.True(t, w.meets())
	require.True(t, w.meets())
	require.False(t, w.meets())
	w.log(2)
	require.Equal(t, []int{2, 1}, w.logged(payments.PageQuery{}))
	must(w.ResetSandbox(t.Context()))
	require.Empty(t, w.logged(payments.PageQuery{}))
	require.Equal(t, []payments.SandboxFault{reset3}, w.faults())
	w.log(1)
	require.Equal(t, []int{1}, w.logged(payments.PageQuery{}))
	require.NoError(t, kept.Close())
}

// Records sort by creation, whichever server creates them, even if one server's clock is ahead or a write fails in
// between.
func TestIdentifiersOfServersSortByTheirMaking(t *testing.T) {
	t.Parallel()
	machine := time.Now()
	var all []*sandbox.Worlds
	kept := memory.New()
	for i := range 3 {
		all = append(all, worlds(kept, shared, func(c *sandbox.Config) {
			c.Clock = sandbox.ClockSetting{}
			c.Machine = func() time.Time { return machine.Add(time.Duration(i) * time.Millisecond) }
		}))
	}
	var made []string
	for range 60 {
		w := current(t, all[rand.IntN(len(all))], "ada")
		account := w.open("ada@example.com")
		made = append(made, account.ID)
		refused(t, errOf(w.UpdateAccount(t.Context(), "acc_none", payments.MergePatch{}, once)), payments.ProblemNotFound)
		w.save(account.ID, "Ada")
		machine = machine.Add(200 * time.Microsecond)
	}
	require.IsIncreasing(t, made)
}

func shared(c *sandbox.Config) { c.Shared = true }

// stuck is a store whose updates wait ten seconds, or until their caller gives up, like a database that does not
// respond.
type stuck struct{ store.Store }

func (s stuck) Update(ctx context.Context, _ string, _ func(store.Tx) error) error {
	select {
	case <-time.After(10 * time.Second):
		return store.Unavailable(errors.New("no response"))
	case <-ctx.Done():
		return ctx.Err()
	}
}

// While the store does not respond, changes fail together, not one after the other.
func TestChangesFailTogetherWhileTheStoreIsStuck(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ws := worlds(stuck{memory.New()}, shared)
		began := time.Now()
		var all sync.WaitGroup
		for range 50 {
			all.Go(func() {
				if _, err := ws.Of(t.Context(), "ada"); !errors.Is(err, store.ErrUnavailable) {
					t.Error(err)
				}
			})
		}
		all.Wait()
		require.LessOrEqual(t, time.Since(began), 20*time.Second)
	})
}

// The limit applies to the store: it counts worlds of other servers, and every server can enter those.
func TestServersShareTheLimitOfWorlds(t *testing.T) {
	t.Parallel()
	kept, two := memory.New(), func(c *sandbox.Config) { c.Most = 2 }
	one, other := worlds(kept, shared, two), worlds(kept, shared, two)
	enter(t, one, "ada")
	enter(t, other, "bob")
	for _, server := range []*sandbox.Worlds{one, other, worlds(kept, shared, two)} {
		refused(t, errOf(server.Of(t.Context(), "eve")), payments.ProblemTooManyClients)
		enter(t, server, "ada")
		enter(t, server, "bob")
	}
	later := worlds(kept, shared, func(c *sandbox.Config) { c.Most = 3 })
	enter(t, later, "eve")
}

// fullDisk is a store that fails to commit while it is full. then makes another request, before the caller learns of
// the failed update.
type fullDisk struct {
	store.Store
	full bool
	then func()
}

func (f *fullDisk) Update(ctx context.Context, world string, fn func(store.Tx) error) error {
	err := f.Store.Update(ctx, world, func(tx store.Tx) error {
		if err := fn(tx); err != nil || !f.full {
			return err
		}
		return store.Unavailable(errors.New("disk full"))
	})
	if f.full && f.then != nil {
		f.then()
	}
	return err
}

// A failed commit does not change the clock or the instance of a world.
func TestNothingMovesThatIsNotKept(t *testing.T) {
	t.Parallel()
	kept := &fullDisk{Store: memory.New()}
	w := enter(t, worlds(kept), "ada")
	account := w.open("ada@example.com")
	before, instance := w.Now(), w.Instance()
	drop := []payments.SandboxFault{{Operation: "*", Action: payments.SandboxFaultActionDrop}}
	w.setFaults(drop...)
	w.LogRequest(instance, payments.SandboxRequest{Time: w.Now()}, "", payments.RequestContent{})

	kept.full, kept.then = true, func() {
		kept.full = false
		require.Equal(t, payments.KYCStatusPending, w.kyc(account.ID).Status, "it uses the stored clock")
		kept.full = true
	}
	hour := payments.SandboxAdvance{Duration: "1h"}
	later := payments.SandboxClockSettings{Mode: payments.ClockModeManual, Now: new(before.Add(time.Hour))}
	require.ErrorIs(t, errOf(w.AdvanceSandboxClock(t.Context(), hour, keyed)), store.ErrUnavailable)
	require.ErrorIs(t, errOf(w.SetSandboxClock(t.Context(), later)), store.ErrUnavailable)
	require.ErrorIs(t, errOf(w.ResetSandbox(t.Context())), store.ErrUnavailable)
	require.Equal(t, before, w.Now())
	require.Equal(t, instance, w.Instance())
	w.LogRequest(instance, payments.SandboxRequest{Time: w.Now()}, "", payments.RequestContent{})
	require.Equal(t, drop, w.faults(), "the faults are unchanged too")

	kept.full = false
	log := must(w.ListSandboxRequests(t.Context(), payments.PageQuery{}))
	require.Len(t, log.Data, 2, "the log still belongs to the same instance")
	must(w.AdvanceSandboxClock(t.Context(), hour, keyed))
	require.Equal(t, before.Add(time.Hour), w.Now(), "it moves once")
	require.Equal(t, payments.KYCStatusApproved, w.kyc(account.ID).Status)
}

// fullKeys is a store without room for another idempotency key.
type fullKeys struct{ store.Store }

func (f fullKeys) Update(ctx context.Context, world string, fn func(store.Tx) error) error {
	return f.Store.Update(ctx, world, func(tx store.Tx) error { return fn(store.Tx{Documents: noKeys{tx.Documents}}) })
}

type noKeys struct{ store.Documents }

func (n noKeys) Put(collection *store.Collection, document store.Document) error {
	if _, isKey := document.(*store.Key); isKey {
		return store.Unavailable(errors.New("disk full"))
	}
	return n.Documents.Put(collection, document)
}

// An advance that is not stored runs no jobs of the new time, even if other jobs are already due.
func TestNothingHappensByAnAdvanceThatIsNotKept(t *testing.T) {
	t.Parallel()
	at := start
	w := enter(t, worlds(fullKeys{memory.New()}, func(c *sandbox.Config) {
		c.Clock, c.Machine = sandbox.ClockSetting{Mode: payments.ClockModeReal}, func() time.Time { return at }
	}), "ada")
	w.open("ada@example.com")
	at = at.Add(kycDelay / 2)
	later := w.open("bea@example.com")
	at = at.Add(kycDelay / 2) // the check of ada is due now
	_, err := w.AdvanceSandboxClock(t.Context(), payments.SandboxAdvance{Duration: "1h"}, keyed)
	require.ErrorIs(t, err, store.ErrUnavailable)
	require.Equal(t, payments.KYCStatusPending, w.kyc(later.ID).Status)
}
