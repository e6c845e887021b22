package transfer

import (
	"cmp"
	"context"
	"crypto/rand"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/cli/resource"
	"github.com/payctl/payctl/internal/cli/watchui"
	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/money"
	"github.com/payctl/payctl/internal/outbox"
	"github.com/payctl/payctl/internal/outbox/batch"
	"github.com/payctl/payctl/internal/outbox/journal"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/shell"
	"github.com/payctl/payctl/internal/ui"
)

type autoOptions struct {
	body      resource.Body
	amount    string
	key       cmdutil.Key
	duplicate bool
	wait      watchui.Wait
	dryRun    bool
	accept    bool
}

func newAuto(d *cmdutil.Deps) *cobra.Command {
	o := &autoOptions{}
	cmd := &cobra.Command{
		Use:   "auto --contact CONTACT --route ROUTE [--amount AMOUNT]",
		Short: "Create a transfer to a saved contact",
		Long: `Create a transfer to a saved contact over a route.

Give each payment a --reference of your own, such as an invoice number: the same command, run again
here or on another machine, then returns the transfer that exists. The same reference with other
content is refused. Without a reference, an --external-id does that.

At a terminal payctl asks before it sends money; elsewhere --yes is required, unless the service is
on this machine. Exit codes: 10 it is not known whether the transfer was created; run it again,
16 a limit of the profile (limit_payment, limit_day) holds it back.`,
		Example: `  payctl transfer auto --contact Ada --route 'ethereum:USDC->sepa:EUR' --amount 5 --reference invoice-42
  payctl transfer auto --contact Ada --route 'pix:BRL->base:USDC' --reference invoice-43 --wait --timeout 5m`,
		Aliases: []string{"create", "add", "new"},
		RunE:    func(cmd *cobra.Command, _ []string) error { return runAuto(cmd.Context(), d, o) },
	}
	f := cmd.Flags()
	resource.CreateFlags[payments.NewAutoTransfer](Table, cmd, &o.body)
	f.StringVar(&o.amount, "amount", "", "`AMOUNT` such as 12.50 (default: whatever arrives)")
	cmdutil.SetsMembers(f.Lookup("amount"), "amount")
	o.body.Flag("amountType", "amount-type", "`SIDE` that the amount counts on: source or target (default source)")
	o.wait.AddTo(cmd, watchui.Transfers)
	f.BoolVar(&o.dryRun, "dry-run", false, "show what would be sent, with fees, and send nothing")
	o.key.AddTo(cmd)
	cmdutil.AddAcceptPayee(cmd, &o.accept)
	cmd.Flags().BoolVar(&o.duplicate, "allow-duplicate", false, "create one although the external id is used")
	return cmd
}

// runAuto creates the transfer that the options describe and prints it.
func runAuto(ctx context.Context, d *cmdutil.Deps, o *autoOptions) error {
	request, err := o.request(ctx, d)
	if err != nil {
		return err
	}
	printer, err := d.Printer(ctx) // before anything is sent: an error in --jq must not follow a payment
	if err != nil {
		return err
	}
	service, err := d.Connect(cmdutil.Calls{Timeout: o.wait.CallTimeout()})
	if err != nil {
		return err
	}
	service.AcceptPayee = o.accept
	name, called := cmp.Or(request.Reference, request.ExternalID), request.DestinationSavedContactID
	contact, err := d.Contact(ctx, service, "--contact", called)
	isRead := contact.ID != called
	request.DestinationSavedContactID = contact.ID
	if err != nil {
		return service.Unsettled(ctx, err, outbox.NewAutoTransfer(request, o.key.OrOf(d, name, false)))
	}
	asks, err := d.MustAsk("sending money")
	if err != nil && !o.dryRun {
		return err
	}
	if o.dryRun || asks {
		plan, err := makePlan(ctx, service, request)
		if err != nil {
			return service.Unsettled(ctx, err, outbox.NewAutoTransfer(request, o.key.OrOf(d, name, false)))
		}
		for _, text := range service.Cautions(plan.Request) {
			d.Notef("%s", text)
		}
		if o.dryRun {
			return printer.Print(plan, func() ui.Details { return plan.view() })
		}
		if !isRead {
			contact, isRead = plan.Contact, true
		}
		d.Show(plan.view())
		if err := d.Confirmed(ctx, "Send this?"); err != nil {
			return err
		}
	}
	shared := o.duplicate && request.Reference == "" && request.ExternalID != ""
	isNameless := request.Reference == "" && request.ExternalID == "" && !o.key.Given()
	if isNameless {
		const longest = 32 // which services keep as they are
		// The transfer can be found by it if the response is lost.
		request.ExternalID = (journal.KeyPrefix + strings.ToLower(rand.Text()))[:longest]
		d.Notef("External id: %s", request.ExternalID)
	}
	key := o.key.OrOf(d, cmp.Or(request.Reference, request.ExternalID), shared)
	write := outbox.NewAutoTransfer(request, key)
	if isRead {
		write.SetPayee(outbox.PayeeOf(called, contact))
	}
	created, err := service.SubmitTransfer(ctx, write)
	if isNameless && payments.IsProblem(err, payments.ProblemOutcomeUnknown) {
		return &cmdutil.Error{Cause: err, Next: []shell.Hint{
			shell.Payctl("transfer resolve"),
			shell.Note("the same line with --external-id %s   (without it, the line would pay again)", request.ExternalID),
		}}
	}
	if err != nil {
		return err
	}
	transfer := created.Value
	if o.wait.Given() && !transfer.State.Failed() {
		return o.waitForState(ctx, d, printer, service, write, transfer)
	}
	err = cmdutil.OutputFailed(printer.Print(transfer, func() ui.Details { return Details(transfer) }),
		"the transfer "+transfer.ID+" was created")
	if err == nil && transfer.State.Failed() {
		err = cmdutil.TransferFailed(transfer.ID, string(transfer.State))
	}
	return err
}

// request builds the body from --input and the flags. A flag takes precedence.
func (o *autoOptions) request(ctx context.Context, d *cmdutil.Deps) (payments.NewAutoTransfer, error) {
	var request payments.NewAutoTransfer
	if err := o.body.Read(ctx, d, &contract.CreateAutoTransfer, &request, nil); err != nil {
		return request, err
	}
	if o.amount != "" {
		amount, err := money.ParseDecimal(o.amount)
		if err != nil {
			return request, cmdutil.Usage("--amount %v", err)
		}
		request.Amount = &amount
	}
	if err := o.wait.Check(d); err != nil {
		return request, err
	}
	return request, o.check(request)
}

// check returns the errors that need no service.
func (o *autoOptions) check(request payments.NewAutoTransfer) error {
	if err := cmdutil.CheckReference("reference", request.Reference); err != nil {
		return err
	}
	key, err := payments.ParseRouteKey(request.Route.RouteKey)
	decimals, isCertain := payments.TransferInfo{}.Decimals(key, request.AmountType)
	switch {
	case err != nil:
		return cmdutil.Usage("--route %v", err).
			WithNote("write it in quotes, 'RAIL:CURRENCY->RAIL:CURRENCY': a shell takes a > as a redirection")
	case request.Amount == nil && request.AmountType != "":
		return cmdutil.Usage("--amount-type needs --amount")
	case request.Amount == nil:
	case request.Amount.Zero():
		return cmdutil.Usage("the amount must be more than zero; a transfer without one takes whatever arrives")
	case isCertain && request.Amount.Places() > decimals:
		return cmdutil.Usage("the amount %s has more than the %d decimals of %s",
			request.Amount, decimals, key.Currency(request.AmountType))
	}
	return nil
}

// A plan is a request with the contact, the route and the terms that it has at the service.
type plan struct {
	Request jsontext.Value            `json:"request"` // as it would be sent
	Contact payments.SavedContact     `json:"contact"`
	Route   payments.TransferRoute    `json:"route"`
	Terms   *payments.TransactionInfo `json:"terms"`
	// Estimate is nil if the service shows too little. Similar is the name of a payment that looks alike.
	Estimate *batch.Estimate `json:"estimate,omitempty"`
	Similar  string          `json:"similar,omitempty"`

	asked payments.NewAutoTransfer // the request, with the amount as its currency is written
	key   payments.RouteKey
}

// makePlan asks the service for the contact, the route and its terms. It changes nothing.
func makePlan(ctx context.Context, service *outbox.Outbox, request payments.NewAutoTransfer) (plan, error) {
	write := outbox.NewAutoTransfer(request, payments.Idempotency{})
	p := plan{Request: write.Request.Body, asked: request}
	key, err := payments.ParseRouteKey(request.Route.RouteKey)
	if err != nil {
		return p, cmdutil.Usage("--route %v", err)
	}
	p.key = key
	contact, err := service.GetSavedContact(ctx, request.DestinationSavedContactID)
	if err != nil {
		return p, err
	}
	p.Contact = contact.Value
	if fault := key.Misses(p.Contact); fault != "" {
		return p, cmdutil.Usage("%s", fault).
			WithHint(shell.Payctl("routes list --destination", p.Contact.PaymentRail+":"+p.Contact.Currency))
	}
	info, err := service.SelectRoutes(ctx, payments.RouteSelection{
		SelectedSource:      &payments.RouteEndpoint{PaymentRail: &key.SourceRail, Currency: &key.SourceCurrency},
		SelectedDestination: &payments.RouteEndpoint{PaymentRail: &key.DestinationRail, Currency: &key.DestinationCurrency},
	})
	if err != nil {
		return p, err
	}
	for _, route := range info.Routes {
		if route.RouteKey == request.Route.RouteKey {
			p.Route = route
		}
	}
	if p.Route.RouteKey == "" {
		return p, cmdutil.Usage("the service has no route %s", key).
			WithHint(shell.Payctl("routes list --source", key.SourceRail+":"+key.SourceCurrency))
	}
	for i, terms := range info.TransactionsInfo {
		if terms.RouteKey == p.Route.RouteKey {
			p.Terms = &info.TransactionsInfo[i]
		}
	}
	if request.Amount != nil {
		decimals, _ := info.Decimals(key, request.AmountType)
		p.asked.Amount = new(request.Amount.Written(decimals))
		p.Estimate = batch.NewEstimate(key, info, p.Terms, *p.asked.Amount, request.AmountType)
	}
	p.Similar = service.Similar(ctx, write)
	return p, nil
}

// view returns the plan for a person.
func (p plan) view() ui.Details {
	source, destination, _ := strings.Cut(p.Route.RouteKey, "->")
	amount := "whatever arrives"
	if on := p.asked.AmountType; p.asked.Amount != nil {
		amount = batch.Total{Amount: *p.asked.Amount, AmountType: on, Currency: p.key.Currency(on)}.String()
	}
	view := slices.Concat(
		ui.Details{{Label: "Amount", Cells: []ui.Cell{ui.Toned(ui.Bold, amount)}}},
		cmdutil.Field("To", p.Contact.Label+" ("+p.Contact.HolderName+")", p.Contact.ID),
		cmdutil.Field("From", source), cmdutil.Field("Arrives at", destination),
		cmdutil.Field("Flow", string(p.Route.FlowType)+" by "+p.Route.Provider),
	)
	if t := p.Terms; t != nil {
		limits := t.MinAmount.String() + " to " + t.MaxAmount.String() + " " + p.key.SourceCurrency
		view = slices.Concat(view,
			cmdutil.Field("Fees", fees(t.Fees)...), cmdutil.Field("Rate", t.ExchangeRate.String()),
			cmdutil.Field("Estimate", p.Estimate.String()), cmdutil.Field("Limits", limits))
	}
	return slices.Concat(view, cmdutil.Field("Reference", p.asked.Reference), cmdutil.Field("Similar", p.Similar))
}

// waitForState waits for the state of --wait and prints the transfer with the state that it then has. It is printed
// also if the wait fails, since it has been created; as it was then if it cannot be read any more.
func (o *autoOptions) waitForState(
	ctx context.Context, d *cmdutil.Deps, printer *ui.Printer, service *outbox.Outbox, write *outbox.Write, transfer payments.Transfer,
) error {
	// The same line again may create another transfer.
	resume := shell.Payctl("transfer watch --until", o.wait.Until, "--", transfer.ID)
	summary, err := o.wait.Run(ctx, d, service, watchui.Created{
		IDs: []string{transfer.ID}, List: watchui.ListTransfers(service, payments.TransferFilter{}), Resume: resume,
	})
	last := transfer
	for _, one := range summary.Waiting { // there is no time left to read it once more
		last.State, last.Document = payments.TransferState(cmp.Or(one.Status, string(last.State))), nil
	}
	if !cmdutil.IsProblem(err, cmdutil.ProblemWaitTimeout) {
		read, failed := service.GetTransfer(ctx, transfer.ID)
		if failed == nil {
			last, failed = read.Value, service.CheckShown(write, read.Value)
		}
		err = cmp.Or(err, failed) // what was followed is ours only if it shows nothing else
	}
	if err == nil && last.State == payments.TransferStatePaymentProcessed {
		d.Notef("The bank can still return the money. To wait for that: %s",
			d.NextStep(shell.Payctl("transfer watch --until returned --timeout 72h --", last.ID)))
	}
	printer = printer.With(context.WithoutCancel(ctx))
	if printing := printer.Print(last, func() ui.Details { return Details(last) }); err == nil {
		err = printing
	}
	return err
}
