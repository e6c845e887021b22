package contract

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Every operation that a command can use is in the table of resources once.
func TestEveryOperationIsOfOneResource(t *testing.T) {
	t.Parallel()
	count := map[*Operation]int{}
	for _, r := range Resources {
		for _, use := range r.Uses {
			count[use.Op]++
			require.NotEmpty(t, use.Commands, use.Op.ID)
		}
	}
	for _, op := range Operations {
		isUsed := op.Access != Open && !op.IsSandbox()
		require.Equal(t, isUsed, count[op] == 1, op.ID)
	}
}
