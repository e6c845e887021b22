//go:build unix

package transfer

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/term"
)

// A report takes the place of a file, but never that of a pipe or a device, which is written to; and never that of a folder,
// which is told before anything is sent.
func TestWhereAReportGoes(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	columns := []term.Column{{Header: "Reference"}}
	write := func(path string) {
		report, err := createReport(path)
		require.NoError(t, err)
		stream, err := report.stream(t.Context(), columns)
		require.NoError(t, err)
		require.NoError(t, stream.WritePage([]any{nil}, [][]term.Cell{{term.Text("r")}}))
		require.NoError(t, stream.Close())
		require.NoError(t, report.keep())
		report.discard()
	}
	file := filepath.Join(dir, "file.csv")
	for range 2 {
		write(file)
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		require.Equal(t, "reference\nr\n", string(text))
	}

	pipe := filepath.Join(dir, "pipe")
	require.NoError(t, syscall.Mkfifo(pipe, 0o600))
	read := make(chan string)
	go func() {
		in, err := os.Open(pipe)
		if err == nil {
			text, _ := io.ReadAll(in)
			_ = in.Close()
			read <- string(text)
		}
	}()
	write(pipe)
	require.Equal(t, "reference\nr\n", <-read)
	info, err := os.Stat(pipe)
	require.NoError(t, err)
	require.Equal(t, fs.ModeNamedPipe, info.Mode().Type(), "it is a pipe still")

	_, err = createReport(dir)
	require.ErrorContains(t, err, "is a folder")
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, left, 2)
}
