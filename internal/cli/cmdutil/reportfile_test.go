//go:build unix

package cmdutil

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// A report replaces a file, but not a pipe or a folder, which is an error before anything is sent.
func TestWhereAReportGoes(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "file.csv")
	for range 2 {
		report, err := CreateReportFile(file)
		require.NoError(t, err)
		_, err = report.Write([]byte("r"))
		require.NoError(t, err)
		require.NoError(t, report.Keep())
		report.Discard()
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		require.Equal(t, "r", string(text))
	}
	pipe := filepath.Join(dir, "pipe")
	require.NoError(t, syscall.Mkfifo(pipe, 0o600))
	for _, path := range []string{pipe, dir} {
		_, err := CreateReportFile(path)
		require.ErrorContains(t, err, "is not a file")
	}
	nowhere := filepath.Join(dir, "absent", "report.csv")
	_, err := CreateReportFile(nowhere)
	require.EqualError(t, err, nowhere+": no such file or directory")
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
	report, err := CreateReportFile(path)
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

	report, err = CreateReportFile(filepath.Join(dir, "other.csv"))
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
