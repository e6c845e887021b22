package kyc

import (
	"context"
	"slices"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/deps"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/term"
)

func newGet(d *deps.Deps) *cobra.Command {
	pii := false
	cmd := &cobra.Command{
		Use:   "get ACCOUNT",
		Short: "Show an account's identity check: status, reasons, what is wanted and how to mend it",
		Long: `Show an account's identity check: whose it is, its status with the reasons in words, what is wanted, how to hand it in, and
the link where the person can complete it. Names and e-mail addresses are masked, unless --show-pii is given. Other forms of
output hold the check alone, without whose it is.`,
		Example: `  payctl kyc get acc_01kdwcj2m07dx6vaehz84r9gfw
  payctl kyc get acc_01kdwcj2m07dx6vaehz84r9gfw -o json | jq -r .status`,
		Args: deps.Args("ACCOUNT"),
		RunE: func(cmd *cobra.Command, args []string) error { return get(cmd.Context(), d, args[0], pii) },
	}
	deps.AddShowPII(d, cmd, &pii)
	return cmd
}

func get(ctx context.Context, d *deps.Deps, accountID string, pii bool) error {
	printer, err := d.Printer(ctx)
	if err != nil {
		return err
	}
	service, err := d.Payments()
	if err != nil {
		return err
	}
	reading, err := service.GetKYCStatus(ctx, accountID, payments.Condition{})
	if err != nil {
		return err
	}
	var account *payments.Account // nil: not asked for, or not to be had
	if printer.Format() == term.FormatTable && d.Options.JQ == "" {
		account = whose(ctx, service, accountID, pii)
	}
	return printer.Print(reading.Value, func() term.View { return withName(details(reading.Value), account) })
}

// whose is the account of an identity check as it may be shown; nil when it cannot be had: the check can be told without.
func whose(ctx context.Context, service payments.Service, accountID string, pii bool) *payments.Account {
	account, err := service.GetAccount(ctx, accountID)
	if err != nil {
		return nil
	}
	if !pii {
		account = account.Masked()
	}
	return &account
}

// withName adds whose an identity check is.
func withName(view term.Details, account *payments.Account) term.Details {
	if account == nil {
		return view
	}
	return slices.Insert(view, 1,
		term.Field{Label: "Name", Cells: []term.Cell{term.Text(account.Name())}},
		term.Field{Label: "E-mail", Cells: []term.Cell{term.Text(account.Email)}})
}
