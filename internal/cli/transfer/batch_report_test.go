//go:build unix

package transfer

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/outbox"
	"github.com/payctl/payctl/internal/outbox/batch"
	"github.com/payctl/payctl/internal/outbox/journal"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/settings"
	"github.com/payctl/payctl/internal/ui"
	"github.com/payctl/payctl/internal/wait"
)

// A report replaces a file, but not a pipe or a device, which is written to, nor a folder, which is an error before
// anything is sent.
func TestWhereAReportGoes(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	columns := []ui.Column{{Header: "Reference"}}
	write := func(path string) {
		report, err := createReport(t.Context(), path)
		require.NoError(t, err)
		printer, err := report.printer()
		require.NoError(t, err)
		stream := printer.Stream(columns)
		require.NoError(t, stream.WritePage([]any{nil}, [][]ui.Cell{{ui.Text("r")}}))
		require.NoError(t, stream.Close())
		require.NoError(t, report.keep(true))
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

	_, err = createReport(t.Context(), dir)
	require.ErrorContains(t, err, "is a folder")
	nowhere := filepath.Join(dir, "absent", "report.csv")
	_, err = createReport(t.Context(), nowhere)
	require.EqualError(t, err, nowhere+": no such file or directory")

	// Without a reader of the pipe, the context ends the waiting.
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = createReport(ctx, pipe)
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
	report, err := createReport(t.Context(), path)
	require.NoError(t, err)
	_, err = report.buffer.WriteString("whole")
	require.NoError(t, err)
	require.NoError(t, os.Mkdir(path, 0o700))
	err = report.keep(true)
	report.discard()
	require.ErrorContains(t, err, "the whole report is in "+report.file.Name())
	text, err := os.ReadFile(report.file.Name())
	require.NoError(t, err)
	require.Equal(t, "whole", string(text))
	require.NoError(t, os.Remove(report.file.Name()))

	report, err = createReport(t.Context(), filepath.Join(dir, "other.csv"))
	require.NoError(t, err)
	_, err = report.buffer.WriteString("cut")
	require.NoError(t, err)
	require.NoError(t, report.file.Close()) // as a disk that fails
	require.Error(t, report.keep(true))
	report.discard()
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, left, 1, "the folder alone")
}

// The error of a batch names a lost report besides the refused rows.
func TestABatchWhoseReportIsLost(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	source, err := batch.Copy("rows.csv", strings.NewReader("reference,contact,route\nr,sct,a:X->b:Y\n"), t.TempDir())
	require.NoError(t, err)
	defer source.Close()
	o := &batchOptions{report: filepath.Join(dir, "report.csv")}
	service := refusing{report: o.report}
	writes := &journal.Journal{Path: filepath.Join(dir, "journal.db"), Now: time.Now}
	defer func() { require.NoError(t, writes.Close()) }()
	sender := &batch.Sender{
		Outbox:      outbox.New(service, writes, outbox.Options{Now: time.Now}),
		Concurrency: 1, Ahead: 1, Now: time.Now, Sleep: wait.Sleep, RowTimeout: time.Minute,
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

func (refusing) Encode(string, []string, any) (path string, encoded []byte, err error) {
	return "/auto", []byte("{}"), nil
}

func (refusing) ListTransfers(context.Context, payments.TransferFilter) (payments.TransferPage, error) {
	return payments.TransferPage{Data: []payments.Transfer{}}, nil
}

func (r refusing) SendAutoTransfer(
	context.Context, payments.NewAutoTransfer, []byte, payments.Idempotency,
) (created payments.WriteResult[payments.Transfer], err error) {
	problem := payments.NewProblem(payments.KindLimitExceeded, "too much")
	return created, errors.Join(os.Mkdir(r.report, 0o700), problem)
}

// A report is not replaced by one that knows less, in either form.
func TestAReportThatKnowsLess(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"report.csv", "report.ndjson"} {
		path := filepath.Join(t.TempDir(), name)
		write := func(outcomes ...batch.Outcome) error {
			file, err := createReport(t.Context(), path)
			require.NoError(t, err)
			printer, err := file.printer()
			require.NoError(t, err)
			r := &batchReport{
				d: &cmdutil.Deps{Streams: &ui.Streams{Out: io.Discard, Err: io.Discard}}, file: file,
				columns: []string{"reference", "outcome"}, progress: &progress{d: &cmdutil.Deps{Streams: &ui.Streams{}}},
			}
			r.stream = printer.Stream(r.tableColumns())
			for _, outcome := range outcomes {
				require.NoError(t, r.Row(batch.Result{Row: batch.Row{Reference: "r,\"1\""}, Outcome: outcome}))
			}
			discarding, err := ui.NewPrinter(&ui.Streams{Out: io.Discard, Err: io.Discard}, ui.FormatJSON, "")
			require.NoError(t, err)
			err = r.finish(discarding)
			if err == nil {
				require.Equal(t, r.Created+r.Refused, r.file.countEstablished())
			}
			r.discard()
			return err
		}
		require.NoError(t, os.WriteFile(path, []byte("no report\n"), 0o600))
		require.NoError(t, write(batch.Created, batch.NotSent, batch.Unknown))
		require.NoError(t, write(batch.Created, batch.NotSent, batch.NotSent), "it knows as much")
		require.NoError(t, write(batch.Created, batch.Refused, batch.NotSent))
		whole, err := os.ReadFile(path)
		require.NoError(t, err)
		for _, less := range [][]batch.Outcome{
			{batch.Created, batch.NotSent, batch.NotSent}, {batch.Created, batch.Refused, batch.NotChecked},
		} {
			require.ErrorContains(t, write(less...), "the report of this run is in")
			text, err := os.ReadFile(path)
			require.NoError(t, err)
			require.Equal(t, string(whole), string(text))
		}
		require.NoError(t, write(batch.Created), "of a whole other file")
	}
}
