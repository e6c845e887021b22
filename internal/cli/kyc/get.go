package kyc

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/cli/resource"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/ui"
)

type getOptions struct{ pii, reply, local bool }

func newGet(d *cmdutil.Deps) *cobra.Command {
	o := getOptions{}
	cmd := &cobra.Command{
		Use:   "get ACCOUNT",
		Short: "Show an account's identity check: its status, the reasons and what to submit",
		Long: `Show an account's identity check: the applicant, the status with its reasons, what is required,
the command that submits it, and the link where the person can complete the check. The account is
named by its id, your own id of it, or its e-mail address. Personal data is masked without
--show-pii. With -o json and the like only the check is printed, without the applicant.`,
		Example: `  payctl kyc get acc_01kdwcj2m07dx6vaehz84r9gfw
  payctl kyc get ada@example.com --reply
  payctl kyc get ada@example.com -o json | jq -r .status`,
		RunE: func(cmd *cobra.Command, args []string) error { return get(cmd.Context(), d, args[0], o) },
	}
	cmdutil.AddShowPII(cmd, &o.pii)
	f := cmd.Flags()
	f.BoolVar(&o.reply, "reply", false, "print the reply to the customer; with --show-pii it has the name")
	f.BoolVar(&o.local, "local", false, "show times in the time zone of this machine")
	return cmd
}

func get(ctx context.Context, d *cmdutil.Deps, name string, o getOptions) error {
	printer, service, err := d.PrinterAndPayments(ctx)
	if err != nil {
		return err
	}
	var check payments.KYC
	accountID := name
	if err := resource.ByAccountName(ctx, service, name, func(id string) error {
		read, err := service.GetKYCStatus(ctx, id)
		check, accountID = read.Value, id
		return err
	}); err != nil {
		return err
	}
	if o.reply {
		text, err := readReply(ctx, d, service, accountID, o.pii)
		if err != nil {
			return err
		}
		return d.PrintText(printer, "reply", strings.TrimSuffix(text, "\n"), ui.SanitizeLines)
	}
	return printer.Print(check, func() ui.Details {
		now := d.ServiceNow().In(cmdutil.Zone(o.local))
		view := Details(check, now)
		read, err := service.GetAccount(ctx, accountID)
		if err != nil {
			return view // the check can be shown without the applicant
		}
		account := read.Value
		if !o.pii {
			account = account.Masked()
		}
		return slices.Insert(view, 1,
			ui.Field{Label: "Name", Cells: []ui.Cell{ui.Text(account.Name())}},
			ui.Field{Label: "E-mail", Cells: []ui.Cell{ui.Text(account.Email)}})
	})
}
