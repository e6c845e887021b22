//go:build unix

package serve

import (
	"context"
	"io"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/refserver"
	"github.com/payctl/payctl/internal/ui"
)

// A pipe without a writer in the place of a file does not keep the program from being interrupted.
func TestServeCanBeInterruptedBesidePipes(t *testing.T) {
	t.Parallel()
	pipe := filepath.Join(t.TempDir(), "pipe")
	require.NoError(t, syscall.Mkfifo(pipe, 0o600))
	ctx, interrupt := context.WithCancelCause(t.Context())
	interrupt(ui.ErrInterrupted)
	cmd := command(io.Discard, io.Discard, refserver.New, "--catalogue", pipe, "--addr", "127.0.0.1:0")
	require.ErrorIs(t, cmd.ExecuteContext(ctx), ui.ErrInterrupted)
}
