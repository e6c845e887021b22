package app

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/contract/servicemap"
)

// What the help lists as mappable is, at the path that it has anyway.
func TestMappableOperationsCanBeMapped(t *testing.T) {
	t.Parallel()
	listed := map[string]bool{}
	for _, op := range contract.Mappable() {
		require.NoError(t, servicemap.CheckRoute(op, op.Method+" "+op.Path))
		listed[op.ID] = true
	}
	for _, op := range contract.Operations {
		elsewhere := servicemap.CheckRoute(op, op.Method+" /elsewhere"+op.Path)
		require.Equal(t, op.Origin == contract.Assumed, elsewhere == nil, op.ID)
		require.False(t, listed[op.ID] && op.Origin == contract.Published)
	}
}
