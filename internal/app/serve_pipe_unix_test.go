//go:build unix

package app

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/refserver"
	"github.com/payctl/payctl/internal/ui"
)

// TestServeCanBeInterruptedBesidePipes names pipes without a writer.
func TestServeCanBeInterruptedBesidePipes(t *testing.T) {
	t.Parallel()
	pipe := filepath.Join(t.TempDir(), "pipe")
	require.NoError(t, syscall.Mkfifo(pipe, 0o600))
	for _, c := range []cmdutil.ServeConfig{{Catalogue: pipe}, {TLSCert: pipe, TLSKey: pipe}} {
		c.Addr, c.Clock, c.Deposits = "127.0.0.1:0", "real", "auto"
		ctx, interrupt := context.WithCancelCause(t.Context())
		interrupt(ui.ErrInterrupted)
		d, _ := wire(func(string) string { return "" }, &ui.Streams{Out: io.Discard, Err: io.Discard, In: strings.NewReader("")}, time.Now)
		require.ErrorIs(t, serve(ctx, d, c, refserver.New), ui.ErrInterrupted)
	}
}

// TestServeTakesNoPlace: a ready file or a report in the place of a device would take it away, for good where root
// runs it.
func TestServeTakesNoPlace(t *testing.T) {
	t.Parallel()
	pipe := filepath.Join(t.TempDir(), "pipe")
	require.NoError(t, syscall.Mkfifo(pipe, 0o600))
	_, err := ready{}.writeFile(pipe)
	require.ErrorContains(t, err, "is not a regular file")
	info, err := os.Lstat(pipe)
	require.NoError(t, err)
	require.Equal(t, os.ModeNamedPipe, info.Mode().Type())
}

func TestKeyPairsAreBounded(t *testing.T) {
	t.Parallel()
	_, err := loadTLS(cmdutil.ServeConfig{TLSCert: "/dev/zero", TLSKey: "/dev/zero"})
	require.ErrorContains(t, err, "/dev/zero is longer than")
}
