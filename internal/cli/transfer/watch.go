package transfer

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"github.com/payctl/payctl/internal/follow"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/cli/watchui"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/ui"
	"github.com/payctl/payctl/internal/ui/live"
)

type watchOptions struct {
	watchui.Options
	filter payments.TransferFilter
}

func newWatch(d *cmdutil.Deps) *cobra.Command {
	o := &watchOptions{}
	cmd := &cobra.Command{
		Use:   "watch [TRANSFER…] [-- ARGUMENT…]",
		Short: "Follow transfers until they are settled",
		Long: `Watch one or many transfers, named by id, reference or your own id. At a terminal, a live view shows
whose turn it is, what has changed and what comes next; press ? for its keys. Otherwise every change
of state is one line, shown once and in order.

It ends when each transfer has a state of --until or is past it; with --all alone it goes on until you
interrupt it. Without --until it ends with payment_processed; the bank can still return the money
then. --exec and the exit codes are those of payctl kyc watch.`,
		Example: `  payctl transfer watch trf_01kdwcj4jg9etbjcny9kh6prep --timeout 10m
  payctl transfer watch --from report.csv -o ndjson
  payctl transfer watch --all --batch bat_7 --until payment_processed,failed`,
		Args: o.Args("transfer", "account", "state", "reference", "external-id", "batch"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := cmdutil.CheckStatuses(d, "state", o.filter.States, states()); err != nil {
				return err
			}
			service, err := o.Connect(d)
			if err != nil {
				return err
			}
			return o.Run(cmd.Context(), d, watchui.Watch{
				Service: service, View: view(service), List: watchui.ListTransfers(service, o.filter), IsMember: o.isMember,
			})
		},
	}
	o.AddTo(cmd, watchui.Transfers)
	f := cmd.Flags()
	f.StringVar(&o.filter.AccountID, "account", "", "with --all: transfers of this `ACCOUNT`")
	cmdutil.AddValues(cmd, &o.filter.States, "state",
		"with --all: transfers that have one of these `STATES` or get it")
	f.StringVar(&o.filter.Reference, "reference", "", "with --all: transfers with this `REFERENCE`")
	f.StringVar(&o.filter.ExternalID, "external-id", "", "with --all: transfers with this `ID` of yours")
	f.StringVar(&o.filter.BatchID, "batch", "", "with --all: transfers of this `BATCH`")
	return cmd
}

// view describes the rows of the live view. The amount is that of the source, which the payer has on the statement.
func view(service payments.Service) live.Config {
	column := func(name string) live.Column { return watchui.Column(Table, name, nil) }
	return live.Config{
		Columns: []live.Column{
			live.IDColumn("Transfer"), column("sends"), live.StatusColumn("State"), live.TurnColumn(watchui.Transfers.Groups()),
			column("reference"), live.DeadlineColumn("Expected"), live.AgeColumn(), live.WhyColumn(), column("externalId"),
			column("route"), column("delivers"), column("destinationSavedContactId"), column("accountId"), column("batchId"),
		},
		Details: func(ctx context.Context, row live.Row) (func(live.Moment) ui.Details, error) {
			return liveDetails(ctx, service, row.ID)
		},
		Reply: func(ctx context.Context, id string, _ bool) (string, error) {
			read, err := service.GetTransfer(ctx, id)
			if err != nil {
				return "", err
			}
			return reply(read.Value), nil
		},
	}
}

// isMember decides whether the transfer of an event is one of --all. An event has every field of the filter.
func (o *watchOptions) isMember(_ context.Context, e payments.Event) (bool, error) {
	return o.filter.Matches(payments.Transfer{
		AccountID: e.Data.AccountID, State: payments.TransferState(cmdutil.Text(e.To)), Reference: e.Data.Reference,
		ExternalID: e.Data.ExternalID, BatchID: e.Data.BatchID,
	}), nil
}

// liveDetails reads everything about a transfer, with three requests: the transfer, the label of its contact, and its
// events. Without the latter two there is less to show: not every token may read them.
func liveDetails(
	ctx context.Context, service payments.Service, id string,
) (show func(live.Moment) ui.Details, err error) {
	var reads sync.WaitGroup
	var events []payments.Event
	reads.Go(func() { events = follow.Timeline(ctx, service, id) })
	read, err := service.GetTransfer(ctx, id)
	t := read.Value
	fields, head := Details(t), 2 // the transfer and its state
	if t.State.Turn().NeedsPerson() {
		head++ // whose turn it is
	}
	if err == nil {
		contact, failed := service.GetSavedContact(ctx, t.DestinationSavedContactID)
		if i := slices.IndexFunc(fields, func(f ui.Field) bool { return f.Label == contactLabel }); failed == nil && i >= 0 {
			fields[i].Cells = append(fields[i].Cells, ui.Text(contact.Value.Label))
		}
	}
	reads.Wait()
	return func(at live.Moment) ui.Details {
		cmdutil.InZone(fields, at.Now.Location())
		return slices.Concat(fields[:head], ui.Details{{Label: "Next", Cells: next(t, at.Now)}, {}},
			watchui.Transfers.Timeline(events, watchui.StateOfTransfer(t), at.Now), ui.Details{{}}, fields[head:])
	}, err
}

var nextOf = map[payments.TransferState]string{
	payments.TransferStateAwaitingFunds: "You, or the payer, send the deposit. Without it the transfer expires; until it " +
		"arrives the transfer can be canceled.",
	payments.TransferStateInReview:         "A reviewer decides whether the deposit is accepted.",
	payments.TransferStateFundsReceived:    "The service submits the payment to the beneficiary.",
	payments.TransferStatePaymentSubmitted: "The beneficiary's bank receives the money.",
	payments.TransferStatePaymentProcessed: "Nothing: the money has arrived. A bank can still return it.",
	payments.TransferStateRefunded:         "Nothing: the money was sent back to its source.",
	payments.TransferStateCanceled:         "Nothing: it was canceled before its deposit arrived.",
	payments.TransferStateExpired:          "Nothing: no deposit arrived in time.",
	payments.TransferStateUndeliverable:    "Nothing: no money has arrived that could be sent back.",
	payments.TransferStateReturned:         "Nothing: no money has arrived that could be sent back.",
	payments.TransferStateFailed:           "Nothing: no money has arrived that could be sent back.",
}

// next says what comes next and by when, and who does it.
func next(t payments.Transfer, now time.Time) []ui.Cell {
	text := cmp.Or(nextOf[t.State], "This payctl does not know the state "+string(t.State)+".")
	if t.Refund != nil && t.State != payments.TransferStateRefunded {
		text = "The service sends " + cmdutil.Money(&t.Refund.Amount, t.Refund.Currency) + " back."
	}
	cells := []ui.Cell{ui.Toned(cmdutil.TransferState(t.State).Tone, text)}
	if by := watchui.StateOfTransfer(t).Until; !by.IsZero() {
		at := cmdutil.TimeIn(by, now.Location())
		cells = append(cells, ui.Text("The money should arrive by "+at+" ("+live.Left(by, now)+")."))
	}
	return cells
}
