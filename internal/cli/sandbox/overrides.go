package sandbox

import (
	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/cli/kyc"
	"github.com/payctl/payctl/internal/cli/resource"
	"github.com/payctl/payctl/internal/cli/transfer"
	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/money"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/ui"
)

func newKYC(d *cmdutil.Deps) *cobra.Command {
	return &cobra.Command{
		Use:   "kyc ACCOUNT STATUS [REASON…]",
		Short: "Move an identity check to its next status",
		Long: `Move an identity check to its next status, by one transition of its state machine. Any other
transition ends with exit code 6. What was planned for the check does not happen any more; only an
approval still expires. ACCOUNT is an id, your own id, or an e-mail address. A REASON is a code, or a
text of your own.

The checks of new accounts are approved by themselves, unless the e-mail address asks for another
end, as in ada+kyc-rejected@example.com: kyc-rejected, kyc-under-review, kyc-resubmission or
kyc-incomplete.`,
		Example: `  payctl sandbox kyc acc_01kdwcj2m07dx6vaehz84r9gfw approved
  payctl sandbox kyc acc_01kdwcj2m07dx6vaehz84r9gfw rejected applicant_sanctioned duplicate`,
		RunE: func(cmd *cobra.Command, args []string) error {
			change := payments.SandboxKYC{Status: payments.KYCStatus(args[1]), Reasons: args[2:]}
			if err := cmdutil.CheckValue("STATUS", change.Status, contract.SetSandboxKYC.Enum("status")); err != nil {
				return err
			}
			service, err := d.Payments()
			if err != nil {
				return err
			}
			id, err := resource.AccountID(cmd.Context(), d, service, args[0])
			if err != nil {
				return err
			}
			return show(cmd.Context(), d, func(s payments.Sandbox) (payments.KYC, error) {
				return s.SetSandboxKYC(cmd.Context(), id, change)
			}, func(k payments.KYC) ui.Details { return kyc.Details(k, d.ServiceNow().UTC()) })
		},
	}
}

func newTransfer(d *cmdutil.Deps) *cobra.Command {
	return &cobra.Command{
		Use:   "transfer TRANSFER STATE [REASON]",
		Short: "Move a transfer to its next state",
		Long: `Move a transfer to its next state, by one transition of its state machine. Any other transition ends
with exit code 6. What was planned for the transfer does not happen any more. REASON is a failure
reason or return code, for failed, undeliverable and returned.

A transfer is processed by itself, unless the label of its contact asks for another end, as in "Ada
+transfer-returned": transfer-failed, transfer-returned, transfer-undeliverable, transfer-review or
transfer-unfunded.`,
		Example: `  payctl sandbox transfer trf_01kdwcj4jg9etbjcny9kh6prep funds_received
  payctl sandbox transfer trf_01kdwcj4jg9etbjcny9kh6prep returned account_closed`,
		RunE: func(cmd *cobra.Command, args []string) error {
			change := payments.SandboxTransferState{State: payments.TransferState(args[1])}
			if len(args) > 2 {
				change.Reason = args[2]
			}
			if err := cmdutil.CheckValue("STATE", change.State, contract.SetSandboxTransferState.Enum("state")); err != nil {
				return err
			}
			return show(cmd.Context(), d, func(s payments.Sandbox) (payments.Transfer, error) {
				return s.SetSandboxTransferState(cmd.Context(), args[0], change)
			}, transfer.Details)
		},
	}
}

func newDeposit(d *cmdutil.Deps) *cobra.Command {
	key := cmdutil.Key{}
	cmd := &cobra.Command{
		Use:   "deposit TRANSFER AMOUNT",
		Short: "Make a deposit for a transfer",
		Long: `Make a deposit for a transfer that awaits its funds. AMOUNT is in the source currency.

If the transfer has a fixed amount and AMOUNT differs, the transfer fails with
funding_amount_mismatch. If it has none and AMOUNT is outside the bounds of the route, it fails with
funding_amount_out_of_bounds. In both cases the deposit is refunded.`,
		Example: "  payctl sandbox deposit trf_01kdwcj4jg9etbjcny9kh6prep 250.00",
		RunE: func(cmd *cobra.Command, args []string) error {
			amount, err := money.ParseDecimal(args[1])
			if err != nil {
				return cmdutil.Usage("the amount %q %v", args[1], err)
			}
			return show(cmd.Context(), d, func(s payments.Sandbox) (payments.Transfer, error) {
				deposit := payments.SandboxDeposit{Amount: amount}
				written, err := s.CreateSandboxDeposit(cmd.Context(), args[0], deposit, key.Idempotency(d))
				return written.Value, err
			}, transfer.Details)
		},
	}
	key.AddTo(cmd)
	return cmd
}
