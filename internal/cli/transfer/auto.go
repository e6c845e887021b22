package transfer

import (
	"context"
	"crypto/rand"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/deps"
	"github.com/payctl/payctl/internal/journal"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/term"
)

type autoOptions struct {
	input     deps.Input
	contact   string
	route     string
	amount    string
	on        string
	reference string
	external  string
	metadata  map[string]string
	key       deps.Key
	maxAmount string
	wait      string
	timeout   time.Duration
	interval  time.Duration
	dryRun    bool
}

func newAuto(d *deps.Deps) *cobra.Command {
	o := &autoOptions{}
	cmd := &cobra.Command{
		Use:   "auto --contact CONTACT --route ROUTE [--amount AMOUNT]",
		Short: "Create a transfer to a saved contact",
		Long: `Create a transfer to a saved contact over a route. Without --amount it takes whatever amount arrives.

With --reference the command can be repeated: the same line run again, here or on another machine, answers with the same
transfer instead of making a second one. The same reference with other content is refused with exit code 6.
Without --reference a random one is made up as the external id, and printed.

At a terminal the transfer is shown and has to be confirmed, unless the service is on this machine. Without a terminal,
a service elsewhere needs --yes.

Exit codes: 0 done, 6 the reference belongs to another transfer, 10 it is not known whether the transfer was made (run
the same line again when it has a --reference), 11 and 12 with --wait when the transfer failed or time ran out,
14 refused by a rule of the service.`,
		Example: `  payctl transfer auto --contact sct_01k… --route 'ethereum:USDC->sepa:EUR' --amount 12.50 --reference invoice-42
  payctl transfer auto --contact sct_01k… --route 'wire:USD->base:USDC' --amount 100 --amount-type target --dry-run
  payctl transfer auto --contact sct_01k… --route 'pix:BRL->base:USDC' --reference invoice-43 --wait --timeout 5m`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 && cmd.Flags().Changed("wait") && payments.TransferState(args[0]).Valid() {
				return &deps.UsageError{Reason: fmt.Sprintf("payctl transfer auto takes no argument %q", args[0]), Hint: "write --wait=" + args[0]}
			}
			return deps.Args()(cmd, args)
		},
		RunE: func(cmd *cobra.Command, _ []string) error {
			if o.wait == "" && o.timeout > 0 {
				d.Options.Timeout = o.timeout // without a wait it bounds the call, as everywhere
			}
			return auto(cmd.Context(), d, o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.contact, "contact", "", "the saved `CONTACT` that receives")
	f.StringVar(&o.route, "route", "", "`ROUTE` to take, such as ethereum:USDC->sepa:EUR (see payctl routes list)")
	f.StringVar(&o.amount, "amount", "", "`AMOUNT` such as 12.50 (default: whatever arrives)")
	f.StringVar(&o.on, "amount-type", "", "`SIDE` that the amount counts on: source or target (default source)")
	f.StringVar(&o.reference, "reference", "", "your `REFERENCE`: makes the command repeatable")
	f.StringVar(&o.external, "external-id", "", "an `ID` of yours")
	deps.AddMetadata(cmd, &o.metadata)
	f.StringVar(&o.maxAmount, "max-amount", "", "refuse to send more than `AMOUNT`, in the currency of the source")
	f.StringVar(&o.wait, "wait", "", "wait until the transfer has `STATE` (default payment_processed)")
	f.Lookup("wait").NoOptDefVal = string(payments.TransferStatePaymentProcessed)
	f.DurationVar(&o.timeout, "timeout", 0, "with --wait: give up after `DURATION`, such as 5m (default: never); without it: as for every command")
	f.DurationVar(&o.interval, "interval", 2*time.Second, "with --wait: ask every `DURATION` where the service does not hold its answers")
	f.BoolVar(&o.dryRun, "dry-run", false, "show what would be sent, with route and fees, and send nothing")
	o.input.AddTo(cmd)
	o.key.AddTo(cmd)
	return cmd
}

func auto(ctx context.Context, d *deps.Deps, o *autoOptions) error {
	request, err := o.request(ctx, d)
	if err != nil {
		return err
	}
	printer, err := d.Printer(ctx) // before anything is sent: a mistake in --jq must not come after it
	if err != nil {
		return err
	}
	service, err := d.Payments()
	if err != nil {
		return err
	}
	if o.dryRun {
		plan, err := makePlan(ctx, service, request)
		if err != nil {
			return err
		}
		return printer.Print(plan, func() term.View { return plan.view() })
	}
	if err := confirm(ctx, d, o, service, request); err != nil {
		return err
	}
	transfer, err := send(ctx, d, o, service, request)
	if err != nil {
		return err
	}
	if o.wait == "" {
		return deps.Unprintable(printer.Print(transfer, func() term.View { return details(transfer) }), "the transfer "+transfer.ID+" was created")
	}
	return o.follow(ctx, d, printer, service, transfer)
}

// request builds the body from --input and the flags, which win.
func (o *autoOptions) request(ctx context.Context, d *deps.Deps) (payments.NewAutoTransfer, error) {
	var request payments.NewAutoTransfer
	if err := o.input.Read(ctx, d, &request); err != nil {
		return request, err
	}
	deps.Override(&request.DestinationSavedContactID, o.contact)
	deps.Override((*string)(&request.Route), o.route)
	deps.Override((*string)(&request.AmountType), o.on)
	deps.Override(&request.Reference, o.reference)
	deps.Override(&request.ExternalID, o.external)
	if len(o.metadata) > 0 {
		request.Metadata = o.metadata
	}
	if o.amount != "" {
		amount, err := payments.ParseDecimal(o.amount)
		if err != nil {
			return request, deps.Usage("--amount %v", err)
		}
		request.Amount = &amount
	}
	return request, o.check(request)
}

// check refuses what would be refused anyway, or must not be sent, before anything is.
func (o *autoOptions) check(request payments.NewAutoTransfer) error {
	fault := payments.ReferenceFault(request.Reference)
	switch {
	case fault != "":
		return &deps.UsageError{
			Reason: fmt.Sprintf("the reference %q %s", request.Reference, fault),
			Hint:   "see that every variable in it is set, and that the file that it was read from has no CRLF line ends",
		}
	case request.Amount != nil && request.Amount.Zero():
		return deps.Usage("the amount must be more than zero; a transfer without one takes whatever arrives")
	case request.AmountType != "" && !request.AmountType.Valid():
		return deps.Usage("--amount-type must be source or target, not %q", request.AmountType)
	case request.AmountType != "" && request.Amount == nil:
		return deps.Usage("--amount-type needs --amount")
	case o.interval <= 0:
		return deps.Usage("--interval must be more than zero")
	case o.timeout < 0:
		return deps.Usage("--timeout must not be negative")
	case o.wait != "" && !payments.TransferState(o.wait).Valid():
		return &deps.UsageError{
			Reason: "--wait=" + o.wait + " names no state of a transfer",
			Hint:   "wait for " + string(payments.TransferStatePaymentProcessed) + ", which --wait alone does",
		}
	}
	if request.Route != "" {
		if _, err := payments.ParseRouteKey(string(request.Route)); err != nil {
			return routeError(string(request.Route), err)
		}
	}
	if o.maxAmount == "" {
		return nil
	}
	most, err := payments.ParseDecimal(o.maxAmount)
	switch {
	case err != nil:
		return deps.Usage("--max-amount %v", err)
	case request.Amount == nil:
		return deps.Usage("--max-amount needs --amount: a transfer without one takes whatever arrives")
	case request.AmountType != payments.AmountTypeTarget && request.Amount.Cmp(most) > 0:
		return deps.Usage("the amount %s is more than --max-amount %s", request.Amount, most)
	}
	return nil
}

// confirm asks before money is moved anywhere but on this machine, and holds to --max-amount.
func confirm(ctx context.Context, d *deps.Deps, o *autoOptions, service payments.Service, request payments.NewAutoTransfer) error {
	asks, err := d.MustAsk("sending money")
	if err != nil {
		return err
	}
	limited := o.maxAmount != "" && request.AmountType == payments.AmountTypeTarget
	if !asks && !limited {
		return nil
	}
	plan, err := makePlan(ctx, service, request)
	if err != nil {
		return err
	}
	if limited {
		if err := plan.within(o.maxAmount); err != nil {
			return err
		}
	}
	if !asks {
		return nil
	}
	d.Show(plan.view())
	return d.Confirmed(ctx, "Send this?")
}

// send creates the transfer, or answers with the one that is there already. With a reference, or a key, that the journal
// does not know it first looks for it at the service: the line may have been run on another machine, and long ago.
func send(ctx context.Context, d *deps.Deps, o *autoOptions, service payments.Service, request payments.NewAutoTransfer) (payments.Transfer, error) {
	key := o.key.Idempotency(d)
	switch {
	case request.Reference != "":
		if !o.key.Given() {
			key = deps.ReferenceKey(createAutoTransfer, request.Reference)
		}
		existing, found, err := findUnknown(ctx, d, service, request, key)
		if err != nil || found {
			return existing, err
		}
	case request.ExternalID == "" && o.key.Given():
		request.ExternalID = deps.ReferenceKey(createAutoTransfer, key.Key).Key // the same whenever the line is run
		existing, found, err := findUnknown(ctx, d, service, request, key)
		if err != nil || found {
			return existing, err
		}
	case request.ExternalID == "":
		request.ExternalID = "payctl-" + strings.ToLower(rand.Text())
		d.Notef("External id: %s", request.ExternalID)
	}
	written, err := service.CreateAutoTransfer(ctx, request, key)
	switch {
	case err == nil && written.Replayed && request.Reference != "":
		return written.Value, sameTransfer(request, written.Value)
	case request.Reference != "" && (payments.IsKind(err, payments.KindKeyReuse) || payments.IsKind(err, payments.KindAlreadySent)):
		if existing, found, lookup := payments.FirstTransfer(ctx, service, payments.TransferFilter{Reference: request.Reference}); lookup == nil && found {
			return existing, sameTransfer(request, existing)
		}
	}
	return written.Value, err
}

// createAutoTransfer is the operation in keys and in the journal.
const createAutoTransfer = "createAutoTransfer"

// findUnknown looks for the transfer with the request's reference, or else external id, at the service, unless the journal
// knows of it.
func findUnknown(ctx context.Context, d *deps.Deps, service payments.Service, request payments.NewAutoTransfer, key payments.Idempotency) (transfer payments.Transfer, found bool, err error) {
	if d.Options.Curl { // what is to be shown is the transfer
		return transfer, false, nil
	}
	writes, err := d.Journal()
	if err != nil {
		return transfer, false, err
	}
	entry, known, err := writes.Lookup(ctx, payments.Intent{Operation: createAutoTransfer, Key: key.Key})
	switch {
	case err != nil && ctx.Err() == nil:
		return transfer, false, fmt.Errorf("nothing was sent: %w", err)
	case err != nil || known && (entry.Outcome == payments.OutcomeDone || !entry.Outcome.Settled()):
		return transfer, false, err
	}
	filter := payments.TransferFilter{Reference: request.Reference}
	if filter.Reference == "" {
		filter.ExternalID = request.ExternalID
	}
	transfer, found, err = payments.FirstTransfer(ctx, service, filter)
	switch {
	case err == nil && found:
		err = sameTransfer(request, transfer)
	case err == nil && request.Reference != "":
		err = openOtherwise(ctx, writes, request.Reference, key)
	}
	return transfer, found, err
}

// openOtherwise says of a reference whether it was sent with another key and it is not known what became of it.
func openOtherwise(ctx context.Context, writes deps.Journal, reference string, key payments.Idempotency) error {
	return writes.Each(ctx, journal.Filter{Open: true, Text: reference}, func(entry payments.JournalEntry) error {
		if entry.Operation != createAutoTransfer || entry.Reference != reference || entry.Key == key.Key {
			return nil
		}
		return &payments.Refusal{Problem: payments.Problem{
			Type: string(payments.KindOutcomeUnknown), Title: "It is not known whether an earlier request took effect.",
			Detail: fmt.Sprintf("The reference %q was sent with another key, %s, at %s, no answer came, and the service does not show it. Nothing was sent now.",
				reference, entry.Key, entry.Began.UTC().Format(time.RFC3339)),
		}}
	})
}

// sameTransfer compares what is asked for with what the reference belongs to.
func sameTransfer(request payments.NewAutoTransfer, existing payments.Transfer) error {
	found := differences(request, existing)
	if len(found) == 0 {
		return nil
	}
	return &deps.Differs{Reference: request.Reference, Existing: existing, Differences: found}
}

// differences tells in words how a transfer differs from what is asked for.
func differences(request payments.NewAutoTransfer, existing payments.Transfer) (found []string) {
	compare := func(what, there, here string) {
		if there != here {
			found = append(found, what+": there "+deps.Or(there)+", here "+deps.Or(here))
		}
	}
	compare("contact", existing.DestinationSavedContactID, request.DestinationSavedContactID)
	compare("route", existing.Route, string(request.Route))
	compare("amount", amountText(existing.Amount), amountText(request.Amount))
	on := request.AmountType
	if on == "" {
		on = payments.AmountTypeSource
	}
	compare("amount type", string(existing.AmountType), string(on))
	if request.ExternalID != "" {
		compare("external id", existing.ExternalID, request.ExternalID)
	}
	compare("batch", existing.BatchID, request.BatchID)
	compare("metadata", metadataText(existing.Metadata), metadataText(request.Metadata))
	return found
}

func metadataText(metadata payments.Metadata) string {
	var pairs []string
	for _, key := range slices.Sorted(maps.Keys(metadata)) {
		pairs = append(pairs, key+"="+metadata[key])
	}
	return strings.Join(pairs, ", ")
}

func amountText(amount *payments.Decimal) string {
	if amount == nil {
		return "whatever arrives"
	}
	return amount.String()
}

// routeError is why --route cannot be used. A shell that met it without quotes has taken the > for a redirection.
func routeError(route string, err error) error {
	refused := &deps.UsageError{Reason: "--route " + err.Error()}
	if strings.HasSuffix(route, "-") {
		refused.Hint = "write it in quotes, 'RAIL:CURRENCY->RAIL:CURRENCY': the shell has taken the > for a redirection, and made a file of what follows it"
	}
	return refused
}
