package sql_test

import (
	"context"
	"errors"
	"iter"
	"sync/atomic"
	"testing"
	"time"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/store"
	storesql "github.com/payctl/payctl/internal/store/sql"
	"github.com/payctl/payctl/internal/store/storetest"
)

// sharedDatabase is several stores on one database, as several processes have them. Each call goes to the next of them.
type sharedDatabase struct {
	stores []*storesql.Store
	calls  atomic.Uint64
}

func (b *sharedDatabase) next() *storesql.Store {
	return b.stores[b.calls.Add(1)%uint64(len(b.stores))]
}

func (b *sharedDatabase) Update(ctx context.Context, world string, fn func(store.Tx) error, _ ...store.Need) error {
	return b.next().Update(ctx, world, fn)
}

func (b *sharedDatabase) Watch(string) (changed <-chan struct{}, stop func()) { return nil, func() {} }

func (b *sharedDatabase) Replace(
	ctx context.Context, world string, parts iter.Seq[func(store.Tx) error], last func(store.Tx) error,
) error {
	return b.next().Replace(ctx, world, parts, last)
}

func (b *sharedDatabase) View(ctx context.Context, world string, fn func(store.Tx) error) error {
	each := payments.RequestInfo{Start: time.Now()}
	return b.next().View(payments.WithRequest(ctx, &each), world, fn)
}

func (b *sharedDatabase) HasRoom(ctx context.Context, world string, most int) (bool, error) {
	return b.next().HasRoom(ctx, world, most)
}

func (b *sharedDatabase) Close() (err error) {
	for _, s := range b.stores {
		err = errors.Join(err, s.Close())
	}
	return err
}

// Processes that share a database are one store: each sees at once what the others wrote, and remembers nothing that they
// changed.
func TestStoresOnOneDatabase(t *testing.T) {
	t.Parallel()
	eachDialect(t, func(t *testing.T, database func(t testing.TB) opener) {
		storetest.Run(t, func(t testing.TB) store.Store {
			open := database(t)
			return &sharedDatabase{stores: []*storesql.Store{open(t), open(t), open(t)}}
		})
	})
}
