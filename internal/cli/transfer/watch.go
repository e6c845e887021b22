package transfer

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/deps"
	"github.com/payctl/payctl/internal/cli/desk"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/term"
	"github.com/payctl/payctl/internal/watch"
)

type watchOptions struct {
	desk.Options
	filter payments.TransferFilter
	state  string
}

func newWatch(d *deps.Deps) *cobra.Command {
	o := &watchOptions{}
	cmd := &cobra.Command{
		Use:   "watch [TRANSFER…] [-- ARGUMENT…]",
		Short: "Follow transfers until they are settled",
		Long: `Follow any number of transfers and tell every change of state: at a terminal in a live view, elsewhere as one line a
change. It ends when each has one of the states of --until, or is past it. A state that can no longer lead there ends a
transfer's watch too, badly.

The feed, --rate, --timeout and --exec are as with payctl kyc watch.

` + desk.ExitCodes,
		Example: `  payctl transfer watch trf_01kdwcj4jg9etbjcny9kh6prep --timeout 10m
  payctl transfer watch --from report.csv -o ndjson
  payctl transfer watch --all --batch bat_7 --until payment_processed,failed`,
		Args: o.Args("transfer"),
		RunE: func(cmd *cobra.Command, _ []string) error { return runWatch(cmd.Context(), d, o) },
	}
	o.AddTo(cmd, "transfers", "STATES", string(payments.TransferStatePaymentProcessed))
	f := cmd.Flags()
	f.StringVar(&o.filter.AccountID, "account", "", "with --all: those of this `ACCOUNT`")
	f.StringVar(&o.state, "state", "", "with --all: those that are in this `STATE`, or come to it")
	f.StringVar(&o.filter.Reference, "reference", "", "with --all: those with this `REFERENCE`")
	f.StringVar(&o.filter.ExternalID, "external-id", "", "with --all: those with this `ID` of yours")
	f.StringVar(&o.filter.BatchID, "batch", "", "with --all: those of this `BATCH`")
	return cmd
}

func runWatch(ctx context.Context, d *deps.Deps, o *watchOptions) error {
	o.filter.State = payments.TransferState(o.state)
	if none := (payments.TransferFilter{}); !o.All && o.filter != none {
		return deps.Usage("--account, --state, --reference, --external-id and --batch choose among --all")
	}
	if err := o.Prepare(d); err != nil {
		return err
	}
	service, err := d.Payments()
	if err != nil {
		return err
	}
	kind := kindOf(service)
	kind.Watch.List = func(ctx context.Context, cursor string) ([]watch.State, string, error) {
		return o.list(ctx, service, cursor)
	}
	kind.Watch.Belongs = o.belongs
	return o.Run(ctx, d, service, kind)
}

func (o *watchOptions) list(ctx context.Context, service payments.Service, cursor string) (states []watch.State, next string, err error) {
	filter := o.filter
	filter.PageQuery = payments.PageQuery{Limit: payments.LargestPage, Cursor: cursor}
	page, err := service.ListTransfers(ctx, filter)
	for _, t := range page.Data {
		states = append(states, stateOf(t))
	}
	return states, deps.Text(page.NextCursor), err
}

// belongs says whether the transfer of an event is one of --all. An event tells all that a filter asks for.
func (o *watchOptions) belongs(e payments.Event) watch.Belonging {
	for _, asked := range [][2]string{
		{o.filter.AccountID, e.Data.AccountID}, {string(o.filter.State), deps.Text(e.To)}, {o.filter.Reference, e.Data.Reference},
		{o.filter.ExternalID, e.Data.ExternalID}, {o.filter.BatchID, e.Data.BatchID},
	} {
		if asked[0] != "" && asked[0] != asked[1] {
			return watch.Foreign
		}
	}
	return watch.Member
}

// kindOf is how transfers are watched.
func kindOf(service payments.Service) desk.Kind {
	is := func(in ...payments.TransferState) func(string) bool {
		return func(state string) bool {
			for _, one := range in {
				if state == string(one) {
					return true
				}
			}
			return false
		}
	}
	return desk.Kind{
		Subject: "Transfer", Subjects: "transfers", Title: "Transfers",
		Members: []string{"transferId", "transfer_id", "subjectId", "transfer", "id"},
		Change:  payments.EventTypeTransferStateChanged,
		Default: string(payments.TransferStatePaymentProcessed),
		List:    "listTransfers", Member: "state",
		CanReach: func(state, other string) bool {
			return payments.TransferState(state).CanReach(payments.TransferState(other))
		},
		HasPassed: func(state, other string) bool {
			return payments.TransferState(state).HasPassed(payments.TransferState(other))
		},
		Status:      func(state string) term.Cell { return deps.TransferState(payments.TransferState(state)) },
		Working:     is(payments.TransferStateFundsReceived, payments.TransferStatePaymentSubmitted),
		NeedsPerson: is(payments.TransferStateAwaitingFunds, payments.TransferStateInReview),
		Details: func(ctx context.Context, id string) (term.Details, error) {
			reading, err := service.GetTransfer(ctx, id, payments.Condition{})
			return details(reading.Value), err
		},
		Watch: watch.Subjects{
			Events: []payments.EventType{payments.EventTypeTransferCreated, payments.EventTypeTransferStateChanged},
			Of: func(e payments.Event) watch.State {
				state := watch.State{ID: e.SubjectID, Status: deps.Text(e.To), Since: e.OccurredAt}
				state.Reasons = failureReasons(e.Data.FailureReason, e.Data.ReturnCode)
				return state
			},
			Read: func(ctx context.Context, id string, since payments.Condition) (payments.Reading[watch.State], error) {
				reading, err := service.GetTransfer(ctx, id, since)
				state := stateOf(reading.Value)
				state.ID = id
				return payments.Reading[watch.State]{Value: state, ETag: reading.ETag, NotModified: reading.NotModified}, err
			},
		},
	}
}

func stateOf(t payments.Transfer) watch.State {
	return watch.State{
		ID: t.ID, Status: string(t.State), Since: t.UpdatedAt,
		Reasons: failureReasons(deps.Text(t.FailureReason), deps.Text(t.ReturnCode)),
	}
}

// failureReasons says why a transfer will not deliver its money, in the form of the reasons of any change.
func failureReasons(reason, returnCode string) (reasons []payments.KYCReason) {
	for _, code := range []string{reason, returnCode} {
		if code != "" {
			reasons = append(reasons, payments.KYCReason{Code: code, Message: code})
		}
	}
	return reasons
}
