package transfer

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/batch"
	"github.com/payctl/payctl/internal/cli/deps"
	"github.com/payctl/payctl/internal/config"
	"github.com/payctl/payctl/internal/journal"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/term"
	"github.com/payctl/payctl/internal/wait"
)

const (
	maxConcurrency = 64
	maxBatchID     = 128 // characters, as the contract has it
	// aheadTrusted is how many rows are put down at once where a key makes it harmless that a row is sent again.
	aheadTrusted = 512
	// patience is for how long a service that cannot be reached is tried.
	patience = time.Minute
)

type batchOptions struct {
	concurrency int
	rate        int
	maxTotal    []string
	report      string
	batchID     string
	dryRun      bool
	lookUpAll   bool
}

func newBatch(d *deps.Deps) *cobra.Command {
	o := &batchOptions{}
	cmd := &cobra.Command{
		Use:   "batch FILE|-",
		Short: "Create a transfer for every row of a file",
		Long: `Create a transfer for every row of a file: CSV with a header, or NDJSON, from FILE or from standard input with -.
The columns are reference, contact and route, and where they are needed amount, amount_type (source or target) and
metadata.NAME. The reference is your own name for the payment, and tells rows apart.

The whole file is checked before anything is sent; what is wrong is told with line and column. Then rows, totals, fees,
routes and contacts are shown and, at a terminal, have to be confirmed. Without a terminal it takes --yes, and, unless the
service is on this machine, --max-total for every currency.

The same line run again goes on where it was: a row that is done is never done twice, whatever died in between, also
without the journal of the first run. Ctrl-C ends what is under way and reports it; a second one ends at once.

The report has a row for every row of the file, in its order, with outcome (created, refused, unknown or not_sent),
transfer_id, state, problem_type and detail. It goes to standard output, where the form table shows only rows that are
not created, or with --report to a file.

Exit codes: 0 every row is a transfer, 10 the outcome of some is not known (run the same line again), 13 some were
refused, 9 the service could not be reached, 2 nothing was sent because of the file or a limit.`,
		Example: `  payctl transfer batch payroll.csv --dry-run
  payctl transfer batch payroll.csv --report payroll.done.csv
  make-rows | payctl transfer batch - --yes --max-total 25000:USDC -o ndjson > report.ndjson`,
		Args: deps.Args("FILE"),
		RunE: func(cmd *cobra.Command, args []string) error { return sendBatch(cmd.Context(), d, o, args[0]) },
	}
	f := cmd.Flags()
	f.IntVar(&o.concurrency, "concurrency", 8, "send `N` rows at once, 1 to 64")
	f.IntVar(&o.rate, "rate", 0, "send at most `N` rows a second, or look up as many before that (default: as many as can)")
	f.StringArrayVar(&o.maxTotal, "max-total", nil, "refuse a file whose amounts come to more than `AMOUNT:CURRENCY`; may be repeated")
	f.StringVar(&o.report, "report", "", "write the report to `FILE`, as CSV or, when it ends in .ndjson, NDJSON; - is standard output")
	f.StringVar(&o.batchID, "batch-id", "", "the `ID` that groups the transfers (default: made from the content), to go on with a file that was edited")
	f.StringVar(&d.Options.Journal, "journal", "", "the journal's `FILE` (default: in the state folder)")
	f.BoolVar(&o.lookUpAll, "look-up-all", false, "look every reference up before its row is sent, also in a file of more than 1,000 rows at a service that honours keys")
	f.BoolVar(&o.dryRun, "dry-run", false, "check the file and show what would be sent, and send nothing")
	return cmd
}

// limits are the values of --max-total by currency.
func (o *batchOptions) limits() (map[string]payments.Decimal, error) {
	most := map[string]payments.Decimal{}
	for _, text := range o.maxTotal {
		number, currency, ok := strings.Cut(text, ":")
		value, err := payments.ParseDecimal(number)
		if !ok || currency == "" || err != nil {
			return nil, deps.Usage("--max-total %q must look like 25000:USDC", text)
		}
		if _, twice := most[currency]; twice {
			return nil, deps.Usage("--max-total names %s twice", currency)
		}
		most[currency] = value
	}
	return most, nil
}

func (o *batchOptions) check(d *deps.Deps) error {
	switch {
	case o.concurrency < 1 || o.concurrency > maxConcurrency:
		return deps.Usage("--concurrency must be 1 to %d", maxConcurrency)
	case o.rate < 0 || o.rate > math.MaxInt32:
		return deps.Usage("--rate must not be negative")
	case o.report == "-" && (d.Options.Given("output") || d.Options.JQ != ""):
		return deps.Usage("--report - writes CSV to standard output, where -o and --jq write too; leave one of them out")
	case !utf8.ValidString(o.batchID):
		return deps.Usage("--batch-id is not UTF-8")
	case utf8.RuneCountInString(o.batchID) > maxBatchID:
		return deps.Usage("--batch-id is longer than %d characters", maxBatchID)
	}
	return nil
}

// sendBatch is the command.
func sendBatch(ctx context.Context, d *deps.Deps, o *batchOptions, path string) (err error) {
	if err := o.check(d); err != nil {
		return err
	}
	most, err := o.limits()
	if err != nil {
		return err
	}
	printer, err := d.Printer(ctx)
	if err != nil {
		return err
	}
	service, err := d.Payments()
	if err != nil {
		return err
	}
	dir, err := config.StateDir(d.Getenv)
	if err != nil {
		return err
	}
	if o.report != "" {
		kept := journal.Path(d.Options.Journal, dir)
		switch {
		case isSameFile(path, o.report):
			return deps.Usage("--report %s is the file of the rows, whose place it would take", o.report)
		case isSameFile(kept, o.report) || isSamePlace(kept, o.report): // where it may not be yet
			return deps.Usage("--report %s is the journal, whose place it would take", o.report)
		}
	}
	source, err := openSource(ctx, d, path, filepath.Join(dir, "spool"))
	if err != nil {
		return unusable(err)
	}
	defer func() { err = errors.Join(err, source.Close()) }()
	checked, err := batch.Check(ctx, source, service)
	if err != nil {
		return unusable(err)
	}
	if len(checked.Mistakes) > 0 {
		return mistakes(d, path, checked)
	}
	plan := &checked.Plan
	if o.batchID != "" {
		plan.BatchID = o.batchID
	}
	if o.dryRun {
		return printer.Print(plan, func() term.View { return planView(plan) })
	}
	if err := o.confirm(ctx, d, plan, most); err != nil {
		return err
	}
	if d.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
	sender, err := o.sender(d, service, checked)
	if err != nil {
		return err
	}
	return o.run(ctx, d, printer, sender, source, checked)
}

// isSameFile says whether two paths lead to one regular file.
func isSameFile(a, b string) bool {
	one, err := os.Stat(a)
	if err != nil || !one.Mode().IsRegular() {
		return false
	}
	other, err := os.Stat(b)
	return err == nil && os.SameFile(one, other)
}

// isSamePlace says whether two paths have the same name in the same folder, however they lead there.
func isSamePlace(a, b string) bool {
	one, err := os.Stat(filepath.Dir(a))
	if err != nil {
		return false
	}
	other, err := os.Stat(filepath.Dir(b))
	return err == nil && os.SameFile(one, other) && filepath.Base(a) == filepath.Base(b)
}

// openSource opens a file of rows, or copies what can be read only once, as from a pipe, into a file in dir. Ctrl-C ends
// that.
func openSource(ctx context.Context, d *deps.Deps, path, dir string) (*batch.Source, error) {
	if path == "-" {
		return batch.Spool(deps.InputName(path), term.Interruptible(ctx, d.In), dir)
	}
	file, err := term.Open(ctx, path)
	switch {
	case ctx.Err() != nil:
		return nil, err
	case err != nil:
		return nil, fmt.Errorf("%w: %w", batch.ErrUnusable, err)
	}
	info, err := file.Stat()
	switch {
	case err == nil && info.Mode().IsRegular():
		return batch.New(path, file), nil
	case err == nil && info.IsDir():
		err = fmt.Errorf("%w: %s is a folder", batch.ErrUnusable, path)
	case err == nil:
		source, err := batch.Spool(path, term.Interruptible(ctx, file), dir)
		return source, errors.Join(err, file.Close())
	}
	return nil, errors.Join(err, file.Close())
}

// gcPercent lets the heap, which stays small however many rows there are, grow further between two collections: they
// would take a tenth of the time.
const gcPercent = 400

// unusable makes a file that cannot be read a mistake of the command line.
func unusable(err error) error {
	if errors.Is(err, batch.ErrUnusable) {
		return deps.Usage("%v", err)
	}
	return err
}

// mistakes tells everything that is wrong with a file.
func mistakes(d *deps.Deps, path string, checked *batch.Checked) error {
	for _, m := range checked.Mistakes {
		_, _ = d.Err.Write([]byte(term.Sanitize(fmt.Sprintf("%s:%v", deps.InputName(path), m)) + "\n"))
	}
	if checked.More > 0 {
		d.Warnf("and %d more", checked.More)
	}
	first, count := checked.Mistakes[0], deps.Count(len(checked.Mistakes)+checked.More, "mistake(s)")
	return &deps.UsageError{
		Reason: fmt.Sprintf("%s has %s, the first at %d:%d; nothing was sent", deps.TheInput(path), count, first.Line, first.Column),
		Hint:   "mend the rows and run the same line again",
	}
}

// confirm holds a plan to its limits and asks.
func (o *batchOptions) confirm(ctx context.Context, d *deps.Deps, plan *batch.Plan, most map[string]payments.Decimal) error {
	asks, err := d.MustAskAnywhere("sending a batch")
	if err != nil {
		return err
	}
	settings, err := d.Settings()
	if err != nil {
		return err
	}
	nobody := !d.InTTY || !d.ErrTTY
	if nobody && len(most) == 0 && !config.IsLoopback(settings.BaseURL) {
		return &deps.UsageError{
			Reason: "without a terminal, a batch at " + settings.Origin + " needs --max-total for every currency",
			Hint:   "see the totals with --dry-run",
		}
	}
	if len(most) > 0 {
		if reason := plan.Limits(most); reason != "" {
			return deps.Usage("%s; nothing was sent", reason)
		}
	}
	if asks || d.ErrTTY && !d.Quiet {
		d.Show(planView(plan))
	}
	if !asks {
		return nil
	}
	return d.Confirmed(ctx, "Send "+deps.Count(plan.Rows, "row(s)")+"?")
}

// A speaker is a service over HTTP, as far as a batch has to know it.
type speaker interface {
	PrepareAutoTransfer(payments.NewAutoTransfer, payments.Idempotency) (payments.PreparedTransfer, error)
	SendAutoTransfer(context.Context, payments.PreparedTransfer) (payments.MadeTransfer, error)
	World() string
	Trusted() bool
}

// sender puts together what sends.
func (o *batchOptions) sender(d *deps.Deps, service payments.Service, checked *batch.Checked) (*batch.Sender, error) {
	settings, err := d.Settings()
	if err != nil {
		return nil, err
	}
	writes, err := d.Journal()
	if err != nil {
		return nil, err
	}
	over, ok := service.(speaker)
	if !ok {
		return nil, fmt.Errorf("a %T cannot be sent a batch", service)
	}
	ahead, every := o.concurrency, o.lookUpAll
	// The file was checked there, so that a reference service has shown itself, also as one that forgets keys.
	presumed := over.World() == "" && settings.Sources[config.KeyIdempotencyKeys].Presumed()
	if over.Trusted() && !presumed {
		ahead = max(ahead, aheadTrusted)
	} else {
		every = every || checked.Plan.Rows > len(checked.Sample)
	}
	return &batch.Sender{
		Service: service, Journal: writes, Prepare: over.PrepareAutoTransfer, Create: over.SendAutoTransfer, Differences: differences,
		Key:     func(reference string) payments.Idempotency { return deps.ReferenceKey(createAutoTransfer, reference) },
		BatchID: checked.Plan.BatchID, Operation: createAutoTransfer, Sample: checked.Sample, Every: every, Concurrency: o.concurrency, Ahead: ahead, Rate: o.rate,
		Patience: patience, RowTimeout: 3 * settings.Timeout, Now: d.Now, Sleep: wait.Sleep,
	}, nil
}
