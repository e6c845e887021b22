package sandbox

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/deps"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/term"
)

func newKYC(d *deps.Deps) *cobra.Command {
	var reasons []string
	cmd := &cobra.Command{
		Use:   "kyc ACCOUNT STATUS",
		Short: "Move an identity check to its next status",
		Long: `Move an identity check to its next status, along one transition of its state machine; any other is exit 6. From then on
nothing happens to it by itself, except that an approval expires.`,
		Example: `  payctl sandbox kyc acc_01kdwcj2m07dx6vaehz84r9gfw approved
  payctl sandbox kyc acc_01kdwcj2m07dx6vaehz84r9gfw rejected --reason applicant_sanctioned --reason duplicate`,
		Args: deps.Args("ACCOUNT", "STATUS"),
		RunE: func(cmd *cobra.Command, args []string) error {
			change := payments.SandboxKYC{Status: payments.KYCStatus(args[1]), Reasons: reasons}
			return show(cmd.Context(), d, func(s payments.Sandbox) (payments.KYC, error) {
				return s.SetSandboxKYC(cmd.Context(), args[0], change)
			}, kycDetails)
		},
	}
	cmd.Flags().StringArrayVar(&reasons, "reason", nil, "give this reason `CODE`, or words of your own; may be repeated")
	return cmd
}

func kycDetails(k payments.KYC) term.Details {
	view := term.Details{
		field("Account", term.Toned(term.Bold, k.AccountID)),
		field("Status", deps.KYCStatus(k.Status)),
	}
	var reasons []term.Cell
	for _, r := range k.Reasons {
		reasons = append(reasons, term.Text(r.Text()))
	}
	if len(reasons) > 0 {
		view = append(view, field("Reasons", reasons...))
	}
	return append(view, field("Changed", term.Text(deps.Time(k.UpdatedAt))))
}

func newTransfer(d *deps.Deps) *cobra.Command {
	change := payments.SandboxTransferState{}
	cmd := &cobra.Command{
		Use:   "transfer TRANSFER STATE",
		Short: "Move a transfer to its next state",
		Long: `Move a transfer to its next state, along one transition of its state machine; any other is exit 6. From then on nothing
happens to it by itself.`,
		Example: `  payctl sandbox transfer trf_01kdwcj4jg9etbjcny9kh6prep funds_received
  payctl sandbox transfer trf_01kdwcj4jg9etbjcny9kh6prep returned --reason account_closed`,
		Args: deps.Args("TRANSFER", "STATE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			change.State = payments.TransferState(args[1])
			return show(cmd.Context(), d, func(s payments.Sandbox) (payments.Transfer, error) {
				return s.SetSandboxTransferState(cmd.Context(), args[0], change)
			}, transferDetails)
		},
	}
	cmd.Flags().StringVar(&change.Reason, "reason", "", "the failure reason or return `CODE` of failed, undeliverable and returned")
	return cmd
}

func newDeposit(d *deps.Deps) *cobra.Command {
	key := deps.Key{}
	cmd := &cobra.Command{
		Use:   "deposit TRANSFER AMOUNT",
		Short: "Let the funds of a transfer arrive",
		Long: `Let a deposit arrive for a transfer that awaits its funds. The amount counts in the source currency. Another amount than the
transfer asks for fails it with funding_amount_mismatch; where the transfer takes any amount, one outside the route's
bounds does with funding_amount_out_of_bounds. Either way the deposit is refunded.`,
		Example: "  payctl sandbox deposit trf_01kdwcj4jg9etbjcny9kh6prep 250.00",
		Args:    deps.Args("TRANSFER", "AMOUNT"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return deposit(cmd.Context(), d, &key, args[0], args[1])
		},
	}
	key.AddTo(cmd)
	return cmd
}

func deposit(ctx context.Context, d *deps.Deps, key *deps.Key, transferID, text string) error {
	amount, err := payments.ParseDecimal(text)
	if err != nil {
		return deps.Usage("the amount %q %v", text, err)
	}
	return show(ctx, d, func(s payments.Sandbox) (payments.Transfer, error) {
		written, err := s.CreateSandboxDeposit(ctx, transferID, payments.SandboxDeposit{Amount: amount}, key.Idempotency(d))
		return written.Value, err
	}, transferDetails)
}

func transferDetails(t payments.Transfer) term.Details {
	view := term.Details{
		field("Transfer", term.Toned(term.Bold, t.ID)),
		field("State", deps.TransferState(t.State)),
		field("Sends", term.Text(deps.Money(t.Source.Amount, t.Source.Currency))),
		field("Delivers", term.Text(deps.Money(t.Destination.Amount, t.Destination.Currency))),
	}
	if t.FailureReason != nil {
		view = append(view, field("Failed because", term.Text(*t.FailureReason)))
	}
	if t.ReturnCode != nil {
		view = append(view, field("Return code", term.Text(*t.ReturnCode)))
	}
	if t.Refund != nil {
		view = append(view, field("Refund", term.Text(deps.Money(&t.Refund.Amount, t.Refund.Currency)+", "+t.Refund.Reason)))
	}
	return append(view, field("Changed", term.Text(deps.Time(t.UpdatedAt))))
}
