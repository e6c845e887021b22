//go:build unix

package transfer

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/batch"
	"github.com/payctl/payctl/internal/cli/deps"
	"github.com/payctl/payctl/internal/config"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/term"
	"github.com/payctl/payctl/internal/wait"
)

// A report takes the place of a file, but never that of a pipe or a device, which is written to; and never that of a folder,
// which is told before anything is sent.
func TestWhereAReportGoes(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	columns := []term.Column{{Header: "Reference"}}
	write := func(path string) {
		report, err := createReport(t.Context(), path)
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

	_, err = createReport(t.Context(), dir)
	require.ErrorContains(t, err, "is a folder")
	nowhere := filepath.Join(dir, "absent", "report.csv")
	_, err = createReport(t.Context(), nowhere)
	require.EqualError(t, err, nowhere+": no such file or directory")

	// Nobody reads from the pipe now: waiting for somebody can be ended.
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = createReport(ctx, pipe)
	require.ErrorIs(t, err, context.Canceled)
	in, err := os.OpenFile(pipe, os.O_RDONLY|syscall.O_NONBLOCK, 0) // lets go who waits still
	require.NoError(t, err)
	require.NoError(t, in.Close())
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, left, 2)
}

// A report that is whole and cannot take its place is the only account of what was done: it stays, and where is told. One that
// could not be written to its end is nobody's.
func TestAReportThatCannotTakeItsPlace(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "report.csv")
	report, err := createReport(t.Context(), path)
	require.NoError(t, err)
	_, err = report.buffer.WriteString("whole")
	require.NoError(t, err)
	require.NoError(t, os.Mkdir(path, 0o700))
	err = report.keep()
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
	require.Error(t, report.keep())
	report.discard()
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, left, 1, "the folder alone")
}

// A batch whose report is lost says so, whatever else became of it, and not only that rows were refused.
func TestABatchWhoseReportIsLost(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	rows := filepath.Join(dir, "rows.csv")
	require.NoError(t, os.WriteFile(rows, []byte("reference,contact,route\nr,sct,a:X->b:Y\n"), 0o600))
	file, err := os.Open(rows)
	require.NoError(t, err)
	source := batch.New(rows, file)
	defer source.Close()
	o := &batchOptions{report: filepath.Join(dir, "report.csv")}
	service := nothing{}
	sender := &batch.Sender{
		Service: service, Journal: service, Concurrency: 1, Ahead: 1, Now: time.Now, Sleep: wait.Sleep, RowTimeout: time.Minute,
		Key: func(reference string) payments.Idempotency { return payments.Idempotency{Key: reference} },
		Prepare: func(n payments.NewAutoTransfer, key payments.Idempotency) (payments.PreparedTransfer, error) {
			return payments.PreparedTransfer{Request: n, Key: key}, nil
		},
		Create: func(context.Context, payments.PreparedTransfer) (payments.MadeTransfer, error) {
			return payments.MadeTransfer{}, errors.Join(os.Mkdir(o.report, 0o700), payments.Refuse(payments.KindLimitExceeded, "too much"))
		},
	}
	streams := &term.Streams{Out: io.Discard, Err: io.Discard}
	printer, err := term.NewPrinter(streams, term.FormatTable, "")
	require.NoError(t, err)
	d := &deps.Deps{Streams: streams, Options: &deps.Options{}, Now: time.Now, Settings: func() (config.Settings, error) { return config.Settings{}, nil }}
	err = o.run(t.Context(), d, printer, sender, source, &batch.Checked{Plan: batch.Plan{Rows: 1}, Columns: []string{"reference"}})
	ended, ok := errors.AsType[*deps.BatchEnded](err)
	require.True(t, ok, "%v", err)
	require.Equal(t, 1, ended.Refused)
	require.ErrorContains(t, ended, "the report cannot be written")
	require.ErrorContains(t, ended.Err, "the whole report is in")
}

// nothing is a service that has no transfer, and a journal that knows of none.
type nothing struct{ payments.Transfers }

func (nothing) ListTransfers(context.Context, payments.TransferFilter) (payments.TransferPage, error) {
	return payments.TransferPage{Data: []payments.Transfer{}}, nil
}

func (nothing) Lookup(context.Context, payments.Intent) (entry payments.JournalEntry, found bool, err error) {
	return entry, false, nil
}
func (nothing) Prepare(context.Context, []payments.Intent) error      { return nil }
func (nothing) Record(context.Context, []payments.JournalEntry) error { return nil }
func (nothing) End(payments.Intent, payments.Result) error            { return nil }
