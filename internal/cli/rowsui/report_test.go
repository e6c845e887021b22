package rowsui

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/cli/exit"
	"github.com/payctl/payctl/internal/cli/invocation"
	"github.com/payctl/payctl/internal/outbox/batch"
	"github.com/payctl/payctl/internal/ui"
)

// The error of a batch names a lost report besides what stopped it: here a folder takes the report's path meanwhile.
func TestAReportThatIsLost(t *testing.T) {
	t.Parallel()
	d := &invocation.Deps{Streams: &ui.Streams{Out: io.Discard, Err: io.Discard}, Now: time.Now}
	printer, err := ui.NewPrinter(d.Streams, ui.FormatTable, "")
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "report.csv")
	r, err := newReport(t.Context(), d, printer, path, 1, []batch.Outcome{batch.Created, batch.Refused})
	require.NoError(t, err)
	require.NoError(t, r.Row(&batch.Row{Outcome: batch.Refused}))
	require.NoError(t, os.Mkdir(path, 0o700))
	err = r.send(t.Context(), &batch.Sender{Concurrency: 1}, batch.Rows{})
	ended, isError := errors.AsType[*exit.Error](err)
	require.True(t, isError, "%v", err)
	require.Equal(t, exit.KindBatchFailed, ended.Kind)
	require.ErrorContains(t, ended, " 1 refused")
	require.ErrorContains(t, ended, "the report cannot be written")
	require.ErrorContains(t, ended.Cause, "the whole report is in")
}
