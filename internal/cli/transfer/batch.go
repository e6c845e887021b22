package transfer

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/cli/rowsui"
	"github.com/payctl/payctl/internal/cli/watchui"
	"github.com/payctl/payctl/internal/money"
	"github.com/payctl/payctl/internal/outbox"
	"github.com/payctl/payctl/internal/outbox/batch"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/settings"
	"github.com/payctl/payctl/internal/shell"
	"github.com/payctl/payctl/internal/ui"
)

const (
	concurrency = 8 // how many rows are sent at once
	// aheadTrusted is how many rows are recorded in the journal at once if the service keeps a row from being paid
	// twice, so that sending it again is harmless: enough that writing the journal takes less time than sending.
	aheadTrusted = 512
)

type batchOptions struct {
	rowsui.Flags
	rate     int
	maxTotal []string
	batchID  string
	plan     string
	accept   bool

	most map[string]money.Decimal // the values of maxTotal by currency
}

func newBatch(d *cmdutil.Deps) *cobra.Command {
	o := &batchOptions{}
	cmd := &cobra.Command{
		Use:   "batch FILE|-",
		Short: "Create a transfer for every row of a file",
		Long: `Create a transfer for every row of a file: CSV with a header, or NDJSON; - is standard input. Columns are
reference, contact, route and amount, and if you like amount_type and metadata.NAME. With --set amount=
a row without an amount takes whatever arrives.

The whole file is checked before anything is sent. Then payctl shows the totals and asks; without a
terminal, --yes and --max-total or --plan are required. If a batch stops, run the same command again: it goes on
with the rows that are not paid yet. Exit codes: 10 the outcome of some rows is unknown, 13 some rows
were refused, 16 a limit of the profile holds rows back; with --wait, 11 some transfers failed, 12 the
time of --timeout ran out.`,
		Example: `  payctl transfer batch payroll.csv --dry-run
  payctl transfer batch invoices.csv --map reference=invoice,contact=supplier --set route='base:USDC->sepa:EUR'
  make-rows | payctl transfer batch - --yes --max-total 25000:USDC -o ndjson > report.ndjson`,
		RunE: func(cmd *cobra.Command, args []string) error { return runBatch(cmd.Context(), d, o, args[0]) },
	}
	f := cmd.Flags()
	o.Flags.AddTo(cmd, "route='base:USDC->sepa:EUR'", concurrency)
	o.Mapping.AddAmountsTo(cmd)
	f.IntVar(&o.rate, "rate", 0, "send at most `N` rows a second")
	f.StringArrayVar(&o.maxTotal, "max-total", nil, "send at most `AMOUNT:CURRENCY` in total; may be repeated")
	f.StringVar(&o.plan, "plan", "", "send only the plan with this `DIGEST`, which --dry-run shows")
	cmdutil.AddAcceptPayee(cmd, &o.accept)
	f.StringVar(&o.batchID, "batch-id", "", "`ID` of the batch, to go on with an edited file")
	o.Wait.AddTo(cmd, watchui.Transfers)
	return cmd
}

func (o *batchOptions) check() error {
	var err error
	o.most, err = settings.ParseAmounts(o.maxTotal)
	switch {
	case err != nil:
		return cmdutil.Usage("--max-total %v", err)
	case o.rate < 0 || o.rate > math.MaxInt32:
		return cmdutil.Usage("--rate must not be negative")
	case payments.ReferenceFault(o.batchID) != "":
		return cmdutil.Usage("--batch-id %s", payments.ReferenceFault(o.batchID))
	}
	return nil
}

// runBatch creates the transfers of a file and reports them.
func runBatch(ctx context.Context, d *cmdutil.Deps, o *batchOptions, path string) error {
	if err := o.check(); err != nil {
		return err
	}
	transfers := &batch.Transfers{TakesAny: o.Mapping.Allows("amount")}
	return rowsui.Run(ctx, d, &o.Flags, path, rowsui.Command[payments.NewAutoTransfer]{
		Format: transfers.Format(),
		Table:  []string{"reference", "contact", "amount", "outcome", "transfer_id", "state", "detail"},
		Check: func(ctx context.Context, service *outbox.Outbox, file *batch.File[payments.NewAutoTransfer]) error {
			transfers.BatchID, transfers.References = cmp.Or(o.batchID, file.BatchID), service.References
			return transfers.Check(ctx, service, file)
		},
		Confirm: func(
			ctx context.Context, printer *ui.Printer, sender *batch.Sender, file *batch.File[payments.NewAutoTransfer],
		) error {
			plan, service := &transfers.Plan, sender.Outbox
			first := outbox.NewAutoTransfer(file.Items[0].Request, payments.Idempotency{})
			for _, text := range service.Cautions(first.Request.Body) {
				d.Notef("%s", text)
			}
			err := plan.FindPaidBefore(ctx, file.Rows, service)
			if err == nil {
				err = transfers.CheckRest(ctx, file, service)
			}
			switch {
			case err != nil:
				return err
			case len(file.Errors) > 0:
				return d.RowErrors(path, file.Errors, "nothing was sent")
			case o.plan != "" && o.plan != plan.Digest:
				return cmdutil.Usage("this is not the plan %s; nothing was sent", o.plan).
					WithNote("see what has changed with --dry-run")
			case o.DryRun:
				return printer.Print(plan, func() ui.Details { return planView(plan) })
			}
			sender.BatchID, sender.Rate = plan.BatchID, o.rate
			// The check has made requests, so that a reference service is known by now, also one that forgets keys.
			resolved, err := d.Settings()
			presumed := err != nil || service.World() == "" && resolved.Sources[settings.KeyIdempotencyKeys].IsBuiltIn()
			if service.KeepsReferencesUnique(ctx) || service.HonoursKeys(ctx, false) && !presumed {
				sender.Ahead = max(sender.Ahead, aheadTrusted)
			}
			return o.confirm(ctx, d, service, plan)
		},
		Created: func(service *outbox.Outbox) watchui.Created {
			return watchui.Created{
				List:   watchui.ListTransfers(service, payments.TransferFilter{BatchID: transfers.BatchID}),
				Resume: shell.Payctl("transfer watch --all --batch", transfers.BatchID, "--until", o.Wait.Until),
			}
		},
	})
}

// confirm checks a plan against its limits, shows it and asks.
func (o *batchOptions) confirm(ctx context.Context, d *cmdutil.Deps, service *outbox.Outbox, plan *batch.Plan) error {
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
	if unattended && len(o.most) == 0 && o.plan == "" && !settings.IsLoopback(resolved.BaseURL) {
		return cmdutil.Usage("without a terminal, a batch at %s needs --max-total for every currency, or --plan",
			resolved.Origin).
			WithNote("see the totals with --dry-run")
	}
	if len(o.most) > 0 {
		if reason := plan.CheckLimits(o.most); reason != "" {
			return cmdutil.Usage("%s; nothing was sent", reason)
		}
	}
	if plan.Held != nil {
		return plan.Held
	}
	if asks || d.ErrTTY && !d.Quiet {
		d.Show(planView(plan))
	} else {
		for _, warning := range plan.Warnings {
			d.Warnf("%s", warning)
		}
	}
	if len(plan.Changed) > 0 && !o.accept {
		why := payments.NewLocalProblem(payments.ProblemPayeeChanged, nil, "Payees have changed. Nothing was sent.", "%s",
			strings.Join(plan.Changed, "\n"))
		if err := d.ConfirmPayment(ctx, why, ""); err != nil {
			return err
		}
	}
	service.AcceptPayee = len(plan.Changed) > 0 || o.accept
	if !asks {
		return nil
	}
	return d.Confirmed(ctx, "Send "+cmdutil.Count(plan.Rest(), "row(s)")+"?")
}

// planView returns a plan for a person.
func planView(p *batch.Plan) ui.Details {
	var ofRows, routes, contacts, totals, estimates []string
	for _, total := range p.Totals {
		totals = append(totals, total.String()+" in "+cmdutil.Count(total.Rows, "row(s)"))
	}
	for _, r := range p.Routes {
		routes = append(routes, fmt.Sprintf("%s by %s, %s", r.Route, r.Provider, cmdutil.Count(r.Rows, "row(s)")))
		estimates = append(estimates, r.Estimate.String())
		for _, fee := range fees(r.Fees) {
			ofRows = append(ofRows, fee+" a payment, "+r.Route)
		}
	}
	for _, c := range p.Contacts {
		rows := cmdutil.Count(c.Rows, "row(s)")
		contacts = append(contacts, fmt.Sprintf("%s (%s) %s, %s", c.Label, c.HolderName, c.ID, rows))
	}
	if p.MoreContacts > 0 {
		contacts = append(contacts, fmt.Sprintf("and %d more", p.MoreContacts))
	}
	view := slices.Concat(cmdutil.Field("Batch", p.BatchID),
		ui.Details{{Label: "Rows", Cells: []ui.Cell{ui.Toned(ui.Bold, strconv.Itoa(p.Rows))}}})
	if p.Flexible > 0 {
		view = append(view, cmdutil.Field("Without amount", "whatever arrives, in "+cmdutil.Count(p.Flexible, "row(s)"))...)
	}
	view = append(view, cmdutil.Field("Paid before", rowsui.PaidBefore(p.PaidBefore, p.BatchID)...)...)
	return slices.Concat(view, cmdutil.Field("Totals", totals...), cmdutil.Field("Routes", routes...),
		cmdutil.Field("Fees", ofRows...), cmdutil.Field("Estimate", estimates...), cmdutil.Field("Contacts", contacts...),
		cmdutil.Field("Changed", p.Changed...), cmdutil.Field("Look at", p.Warnings...), cmdutil.Field("Plan", p.Digest))
}
