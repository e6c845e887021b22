package cmdutil

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/securefile/swaptest"
)

// A report, or a pipe in its place, that is exchanged with a link while it is written: what the link leads to stays as
// it is.
func TestReportThatIsExchanged(t *testing.T) {
	t.Parallel()
	for name, place := range map[string]func(path string) error{
		"file": func(path string) error { return os.WriteFile(path, nil, 0o600) },
		"pipe": func(path string) error { return syscall.Mkfifo(path, 0o600) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			path, victim := filepath.Join(dir, "report.csv"), filepath.Join(dir, "victim")
			require.NoError(t, os.WriteFile(victim, []byte("not the report"), 0o644))
			require.NoError(t, place(path))
			if name == "pipe" {
				reader, err := os.OpenFile(path, os.O_RDWR, 0)
				require.NoError(t, err)
				defer reader.Close()
				go func() {
					for buffer := make([]byte, 1<<10); ; {
						if _, err := reader.Read(buffer); err != nil {
							return
						}
					}
				}()
			}
			swaptest.Run(t, path, victim, 0, func() {
				f, err := CreateReport(t.Context(), path)
				if err != nil {
					return
				}
				defer f.Discard()
				_, err = f.buffer.WriteString("a row\n")
				require.NoError(t, err)
				if name == "file" || f.special {
					_ = f.Keep(true)
				}
			})
		})
	}
}
