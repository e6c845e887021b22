package journal

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A new migration changes the sum of the newest schema.
func TestNewestSchema(t *testing.T) {
	t.Parallel()
	sum, err := upgrade.NewestSchema(t.Context())
	require.NoError(t, err)
	require.Equal(t, sum, upgrade.Newest)
}
