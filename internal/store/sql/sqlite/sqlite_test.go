package sqlite_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/store"
	"github.com/payctl/payctl/internal/store/sql/sqlite"
	"github.com/payctl/payctl/internal/store/storetest"
)

func open(t testing.TB) store.Store { return openIn(t, t.TempDir()) }

func openIn(t testing.TB, folder string) *sqlite.Store {
	s, err := sqlite.Open(t.Context(), folder)
	require.NoError(t, err)
	return s
}

func TestStore(t *testing.T) {
	t.Parallel()
	storetest.Run(t, open)
}

const world = "client-1"

func put(id string) func(store.Tx) error {
	return func(tx store.Tx) error { return tx.Keys().Put(&store.Key{ID: id}) }
}

// has reports whether a view finds a key.
func has(t testing.TB, s store.Store, id string) bool {
	var err error
	require.NoError(t, s.View(context.Background(), world, func(tx store.Tx) error {
		if _, err = tx.Keys().Get(id); errors.Is(err, store.ErrNotFound) {
			return nil
		}
		return err
	}))
	return err == nil
}
