package accounts

import (
	"time"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/cli/resource"
	"github.com/payctl/payctl/internal/cli/rowsui"
	"github.com/payctl/payctl/internal/cli/watchui"
	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/outbox"
	"github.com/payctl/payctl/internal/outbox/batch"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/shell"
)

func newImport(d *cmdutil.Deps) *cobra.Command {
	o := &rowsui.Flags{}
	cmd := &cobra.Command{
		Use:   "import FILE|-",
		Short: "Create an account for every row of a file",
		Long: `Create an account for every row of a file, and start its identity check: CSV with a header, or NDJSON; -
is standard input. Personal data is masked in the report without --show-pii.

` + rowsui.ImportHelp + `;
with --wait, 11 a check has another end, 12 the time of --timeout ran out.`,
		Example: `  payctl accounts import people.csv --dry-run
  payctl accounts import people.csv --set type=individual --map external_id=email
  payctl accounts import people.ndjson --report people.done.csv
  payctl accounts import people.csv --wait --timeout 10m`,
		RunE: func(cmd *cobra.Command, args []string) error {
			return rowsui.Run(cmd.Context(), d, o, args[0], importOf(d))
		},
	}
	o.AddTo(cmd, "type=individual", importConcurrency)
	cmdutil.AddShowPII(cmd, &o.ShowPII)
	o.Wait.AddTo(cmd, watchui.Accounts)
	return cmd
}

// importConcurrency is how many rows are sent at once: few enough for any service.
const importConcurrency = 4

// importOf describes accounts to the import.
func importOf(d *cmdutil.Deps) rowsui.Command[payments.NewAccount] {
	return rowsui.Command[payments.NewAccount]{
		Format: batch.Format[payments.NewAccount]{
			Op:      &contract.CreateAccount,
			Aliases: resource.Accounts.Aliases(),
			ID:      "externalId",
			Check: func(a *payments.NewAccount) (faults payments.FieldErrors) {
				*a, faults = a.Check(d.Now())
				return faults
			},
			Shown: func(a payments.NewAccount) any { return a.Opened("", "", time.Time{}).Masked() },
			Write: outbox.ImportedAccount,
		},
		Table: []string{"external_id", "outcome", "id", "status", "detail"},
		Created: func(service *outbox.Outbox) watchui.Created {
			return watchui.Created{
				List:   watchui.ListAccounts(service, payments.AccountFilter{}),
				Resume: shell.Note("run the same command again to go on waiting"),
			}
		},
	}
}
