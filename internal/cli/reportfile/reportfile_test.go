//go:build unix

package reportfile

import (
	"context"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/ui"
)

// A report replaces a file, but not a pipe or a device, which is written to, nor a folder, which is an error before
// anything is sent.
func TestWhereAReportGoes(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	columns := []ui.Column{{Header: "Reference"}}
	write := func(path string) {
		report, err := Create(t.Context(), path)
		require.NoError(t, err)
		printer, err := report.Printer()
		require.NoError(t, err)
		stream := printer.Stream(columns)
		require.NoError(t, stream.WritePage([]any{nil}, [][]ui.Cell{{ui.Text("r")}}))
		require.NoError(t, stream.Close())
		require.NoError(t, report.Keep())
		report.Discard()
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

	_, err = Create(t.Context(), dir)
	require.ErrorContains(t, err, "is a folder")
	nowhere := filepath.Join(dir, "absent", "report.csv")
	_, err = Create(t.Context(), nowhere)
	require.EqualError(t, err, nowhere+": no such file or directory")

	// Without a reader of the pipe, the context ends the waiting.
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = Create(ctx, pipe)
	require.ErrorIs(t, err, context.Canceled)
	in, err := os.OpenFile(pipe, os.O_RDONLY|syscall.O_NONBLOCK, 0) // ends the open that was left behind
	require.NoError(t, err)
	require.NoError(t, in.Close())
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, left, 2)
}

// A complete report that cannot be moved to its path is the only record of the batch: it stays, and the error names
// it. An incomplete one is removed.
func TestAReportThatCannotBeMoved(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "report.csv")
	report, err := Create(t.Context(), path)
	require.NoError(t, err)
	_, err = report.buffer.WriteString("whole")
	require.NoError(t, err)
	require.NoError(t, os.Mkdir(path, 0o700))
	err = report.Keep()
	report.Discard()
	require.ErrorContains(t, err, "the whole report is in "+report.file.Name())
	text, err := os.ReadFile(report.file.Name())
	require.NoError(t, err)
	require.Equal(t, "whole", string(text))
	require.NoError(t, os.Remove(report.file.Name()))

	report, err = Create(t.Context(), filepath.Join(dir, "other.csv"))
	require.NoError(t, err)
	_, err = report.buffer.WriteString("cut")
	require.NoError(t, err)
	require.NoError(t, report.file.Close()) // as a disk that fails
	require.Error(t, report.Keep())
	report.Discard()
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, left, 1, "the folder alone")
}
