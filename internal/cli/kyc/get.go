package kyc

import (
	"context"
	"slices"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/cliflags"
	"github.com/payctl/payctl/internal/cli/invocation"
	"github.com/payctl/payctl/internal/cli/resource"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/ui"
)

func newGet(d *invocation.Deps) *cobra.Command {
	pii := false
	cmd := &cobra.Command{
		Use:   "get ACCOUNT",
		Short: "Show an account's identity check: its status, the reasons and what to submit",
		Long: `Show an account's identity check: the applicant, the status with its reasons, what is required,
the command that submits it, and the link where the person can complete the check. The account is
named by its id, your own id of it, or its e-mail address. Personal data is masked without
--show-pii. With -o json and the like only the check is printed, without the applicant.`,
		Example: `  payctl kyc get acc_01kdwcj2m07dx6vaehz84r9gfw
  payctl kyc get ada@example.com -o json | jq -r .status`,
		RunE: func(cmd *cobra.Command, args []string) error { return get(cmd.Context(), d, args[0], pii) },
	}
	cliflags.AddShowPII(cmd, &pii)
	return cmd
}

func get(ctx context.Context, d *invocation.Deps, name string, pii bool) error {
	printer, service, err := d.PrinterAndPayments(ctx)
	if err != nil {
		return err
	}
	var check payments.KYC
	accountID := name
	if err := resource.ByAccountName(ctx, d, name, func(id string) error {
		read, err := service.GetKYCStatus(ctx, id)
		check, accountID = read.Value, id
		return err
	}); err != nil {
		return err
	}
	return printer.Print(check, func() ui.Details {
		view := Details(check, d.ServiceNow())
		read, err := service.GetAccount(ctx, accountID)
		if err != nil {
			return view // the check can be shown without the applicant
		}
		account := read.Value
		if !pii {
			account = account.Masked()
		}
		return slices.Insert(view, 1,
			ui.Field{Label: "Name", Cells: []ui.Cell{ui.Text(account.Name())}},
			ui.Field{Label: "E-mail", Cells: []ui.Cell{ui.Text(account.Email)}})
	})
}
