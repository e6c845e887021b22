package rowsui

import (
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/outbox/batch"
	"github.com/payctl/payctl/internal/ui"
)

// A report that is lost is an error: here a folder takes its path meanwhile.
func TestAReportThatIsLost(t *testing.T) {
	t.Parallel()
	d := &cmdutil.Deps{Streams: &ui.Streams{Out: io.Discard, Err: io.Discard}, Now: time.Now}
	printer, err := ui.NewPrinter(d.Streams, ui.FormatTable, "")
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "report.csv")
	r := &report{d: d, out: printer, wait: func() error { return os.Mkdir(path, 0o700) }}
	err = r.send(t.Context(), &batch.Sender{Concurrency: 1, Ahead: 1}, nil, path)
	require.ErrorContains(t, err, "the whole report is in")
}
