package rowsui

import (
	"errors"
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

// A report is not replaced by one that knows less, in either form.
func TestAReportThatKnowsLess(t *testing.T) {
	t.Parallel()
	discarding, err := ui.NewPrinter(&ui.Streams{Out: io.Discard, Err: io.Discard}, ui.FormatJSON, "")
	require.NoError(t, err)
	for _, name := range []string{"report.csv", "report.ndjson"} {
		path := filepath.Join(t.TempDir(), name)
		write := func(outcomes ...batch.Outcome) error {
			d := &cmdutil.Deps{Streams: &ui.Streams{Out: io.Discard, Err: io.Discard}, Now: time.Now}
			r, err := NewReport(t.Context(), d, discarding, path, 3)
			require.NoError(t, err)
			defer r.Discard()
			r.Columns = []ui.Column{{Header: "reference", Name: "reference"}, {Header: "outcome", Name: "outcome"}}
			for _, outcome := range outcomes {
				require.NoError(t, r.Row(&batch.Row{Cells: []batch.Cell{{Column: "reference", Text: "r,\"1\""}}, Outcome: outcome}))
			}
			err = r.finish()
			if err == nil {
				require.Equal(t, r.established(), r.file.EarlierCount(batch.CountEstablished))
			}
			return err
		}
		require.NoError(t, os.WriteFile(path, []byte("no report\n"), 0o600))
		require.NoError(t, write(batch.Created, batch.NotSent, batch.Unknown))
		require.NoError(t, write(batch.Created, batch.NotSent, batch.NotSent), "it knows as much")
		require.NoError(t, write(batch.Created, batch.Different, batch.NotSent))
		whole, err := os.ReadFile(path)
		require.NoError(t, err)
		for _, less := range [][]batch.Outcome{
			{batch.Created, batch.NotSent, batch.NotSent}, {batch.Existed, batch.Refused, batch.NotChecked},
		} {
			require.ErrorContains(t, write(less...), "the report of this run is in")
			text, err := os.ReadFile(path)
			require.NoError(t, err)
			require.Equal(t, string(whole), string(text))
		}
		require.NoError(t, write(batch.Created), "of a whole other file")
	}
}

// The error of a batch names a lost report besides what stopped it: here a folder takes the report's path meanwhile.
func TestAReportThatIsLost(t *testing.T) {
	t.Parallel()
	d := &cmdutil.Deps{Streams: &ui.Streams{Out: io.Discard, Err: io.Discard}, Now: time.Now}
	printer, err := ui.NewPrinter(d.Streams, ui.FormatTable, "")
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "report.csv")
	r, err := NewReport(t.Context(), d, printer, path, 1, batch.Created, batch.Refused)
	require.NoError(t, err)
	sender := (&Flags{Concurrency: 1}).Sender(nil, time.Minute)
	err = r.Send(t.Context(), sender, func() (*batch.Row, error) {
		if os.Mkdir(path, 0o700) == nil {
			return &batch.Row{Outcome: batch.Refused}, nil
		}
		return nil, io.EOF
	})
	ended, isError := errors.AsType[*cmdutil.Error](err)
	require.True(t, isError, "%v", err)
	require.Equal(t, cmdutil.KindBatchFailed, ended.Kind)
	require.ErrorContains(t, ended, " 1 refused")
	require.ErrorContains(t, ended, "the report cannot be written")
	require.ErrorContains(t, ended.Cause, "the whole report is in")
}
