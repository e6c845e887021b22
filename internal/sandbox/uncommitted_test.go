package sandbox_test

import (
	"context"
	"iter"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/sandbox"
	"github.com/payctl/payctl/internal/store"
	"github.com/payctl/payctl/internal/store/sql/sqlite"
)

// lagging is a store that commits late: what a transaction did is done, and no other transaction sees it yet.
type lagging struct {
	store.Store
	beforeView, beforeCommit func() // nil: nothing
}

func (l *lagging) Update(ctx context.Context, world string, fn func(store.Tx) error, _ ...store.Need) error {
	return l.Store.Update(ctx, world, l.late(fn))
}

func (l *lagging) Replace(
	ctx context.Context, world string, parts iter.Seq[func(store.Tx) error], last func(store.Tx) error,
) error {
	return l.Store.Replace(ctx, world, parts, l.late(last))
}

// late runs a hook after a transaction's function.
func (l *lagging) late(fn func(store.Tx) error) func(store.Tx) error {
	return func(tx store.Tx) error {
		err := fn(tx)
		if l.beforeCommit != nil {
			l.beforeCommit()
		}
		return err
	}
}

func (l *lagging) View(ctx context.Context, world string, fn func(store.Tx) error) error {
	if l.beforeView != nil {
		l.beforeView()
	}
	return l.Store.View(ctx, world, fn)
}

// lag has the next view happen while a change is done and not committed. The caller calls commit.
func (l *lagging) lag(change func()) (commit func()) {
	done, committing := make(chan struct{}), make(chan struct{})
	var changing sync.WaitGroup
	l.beforeView = sync.OnceFunc(func() {
		l.beforeCommit = sync.OnceFunc(func() {
			close(done)
			<-committing
		})
		changing.Go(change)
		<-done
	})
	return func() {
		close(committing)
		changing.Wait()
	}
}

func newLagging(t *testing.T) *lagging {
	t.Helper()
	kept, err := sqlite.Open(t.Context(), t.TempDir())
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, kept.Close()) })
	return &lagging{Store: kept}
}

func shared(c *sandbox.Config) { c.Shared = true }

// A snapshot is of one instance at one time, also while the world is being reset or its clock moved.
func TestSnapshotWhileTheWorldChanges(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*tested){
		"reset": func(w *tested) {
			_, err := w.ResetSandbox(w.t.Context())
			require.NoError(w.t, err)
		},
		"advance": func(w *tested) { w.advance(time.Hour) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			kept := newLagging(t)
			w := enter(t, worlds(t, kept, shared), "ada")
			w.advance(time.Minute)
			account := w.open("ada@example.com")
			instance, now := w.Instance(), w.Now()
			commit := kept.lag(func() { change(w) })
			snapshot, err := w.GetSandboxSnapshot(t.Context())
			commit()
			require.NoError(t, err)
			require.Equal(t, instance, snapshot.Instance)
			require.Equal(t, now, snapshot.TakenAt)
			require.Contains(t, string(snapshot.World), account.ID)
		})
	}
}

// What is read is of the instance that is noted in the context, also while the world is being reset.
func TestInstanceWhileTheWorldIsReset(t *testing.T) {
	t.Parallel()
	kept := newLagging(t)
	w := enter(t, worlds(t, kept, shared), "ada")
	account, instance := w.open("ada@example.com"), w.Instance()
	commit := kept.lag(func() {
		_, err := w.ResetSandbox(t.Context())
		require.NoError(t, err)
	})
	var request payments.RequestInfo
	ctx := payments.WithRequest(t.Context(), &request)
	_, err := w.GetAccount(ctx, account.ID, payments.ReadOptions{})
	commit()
	require.NoError(t, err)
	require.Equal(t, instance, request.Epoch)

	_, err = w.GetAccount(ctx, account.ID, payments.ReadOptions{})
	refused(t, err, payments.KindNotFound)
	require.Equal(t, w.Instance(), request.Epoch)
}

// No response has a time that a crash could undo.
func TestClockWhileItIsMoved(t *testing.T) {
	t.Parallel()
	kept := newLagging(t)
	w := enter(t, worlds(t, kept, shared), "ada")
	commit := kept.lag(func() { w.advance(time.Hour) })
	clock, err := w.GetSandboxClock(t.Context())
	commit()
	require.NoError(t, err)
	require.Equal(t, start, clock.Now)
	clock, err = w.GetSandboxClock(t.Context())
	require.NoError(t, err)
	require.Equal(t, start.Add(time.Hour), clock.Now)
}
