package transfer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/cli/rowreport"
	"github.com/payctl/payctl/internal/cli/watchui"
	"github.com/payctl/payctl/internal/follow"
	"github.com/payctl/payctl/internal/outbox"
	"github.com/payctl/payctl/internal/outbox/batch"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/settings"
	"github.com/payctl/payctl/internal/shell"
	"github.com/payctl/payctl/internal/ui"
)

// newSender returns the sender of a file that was checked.
func (o *batchOptions) newSender(
	ctx context.Context, d *cmdutil.Deps, service *outbox.Outbox, checked *batch.Checked,
) (*batch.Sender, error) {
	resolved, err := d.Settings()
	if err != nil {
		return nil, err
	}
	sender := o.Sender(d, cmp.Or(o.wait.CallTimeout(), resolved.Timeout))
	sender.Outbox, sender.BatchID, sender.Rate, sender.Ahead = service, checked.Plan.BatchID, o.rate, o.Concurrency
	// The check has made requests, so that a reference service is known by now, also one that forgets keys.
	presumed := service.World() == "" && resolved.Sources[settings.KeyIdempotencyKeys].IsBuiltIn()
	if service.KeepsReferencesUnique(ctx) || service.HonoursKeys(ctx, false) && !presumed {
		sender.Ahead = max(sender.Ahead, aheadTrusted)
	}
	return sender, nil
}

// send sends the rows and reports them, also those that were not reached when ctx ended.
func (o *batchOptions) send(
	ctx context.Context, d *cmdutil.Deps, printer *ui.Printer, sender *batch.Sender, source *batch.Source,
	checked *batch.Checked,
) error {
	rows, err := source.Jobs(sender.BatchID)
	if err != nil {
		return err
	}
	report, err := o.newReport(ctx, d, printer, checked)
	if err != nil {
		return err
	}
	defer report.Discard()
	totals := batchTotals{amounts: []batch.Total{}, others: map[string]int{}}
	report.Count = totals.count
	stopNotice := context.AfterFunc(ctx, func() {
		d.Notef("Finishing the rows that are being sent; no others are sent. " +
			"Ctrl-C again leaves at once, and their outcome is then unknown.")
	})
	sendErr := sender.Run(ctx, rows, report)
	stopNotice()
	report.Stop()
	report.Complete(checked.Plan.Rows)
	s := newSummary(sender.BatchID, report, totals, sender.PaidTwice())
	var waitErr error
	if o.wait.Given() && sendErr == nil {
		printSummaryLine(d, report, s)
		waitErr = o.waitForTransfers(ctx, d, sender, report.Held)
	}
	reportErr := report.Finish(printer.With(context.WithoutCancel(ctx)), s, s.view)
	if !o.wait.Given() || sendErr != nil {
		printSummaryLine(d, report, s)
	}
	if s.Created == checked.Plan.Rows && len(s.PaidTwice) == 0 {
		if unchecked, ok := errors.AsType[*batch.UncheckedError](sendErr); ok {
			d.Warnf("%v; run the same command again to check it", unchecked)
		}
		if waitErr != nil {
			return waitErr
		}
		return cmdutil.OutputFailed(reportErr, "every row is a transfer")
	}
	failed := batchFailed(s, batchCause(d, sendErr, reportErr))
	if waitErr != nil {
		failed.Detail += "\n" + waitErr.Error()
	}
	return failed
}

// waitForTransfers waits for the transfers of a report that is held back, and sets their last states.
func (o *batchOptions) waitForTransfers(
	ctx context.Context, d *cmdutil.Deps, sender *batch.Sender, held []batch.Result,
) error {
	rows := map[string]*batch.Result{}
	var ids []string
	for i := range held {
		if row := &held[i]; row.Exists() && rows[row.ID] == nil {
			rows[row.ID] = row
			ids = append(ids, row.ID)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	service := sender.Outbox
	kind := watchui.Transfers(service)
	ofBatch := payments.TransferFilter{BatchID: sender.BatchID}
	kind.Subjects.List = func(ctx context.Context, cursor string) ([]follow.State, string, error) {
		return listStates(ctx, service, ofBatch, cursor)
	}
	summary, err := o.wait.Run(ctx, d, service, watchui.Created{
		Kind: kind, IDs: ids, Counted: true,
		Resume: shell.Hint("payctl transfer watch --all --batch BATCH --until STATE",
			shell.Values{"BATCH": sender.BatchID, "STATE": o.wait.Until()}),
	})
	all := cmdutil.Count(len(ids), "transfer(s)")
	d.Notef("%d of %s reached %s, %d failed", len(summary.Reached), all, o.wait.Until(), len(summary.Failed))
	for _, one := range slices.Concat(summary.Reached, summary.Failed, summary.Waiting) {
		rows[one.ID].State = cmp.Or(one.Status, rows[one.ID].State)
	}
	for _, one := range summary.Failed {
		rows[one.ID].Detail = cmp.Or(one.Why, "the transfer failed")
	}
	return err
}

// newReport opens the report: a file, or standard output in the form of the settings.
func (o *batchOptions) newReport(
	ctx context.Context, d *cmdutil.Deps, printer *ui.Printer, checked *batch.Checked,
) (report *rowreport.Report, err error) {
	path, names := o.Report, slices.Concat(checked.Columns, batch.TransferColumns)
	if path == "-" {
		path = ""
		if printer, err = ui.NewPrinter(d.Streams, ui.FormatCSV, ""); err != nil {
			return nil, err
		}
	}
	if report, err = rowreport.NewReport(ctx, d, printer, path, checked.Plan.Rows); err != nil {
		return nil, err
	}
	report.Holds = o.wait.Given()
	if report.IsTable() && d.Options.JQ == "" {
		report.FailedOnly = true
		names = []string{"reference", "contact", "amount", "outcome", "transfer_id", "detail"}
		if report.Holds {
			names = slices.Insert(names, len(names)-1, "state")
		}
	}
	for _, name := range names {
		report.Columns = append(report.Columns, ui.Column{
			Header: strings.ReplaceAll(name, "_", " "), Name: name,
			Keep: name == "outcome" || name == "detail", Right: name == "amount",
		})
	}
	return report, nil
}

// batchCause returns what stopped a batch, or why its report is incomplete. Of two causes the second is printed as a
// warning.
func batchCause(d *cmdutil.Deps, sendErr, reportErr error) error {
	if reportErr == nil || sendErr != nil && errors.Is(reportErr, sendErr) { // the report stopped the batch
		return sendErr
	}
	if _, ok := errors.AsType[*cmdutil.NotReplacedError](reportErr); !ok {
		reportErr = fmt.Errorf("the report cannot be written: %w", reportErr)
	}
	if sendErr == nil {
		return reportErr
	}
	d.Warnf("%v", reportErr)
	return sendErr
}
