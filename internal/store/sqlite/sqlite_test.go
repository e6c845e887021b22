package sqlite_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/store"
	"github.com/payctl/payctl/internal/store/sqlite"
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
