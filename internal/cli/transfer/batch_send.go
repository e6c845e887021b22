package transfer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/cli/watchui"
	"github.com/payctl/payctl/internal/follow"
	"github.com/payctl/payctl/internal/outbox"
	"github.com/payctl/payctl/internal/outbox/batch"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/settings"
	"github.com/payctl/payctl/internal/shell"
	"github.com/payctl/payctl/internal/ui"
	"github.com/payctl/payctl/internal/wait"
)

// newSender returns the sender of a file that was checked.
func (o *batchOptions) newSender(
	ctx context.Context, d *cmdutil.Deps, service *outbox.Outbox, checked *batch.Checked,
) (*batch.Sender, error) {
	resolved, err := d.Settings()
	if err != nil {
		return nil, err
	}
	ahead := o.concurrency
	// The check has made requests, so that a reference service is known by now, also one that forgets keys.
	presumed := service.World() == "" && resolved.Sources[settings.KeyIdempotencyKeys].IsBuiltIn()
	if service.KeepsReferencesUnique(ctx) || service.HonoursKeys(ctx, false) && !presumed {
		ahead = max(ahead, aheadTrusted)
	}
	return &batch.Sender{
		Outbox: service, BatchID: checked.Plan.BatchID, Concurrency: o.concurrency, Ahead: ahead, Rate: o.rate,
		Patience: patience, RowTimeout: 3 * cmp.Or(o.wait.CallTimeout(), resolved.Timeout), Now: d.Now, Sleep: wait.Sleep,
	}, nil
}

// send sends the rows and reports them, also those that were not reached when ctx ended.
func (o *batchOptions) send(
	ctx context.Context, d *cmdutil.Deps, printer *ui.Printer, sender *batch.Sender, source *batch.Source,
	checked *batch.Checked,
) error {
	report, err := o.newReport(ctx, d, printer, sender.BatchID, checked)
	if err != nil {
		return err
	}
	defer report.discard()
	report.progress = d.StartProgress(checked.Plan.Rows, "", tallies...)
	defer report.progress.Stop()
	stopNotice := context.AfterFunc(ctx, func() {
		d.Notef("Finishing the rows that are being sent; no others are sent. " +
			"Ctrl-C again leaves at once, and their outcome is then unknown.")
	})
	sendErr := sender.Run(ctx, source, report)
	stopNotice()
	report.progress.Stop()
	if report.Rows < checked.Plan.Rows { // after a fault, rows were not read again
		report.NotChecked += checked.Plan.Rows - report.Rows
	}
	report.PaidTwice = sender.PaidTwice()
	var waitErr error
	if o.wait.Given() && sendErr == nil {
		report.printSummaryLine()
		waitErr = o.waitForTransfers(ctx, d, sender.Outbox, report)
	}
	reportErr := report.finish(printer.With(context.WithoutCancel(ctx)))
	if !o.wait.Given() || sendErr != nil {
		report.printSummaryLine()
	}
	if report.Created == checked.Plan.Rows && len(report.PaidTwice) == 0 {
		if unchecked, ok := errors.AsType[*batch.UncheckedError](sendErr); ok {
			d.Warnf("%v; run the same command again to check it", unchecked)
		}
		if waitErr != nil {
			return waitErr
		}
		return cmdutil.OutputFailed(reportErr, "every row is a transfer")
	}
	failed := batchFailed(report.summary, batchCause(d, sendErr, reportErr))
	if waitErr != nil {
		failed.Detail += "\n" + waitErr.Error()
	}
	return failed
}

// waitForTransfers waits for the transfers of a report that is held back, and sets their last states.
func (o *batchOptions) waitForTransfers(
	ctx context.Context, d *cmdutil.Deps, service payments.Service, report *batchReport,
) error {
	rows := map[string]*batch.Result{}
	var ids []string
	for i := range report.held {
		if row := &report.held[i]; row.Outcome == batch.Created && rows[row.TransferID] == nil {
			rows[row.TransferID] = row
			ids = append(ids, row.TransferID)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	kind := watchui.Transfers(service)
	ofBatch := payments.TransferFilter{BatchID: report.BatchID}
	kind.Subjects.List = func(ctx context.Context, cursor string) ([]follow.State, string, error) {
		return listStates(ctx, service, ofBatch, cursor)
	}
	summary, err := o.wait.Run(ctx, d, service, watchui.Created{
		Kind: kind, IDs: ids, Counted: true,
		Resume: shell.Hint("payctl transfer watch --all --batch BATCH --until STATE",
			shell.Values{"BATCH": report.BatchID, "STATE": o.wait.Until()}),
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

// newReport opens the report: a file, or standard output in the form of the settings. It is written also after ctx
// has ended.
func (o *batchOptions) newReport(
	ctx context.Context, d *cmdutil.Deps, printer *ui.Printer, batchID string, checked *batch.Checked,
) (*batchReport, error) {
	resolved, err := d.Settings()
	if err != nil {
		return nil, err
	}
	r := &batchReport{
		d: d, columns: append(checked.Columns, batch.ReportColumns...),
		summary: summary{BatchID: batchID, Totals: []batch.Total{}}, holds: o.wait.Given(),
	}
	switch {
	case o.report == "-":
		if printer, err = ui.NewPrinter(d.Streams, ui.FormatCSV, ""); err != nil {
			return nil, err
		}
	case o.report != "":
		r.path = o.report
		r.file, err = cmdutil.CreateReport(ctx, o.report)
		if err != nil && ctx.Err() == nil {
			err = cmdutil.Unwritable("the report", o.report, err)
		}
		if err != nil {
			return nil, err
		}
		if printer, err = r.file.Printer(); err != nil {
			r.discard()
			return nil, err
		}
	case strings.EqualFold(resolved.Output, string(ui.FormatTable)) && d.Options.JQ == "":
		r.failedOnly = true
		r.columns = []string{"reference", "contact", "amount", "outcome", "transfer_id", "detail"}
		if r.holds {
			r.columns = slices.Insert(r.columns, len(r.columns)-1, "state")
		}
	}
	r.stream = printer.With(context.WithoutCancel(ctx)).Stream(r.tableColumns())
	return r, nil
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
