//go:build unix

package serve

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
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

// A file that another program replaces meanwhile, by a rename or a link, is the one or the other.
func TestFilesOfClientsThatAreReplaced(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	name := filepath.Join(folder, "clients")
	lists := map[string][]string{}
	for _, client := range []string{"a", "b"} {
		lists[client] = slices.Repeat([]string{client + ":" + strings.Repeat(client, 1000)}, 100)
	}
	replace := func(client string, link bool) {
		file := filepath.Join(folder, client)
		require.NoError(t, os.WriteFile(file+".new", []byte(strings.Join(lists[client], "\n")), 0o600))
		require.NoError(t, os.Rename(file+".new", file)) // a link may lead to it
		if link {
			require.NoError(t, os.Symlink(client, filepath.Join(folder, "next")))
			file = filepath.Join(folder, "next")
		}
		require.NoError(t, os.Rename(file, name))
	}
	replace("a", false)
	done, read := make(chan struct{}), make(chan []string, 10_000)
	go func() {
		defer close(read)
		for {
			select {
			case <-done:
				return
			default:
			}
			if clients, err := readClients(t.Context(), &cmdutil.Deps{}, name); err == nil {
				read <- clients
			}
		}
	}()
	for i := range 400 {
		replace([]string{"a", "b"}[i%2], i%4 < 2)
	}
	close(done)
	for clients := range read {
		require.Equal(t, lists[clients[0][:1]], clients)
	}
	clients, err := readClients(t.Context(), &cmdutil.Deps{}, name)
	require.NoError(t, err)
	require.Equal(t, lists["b"], clients)
}
