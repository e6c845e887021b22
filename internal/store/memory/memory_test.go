package memory_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/store"
	"github.com/payctl/payctl/internal/store/memory"
	"github.com/payctl/payctl/internal/store/storetest"
)

func TestStore(t *testing.T) {
	t.Parallel()
	storetest.Run(t, func(testing.TB) store.Store { return memory.New() })
}

func TestStoreWithLog(t *testing.T) {
	t.Parallel()
	storetest.Run(t, func(t testing.TB) store.Store {
		s, err := memory.Open(t.Context(), t.TempDir())
		require.NoError(t, err)
		return s
	})
}
