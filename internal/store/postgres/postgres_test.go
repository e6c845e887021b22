package postgres_test

import (
	"testing"

	"github.com/payctl/payctl/internal/test/testkit"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/store"
	"github.com/payctl/payctl/internal/store/postgres"
	"github.com/payctl/payctl/internal/store/storetest"
)

func open(t testing.TB) store.Store {
	t.Helper()
	url, _ := testkit.NewDatabase(t)
	s, err := postgres.Open(t.Context(), postgres.Config{URL: url})
	require.NoError(t, err)
	return s
}

// A value that the database rejects is not an outage. Clients would wait for the end of an outage.
func TestDataExceptionIsNoOutage(t *testing.T) {
	t.Parallel()
	err := open(t).View(t.Context(), "world", func(tx store.Tx) error {
		_, err := tx.Accounts().Get("\xff")
		return err
	})
	require.Equal(t, "22021", postgres.CodeOf(err))
	require.NotErrorIs(t, err, store.ErrUnavailable)
}

func TestStore(t *testing.T) {
	t.Parallel()
	storetest.Run(t, open)
}
