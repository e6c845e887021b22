//go:build unix

package cmdutil

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// A report replaces a file, but not a pipe or a folder. That is an error before anything is sent.
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

// A report that was not fully written is not kept.
func TestAReportThatCannotBeWritten(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	report, err := CreateReportFile(filepath.Join(dir, "other.csv"))
	require.NoError(t, err)
	_, err = report.buffer.WriteString("cut")
	require.NoError(t, err)
	require.NoError(t, report.file.Close()) // like a disk that fails
	require.Error(t, report.Keep())
	report.Discard()
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Empty(t, left)
}
