package app

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/store/postgres"
)

// The flags show the defaults of the store, which commands do not import.
func TestDefaultsOfDatabases(t *testing.T) {
	t.Parallel()
	require.Equal(t, postgres.DefaultSchema, cmdutil.DefaultSchema)
}
