package sandbox

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/money"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/ui"
)

func newTrigger(d *cmdutil.Deps) *cobra.Command {
	list := false
	cmd := &cobra.Command{
		Use:   "trigger [EVENT]",
		Short: "Make an event happen, with all that it needs",
		Long: `Make an event happen, such as kyc.approved or transfer.returned: create the account, and where they
are needed the contact and the transfer, and move them through their states until it has happened.
So the events on the way happen too. Afterwards the account and the transfer stay as they are.`,
		Example: `  payctl sandbox trigger kyc.approved
  payctl sandbox trigger transfer.returned -o json
  payctl sandbox trigger --list`,
		RunE: func(cmd *cobra.Command, args []string) error {
			printer, err := d.Printer(cmd.Context())
			if err != nil {
				return err
			}
			names := Triggers()
			if list {
				return printer.Print(names, func() ui.Details { return cmdutil.Field("Events", names...) })
			}
			if err := cmdutil.CheckValue("EVENT", strings.Join(args, ""), names); err != nil {
				return err
			}
			made, err := trigger(cmd.Context(), d, args[0])
			if err != nil {
				return err
			}
			return printer.Print(made, func() ui.Details {
				return slices.Concat(cmdutil.Field("Account", made.AccountID), cmdutil.Field("Contact", made.ContactID),
					cmdutil.Field("Transfer", made.TransferID))
			})
		},
	}
	cmd.Flags().BoolVar(&list, "list", false, "list the events")
	return cmd
}

// Triggers are the events that can be made to happen.
func Triggers() []string {
	names := []string{
		string(payments.EventTypeAccountCreated), string(payments.EventTypeContactCreated),
		string(payments.EventTypeContactDeleted), string(payments.EventTypeTransferCreated),
	}
	for _, status := range contract.SetSandboxKYC.Enum("status") {
		if status != string(payments.KYCStatusNotStarted) { // to which nothing leads
			names = append(names, "kyc."+status)
		}
	}
	for _, state := range contract.SetSandboxTransferState.Enum("state") {
		names = append(names, "transfer."+strings.TrimPrefix(state, "payment_"))
	}
	return names
}

// triggered is what was made for an event.
type triggered struct {
	AccountID  string `json:"accountId"`
	ContactID  string `json:"contactId,omitzero"`
	TransferID string `json:"transferId,omitzero"`
}

// trigger makes what the event needs: an account and a transfer that do nothing by themselves.
func trigger(ctx context.Context, d *cmdutil.Deps, name string) (made triggered, err error) {
	sandbox, err := d.Client()
	if err != nil {
		return made, err
	}
	if _, err := sandbox.GetSandboxClock(ctx); err != nil { // nothing may be made at any other service
		return made, err
	}
	service, err := d.Payments()
	if err != nil {
		return made, err
	}
	key := func() payments.Idempotency { return new(cmdutil.Key).Idempotency(d) }
	event := payments.EventType(name)
	status, isKYC := strings.CutPrefix(name, "kyc.")
	if !isKYC {
		status = string(payments.KYCStatusApproved)
	}
	account, err := service.CreateAccount(ctx, payments.NewAccount{
		Type: payments.AccountTypeIndividual, FirstName: "Trigger", LastName: "Example", Country: "GB",
		Email: "trigger+kyc-incomplete@example.com",
	}, key())
	made.AccountID = account.Value.ID
	if err != nil || event == payments.EventTypeAccountCreated {
		return made, err
	}
	identityChecks, transfers := payments.Transitions()
	for _, next := range way(identityChecks, account.Value.KYCStatus, payments.KYCStatus(status)) {
		if _, err := sandbox.SetSandboxKYC(ctx, made.AccountID, payments.SandboxKYC{Status: next}); err != nil {
			return made, err
		}
	}
	if isKYC {
		return made, nil
	}
	contact, err := service.CreateSavedContact(ctx, payments.NewSavedContact{
		AccountID: made.AccountID, Label: "Trigger +transfer-unfunded", HolderName: "Trigger Example",
		HolderType: payments.AccountTypeIndividual, PaymentRail: "sepa", Currency: "EUR", IBAN: "DE89370400440532013000",
	}, key())
	made.ContactID = contact.Value.ID
	switch {
	case err != nil || event == payments.EventTypeContactCreated:
		return made, err
	case event == payments.EventTypeContactDeleted:
		return made, service.DeleteSavedContact(ctx, made.ContactID)
	}
	amount := money.MustDecimal("250")
	transfer, err := service.CreateAutoTransfer(ctx, payments.NewAutoTransfer{
		DestinationSavedContactID: made.ContactID, Amount: &amount,
		Route: payments.RouteReference{RouteKey: "base:USDC->sepa:EUR"},
	}, key())
	if made.TransferID = transfer.Value.ID; err != nil || event == payments.EventTypeTransferCreated {
		return made, err
	}
	state := payments.TransferState(strings.TrimPrefix(name, "transfer."))
	if !state.Valid() {
		state = "payment_" + state
	}
	for _, next := range way(transfers, transfer.Value.State, state) {
		change := payments.SandboxTransferState{State: next}
		if _, err := sandbox.SetSandboxTransferState(ctx, made.TransferID, change); err != nil {
			return made, err
		}
	}
	return made, nil
}

// way returns the shortest way of a state machine from one state to another, without the first.
func way[S comparable](next map[S][]S, from, to S) []S {
	for ways := [][]S{{from}}; len(ways) > 0 && len(ways[0]) <= len(next); ways = ways[1:] {
		last := ways[0][len(ways[0])-1]
		if last == to {
			return ways[0][1:]
		}
		for _, state := range next[last] {
			ways = append(ways, append(slices.Clone(ways[0]), state))
		}
	}
	return nil
}
