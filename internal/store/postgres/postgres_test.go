package postgres_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/store"
	"github.com/payctl/payctl/internal/store/postgres"
	"github.com/payctl/payctl/internal/store/storetest"
	"github.com/payctl/payctl/internal/test/pgtest"
)

func open(t testing.TB) store.Store {
	t.Helper()
	url, _ := pgtest.New(t)
	s, err := postgres.Open(t.Context(), postgres.Config{URL: url})
	require.NoError(t, err)
	return s
}

func TestStore(t *testing.T) {
	t.Parallel()
	storetest.Run(t, open)
}
