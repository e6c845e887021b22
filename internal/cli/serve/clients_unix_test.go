//go:build unix

package serve

import (
	"context"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/ui"
)

// Reading a pipe without a writer can be interrupted.
func TestClientsOfAPipe(t *testing.T) {
	t.Parallel()
	pipe := filepath.Join(t.TempDir(), "pipe")
	require.NoError(t, syscall.Mkfifo(pipe, 0o600))
	ctx, interrupt := context.WithCancelCause(t.Context())
	interrupt(ui.ErrInterrupted)
	_, err := readClients(ctx, &cmdutil.Deps{}, pipe)
	require.ErrorIs(t, err, ui.ErrInterrupted)
}
