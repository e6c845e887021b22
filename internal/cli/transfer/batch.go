package transfer

import (
	"cmp"
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/cli/reportfile"
	"github.com/payctl/payctl/internal/cli/rowsui"
	"github.com/payctl/payctl/internal/cli/watchui"
	"github.com/payctl/payctl/internal/follow"
	"github.com/payctl/payctl/internal/outbox"
	"github.com/payctl/payctl/internal/outbox/batch"
	"github.com/payctl/payctl/internal/outbox/journal"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/rows"
	"github.com/payctl/payctl/internal/settings"
	"github.com/payctl/payctl/internal/shell"
	"github.com/payctl/payctl/internal/ui"
)

const (
	concurrency = 8   // how many rows are sent at once
	maxBatchID  = 128 // characters, as the contract has it
	// maxWaited is how many rows --wait keeps in memory until their transfers have come to an end: about 50 MB.
	maxWaited = 100_000
	// aheadTrusted is how many rows are recorded in the journal at once if the service keeps a row from being paid
	// twice, so that sending it again is harmless: enough that writing the journal takes less time than sending.
	aheadTrusted = 512
)

type batchOptions struct {
	rowsui.Flags
	rate     int
	maxTotal []string
	batchID  string
	journal  string
	wait     watchui.Wait
}

func newBatch(d *cmdutil.Deps) *cobra.Command {
	o := &batchOptions{}
	cmd := &cobra.Command{
		Use:   "batch FILE|-",
		Short: "Create a transfer for every row of a file",
		Long: `Create a transfer for every row of a file: CSV with a header, or NDJSON; - is standard input. Columns are
reference, contact and route, and if you like amount, amount_type and metadata.NAME.

The whole file is checked before anything is sent. Then payctl shows the totals and asks; without a
terminal, --yes and --max-total are required. If a batch stops, run the same command again: it goes on
with the rows that are not paid yet. Exit codes: 10 the outcome of some rows is unknown, 13 some rows
were refused; with --wait, 11 some transfers failed, 12 the time of --timeout ran out.`,
		Example: `  payctl transfer batch payroll.csv --dry-run
  payctl transfer batch invoices.csv --map reference=invoice,contact=supplier --set route='base:USDC->sepa:EUR'
  make-rows | payctl transfer batch - --yes --max-total 25000:USDC -o ndjson > report.ndjson`,
		Args: cmdutil.Args("FILE"),
		RunE: func(cmd *cobra.Command, args []string) error { return runBatch(cmd.Context(), d, o, args[0]) },
	}
	f := cmd.Flags()
	o.Flags.AddTo(cmd, "route='base:USDC->sepa:EUR'", concurrency)
	f.Lookup("report").Usage += "; - is stdout"
	o.Mapping.AddAmountsTo(cmd)
	f.IntVar(&o.rate, "rate", 0, "send at most `N` rows a second")
	f.StringArrayVar(&o.maxTotal, "max-total", nil, "send at most `AMOUNT:CURRENCY` in total; may be repeated")
	f.StringVar(&o.batchID, "batch-id", "", "`ID` of the batch, to go on with an edited file")
	f.StringVar(&o.journal, "journal", "", "`FILE` of the journal (default: in the state folder)")
	o.wait.AddTo(d, cmd, watchui.Transfers(nil))
	return cmd
}

// limits returns the values of --max-total by currency.
func (o *batchOptions) limits() (map[string]payments.Decimal, error) {
	most := map[string]payments.Decimal{}
	for _, text := range o.maxTotal {
		number, currency, ok := strings.Cut(text, ":")
		value, err := payments.ParseDecimal(number)
		if !ok || currency == "" || err != nil {
			return nil, cmdutil.Usage("--max-total %q must look like 25000:USDC", text)
		}
		if _, twice := most[currency]; twice {
			return nil, cmdutil.Usage("--max-total names %s twice", currency)
		}
		most[currency] = value
	}
	return most, nil
}

func (o *batchOptions) check(d *cmdutil.Deps, rows string) error {
	if err := o.Check(rows); err != nil {
		return err
	}
	switch {
	case o.rate < 0 || o.rate > math.MaxInt32:
		return cmdutil.Usage("--rate must not be negative")
	case o.Report == "-" && (d.Options.Given("output") || d.Options.JQ != ""):
		return cmdutil.Usage("--report - writes CSV to standard output, as -o and --jq do; leave one of them out")
	case payments.ReferenceFault(o.batchID) != "":
		return cmdutil.Usage("--batch-id %s", payments.ReferenceFault(o.batchID))
	case utf8.RuneCountInString(o.batchID) > maxBatchID:
		return cmdutil.Usage("--batch-id is longer than %d characters", maxBatchID)
	}
	return o.wait.Check(d)
}

// runBatch creates the transfers of a file and reports them.
func runBatch(ctx context.Context, d *cmdutil.Deps, o *batchOptions, path string) error {
	if err := o.check(d, path); err != nil {
		return err
	}
	most, err := o.limits()
	if err != nil {
		return err
	}
	mapping, err := o.Mapping.Read(batch.Members())
	if err != nil {
		return err
	}
	printer, err := d.Printer(ctx)
	if err != nil {
		return err
	}
	service, err := d.Connect(cmdutil.ClientOptions{Journal: o.journal, Timeout: o.wait.CallTimeout()})
	if err != nil {
		return err
	}
	dir, err := settings.StateDir(d.Getenv)
	if err != nil {
		return err
	}
	if isSamePath(journal.Path(o.journal, dir), o.Report) {
		return cmdutil.Usage("--report %s is the journal, which it would overwrite", o.Report)
	}
	source, err := readRows(ctx, d, path, mapping)
	if err != nil {
		return usageError(err)
	}
	checked, err := batch.Check(ctx, source, service)
	if err != nil {
		return usageError(err)
	}
	d.NoteUnused(checked.Unused)
	if len(checked.Errors.First) > 0 {
		return d.RowErrors(path, checked.Errors, "nothing was sent")
	}
	plan := &checked.Plan
	if o.wait.Given() && plan.Rows > maxWaited {
		return cmdutil.Usage("--wait keeps the report until the end, and the file has more than %d rows", maxWaited).
			WithHint("leave out --wait, and watch the transfers of the report: payctl transfer watch --from REPORT")
	}
	if o.batchID != "" {
		plan.BatchID = o.batchID
	}
	if err := plan.FindPaidBefore(ctx, source, service); err != nil {
		return err
	}
	if o.DryRun {
		return printer.Print(plan, func() ui.View { return planView(plan) })
	}
	if err := o.confirm(ctx, d, plan, most); err != nil {
		return err
	}
	if d.Getenv("GOGC") == "" {
		runtime.GC() // what checking the file took would otherwise count as needed, and be allowed again several times
		debug.SetGCPercent(gcPercent)
	}
	sender, err := o.newSender(ctx, d, service, plan.BatchID)
	if err != nil {
		return err
	}
	return o.send(ctx, d, printer, sender, source, checked)
}

// gcPercent lets the heap, which is small while rows are sent, grow further between two collections: with the default
// they take a tenth of the time.
const gcPercent = 400

// isSamePath reports whether two paths lead to one file, or have the same name in the same folder, whether or not such a
// file exists. The case of letters does not count, as in the folders of Windows and macOS.
func isSamePath(a, b string) bool {
	if b == "" || reportfile.IsSame(a, b) {
		return b != ""
	}
	one, err := os.Stat(filepath.Dir(a))
	if err != nil {
		return false
	}
	other, err := os.Stat(filepath.Dir(b))
	return err == nil && os.SameFile(one, other) && strings.EqualFold(filepath.Base(a), filepath.Base(b))
}

// readRows reads a file of rows, or standard input with -.
func readRows(ctx context.Context, d *cmdutil.Deps, path string, mapping *rows.Mapping) (*batch.Source, error) {
	from, err := d.OpenInput(ctx, path)
	if err != nil {
		return nil, err
	}
	defer from.Close()
	return batch.NewSource(cmdutil.InputName(path), from, mapping)
}

// usageError makes a usage error of a file that cannot be read as rows.
func usageError(err error) error {
	if errors.Is(err, rows.ErrUnusable) {
		return cmdutil.Usage("%v", err)
	}
	return err
}

// confirm checks a plan against its limits, shows it and asks.
func (o *batchOptions) confirm(
	ctx context.Context, d *cmdutil.Deps, plan *batch.Plan, most map[string]payments.Decimal,
) error {
	asks := false
	if plan.Rest() > 0 { // otherwise nothing is sent
		var err error
		if asks, err = d.MustAskAnywhere("sending a batch"); err != nil {
			return err
		}
	}
	resolved, err := d.Settings()
	if err != nil {
		return err
	}
	unattended := !d.InTTY || !d.ErrTTY
	if unattended && len(most) == 0 && !settings.IsLoopback(resolved.BaseURL) {
		return cmdutil.Usage("without a terminal, a batch at %s needs --max-total for every currency", resolved.Origin).
			WithHint("see the totals with --dry-run")
	}
	if len(most) > 0 {
		if reason := plan.CheckLimits(most); reason != "" {
			return cmdutil.Usage("%s; nothing was sent", reason)
		}
	}
	if asks || d.ErrTTY && !d.Quiet {
		d.Show(planView(plan))
	} else {
		for _, warning := range plan.Warnings {
			d.Warnf("%s", warning)
		}
		for _, line := range paidBeforeLines(plan) {
			d.Errorf("%s", line) // also with --quiet: nobody must take last month's file for this month's
		}
	}
	if !asks {
		return nil
	}
	return d.Confirmed(ctx, "Send "+cmdutil.Count(plan.Rest(), "row(s)")+"?")
}

// newSender returns the sender of a batch.
func (o *batchOptions) newSender(
	ctx context.Context, d *cmdutil.Deps, service *outbox.Outbox, batchID string,
) (*batch.Sender, error) {
	resolved, err := d.Settings()
	if err != nil {
		return nil, err
	}
	sender := o.Sender(service, cmp.Or(o.wait.CallTimeout(), resolved.Timeout))
	sender.BatchID, sender.Rate, sender.Ahead = batchID, o.rate, o.Concurrency
	// The check has made requests, so that a reference service is known by now, also one that forgets keys.
	presumed := service.World() == "" && resolved.Sources[settings.KeyIdempotencyKeys].IsBuiltIn()
	if service.KeepsReferencesUnique(ctx) || service.HonoursKeys(ctx, false) && !presumed {
		sender.Ahead = max(sender.Ahead, aheadTrusted)
	}
	return sender, nil
}

// send sends the rows of a file that was checked, and reports them in a file or on standard output.
func (o *batchOptions) send(
	ctx context.Context, d *cmdutil.Deps, printer *ui.Printer, sender *batch.Sender, source *batch.Source,
	checked *batch.Checked,
) error {
	next, err := source.Rows(sender.BatchID)
	if err != nil {
		return err
	}
	path := o.Report
	if path == "-" {
		path = ""
		if printer, err = ui.NewPrinter(d.Streams, ui.FormatCSV, ""); err != nil {
			return err
		}
	}
	report, err := rowsui.NewReport(ctx, d, printer, path, checked.Plan.Rows,
		batch.Created, batch.Refused, batch.Unknown, batch.NotSent)
	if err != nil {
		return err
	}
	report.BatchID = sender.BatchID
	if report.Holds = o.wait.Given(); report.Holds {
		report.Wait = func(ctx context.Context, all []*batch.Row) error { return o.waitFor(ctx, d, sender, all) }
	}
	names := slices.Concat(checked.Columns, batch.TransferColumns)
	if report.IsTable() && d.Options.JQ == "" {
		report.FailedOnly = true
		names = []string{"reference", "contact", "amount", "outcome", "transfer_id", "state", "detail"}
	}
	report.Columns = rowsui.Columns(names)
	return report.Send(ctx, sender, next)
}

// waitFor waits for the transfers of a batch.
func (o *batchOptions) waitFor(ctx context.Context, d *cmdutil.Deps, sender *batch.Sender, all []*batch.Row) error {
	service := sender.Outbox
	created := watchui.Created{
		Kind: watchui.Transfers(service),
		Resume: shell.Hint("payctl transfer watch --all --batch BATCH --until STATE",
			shell.Values{"BATCH": sender.BatchID, "STATE": o.wait.Until()}),
	}
	created.Kind.Subjects.List = func(ctx context.Context, cursor string) ([]follow.State, string, error) {
		return listStates(ctx, service, payments.TransferFilter{BatchID: sender.BatchID}, cursor)
	}
	return rowsui.WaitFor(ctx, d, &o.wait, service, created, all)
}
