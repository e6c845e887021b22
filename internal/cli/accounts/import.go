package accounts

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/cli/importui"
	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/outbox"
	"github.com/payctl/payctl/internal/outbox/importer"
	"github.com/payctl/payctl/internal/payments"
)

func newImport(d *cmdutil.Deps) *cobra.Command {
	o := &importui.Options{}
	cmd := &cobra.Command{
		Use:   "import FILE|-",
		Short: "Create an account for every row of a file",
		Long: `Create an account for every row of a file, and start its identity check: CSV with a header, or NDJSON. With -, read
standard input.

` + importui.Help + ` Personal data is masked in it; --show-pii shows it.

` + importui.ExitCodes,
		Example: `  payctl accounts import people.csv --dry-run
  payctl accounts import people.csv --set type=individual --map external_id=email
  payctl accounts import people.ndjson --report people.done.csv`,
		Args: cmdutil.Args("FILE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return importui.Run(cmd.Context(), d, o, args[0], importOf(d))
		},
	}
	o.AddTo(d, cmd, "type=individual")
	return cmd
}

// importOf describes accounts to the import.
func importOf(d *cmdutil.Deps) importui.Import[payments.NewAccount] {
	return importui.Import[payments.NewAccount]{
		Kind: importer.Kind[payments.NewAccount]{
			Body:  contract.CreateAccount.Body,
			Check: func(a *payments.NewAccount) payments.FieldErrors { return a.Check(d.Now()) },
			Shown: func(a payments.NewAccount) any { return a.Opened("", "", time.Time{}).Masked() },
		},
		Create: func(ctx context.Context, service *outbox.Outbox, request payments.NewAccount) (importer.Made, error) {
			made, err := service.ImportAccount(ctx, request)
			return importer.Made{ID: made.Value.ID, Status: string(made.Value.KYCStatus), Existed: made.Replayed}, err
		},
	}
}
