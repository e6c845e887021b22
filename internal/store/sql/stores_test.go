package sql_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	storesql "github.com/payctl/payctl/internal/store/sql"
	"github.com/payctl/payctl/internal/store/sql/sqlite"
)

// openIn opens a store in a folder.
func openIn(t testing.TB, folder string) *storesql.Store {
	t.Helper()
	s, err := sqlite.Open(t.Context(), folder)
	require.NoError(t, err)
	return s.Store
}
