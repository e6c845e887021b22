package sqlite_test

import (
	"context"
	"errors"
	"iter"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/store"
	"github.com/payctl/payctl/internal/store/sql/sqlite"
	"github.com/payctl/payctl/internal/store/storetest"
)

// sharedFolder is several stores on one folder, as several processes have them. Each call goes to the next of them.
type sharedFolder struct {
	stores []*sqlite.Store
	calls  atomic.Uint64
}

func (b *sharedFolder) next() *sqlite.Store { return b.stores[b.calls.Add(1)%uint64(len(b.stores))] }

func (b *sharedFolder) Update(ctx context.Context, world string, fn func(store.Tx) error, _ ...store.Need) error {
	return b.next().Update(ctx, world, fn)
}

func (b *sharedFolder) Watch(string) (changed <-chan struct{}, stop func()) { return nil, func() {} }

func (b *sharedFolder) Replace(
	ctx context.Context, world string, parts iter.Seq[func(store.Tx) error], last func(store.Tx) error,
) error {
	return b.next().Replace(ctx, world, parts, last)
}

func (b *sharedFolder) View(ctx context.Context, world string, fn func(store.Tx) error) error {
	return b.next().View(ctx, world, fn)
}

func (b *sharedFolder) Close() (err error) {
	for _, s := range b.stores {
		err = errors.Join(err, s.Close())
	}
	return err
}

// Processes that share a folder are one store: each sees at once what the others wrote, and remembers nothing that they
// changed.
func TestStoresOnOneFolder(t *testing.T) {
	t.Parallel()
	storetest.Run(t, func(t testing.TB) store.Store {
		folder := t.TempDir()
		return &sharedFolder{stores: []*sqlite.Store{openIn(t, folder), openIn(t, folder), openIn(t, folder)}}
	})
}

func TestReopen(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	s := openIn(t, folder)
	require.NoError(t, s.Update(t.Context(), world, put("k")))
	require.NoError(t, s.Close())
	s = openIn(t, folder)
	require.True(t, has(t, s, "k"))
	require.NoError(t, s.Close())
}
