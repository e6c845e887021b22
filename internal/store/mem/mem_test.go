package mem_test

import (
	"testing"

	"github.com/payctl/payctl/internal/store"
	"github.com/payctl/payctl/internal/store/mem"
	"github.com/payctl/payctl/internal/store/storetest"
)

func TestStore(t *testing.T) {
	t.Parallel()
	storetest.Run(t, func(testing.TB) store.Store { return mem.New() })
}
