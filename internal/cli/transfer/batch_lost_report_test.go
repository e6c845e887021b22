//go:build unix

package transfer

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/cli/rowsui"
	"github.com/payctl/payctl/internal/outbox"
	"github.com/payctl/payctl/internal/outbox/batch"
	"github.com/payctl/payctl/internal/outbox/journal"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/rows"
	"github.com/payctl/payctl/internal/settings"
	"github.com/payctl/payctl/internal/ui"
	"github.com/payctl/payctl/internal/wait"
)

// The error of a batch names a lost report besides the refused rows.
func TestABatchWhoseReportIsLost(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	mapping, err := rows.NewMapping(batch.Members(), nil, nil)
	require.NoError(t, err)
	source, err := batch.Copy("rows.csv", strings.NewReader("reference,contact,route\nr,sct,a:X->b:Y\n"), t.TempDir(), mapping)
	require.NoError(t, err)
	defer source.Close()
	o := &batchOptions{Flags: rowsui.Flags{Report: filepath.Join(dir, "report.csv")}}
	service := refusing{report: o.Report}
	writes := &journal.Journal{Path: filepath.Join(dir, "journal.db"), Now: time.Now}
	defer func() { require.NoError(t, writes.Close()) }()
	sender := &batch.Sender{
		Outbox:  outbox.New(service, writes, outbox.Options{Now: time.Now}),
		BatchID: "bat_1", Concurrency: 1, Ahead: 1, Now: time.Now, Sleep: wait.Sleep, RowTimeout: time.Minute,
	}
	streams := &ui.Streams{Out: io.Discard, Err: io.Discard}
	printer, err := ui.NewPrinter(streams, ui.FormatTable, "")
	require.NoError(t, err)
	d := &cmdutil.Deps{
		Streams: streams, Options: &cmdutil.Options{}, Now: time.Now,
		Settings: func() (settings.Settings, error) { return settings.Settings{}, nil },
	}
	checked := &batch.Checked{Plan: batch.Plan{Rows: 1}, Columns: []string{"reference"}}
	err = o.send(t.Context(), d, printer, sender, source, checked)
	ended, ok := errors.AsType[*cmdutil.Error](err)
	require.True(t, ok, "%v", err)
	require.Equal(t, cmdutil.KindBatchFailed, ended.Kind)
	require.ErrorContains(t, ended, " 1 refused")
	require.ErrorContains(t, ended, "the report cannot be written")
	require.ErrorContains(t, ended.Cause, "the whole report is in")
}

// refusing is a service without any transfer, which refuses each. A folder takes the report's path meanwhile.
type refusing struct {
	outbox.Client
	report string
}

func (refusing) Authorize(context.Context) error            { return nil }
func (refusing) World() string                              { return "" }
func (refusing) HonoursKeys(context.Context, bool) bool     { return true }
func (refusing) KeepsReferencesUnique(context.Context) bool { return true }

func (refusing) ListTransfers(context.Context, payments.TransferFilter) (payments.TransferPage, error) {
	return payments.TransferPage{Data: []payments.Transfer{}}, nil
}

func (r refusing) Send(context.Context, payments.Request) payments.Outcome {
	problem := payments.NewProblem(payments.KindLimitExceeded, "too much")
	return payments.Outcome{
		Verdict: payments.Refused, Err: errors.Join(os.Mkdir(r.report, 0o700), problem), Answer: &payments.Answer{Status: 409},
	}
}
