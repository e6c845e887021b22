package contacts

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/cli/resource"
	"github.com/payctl/payctl/internal/cli/rowsui"
	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/outbox"
	"github.com/payctl/payctl/internal/outbox/batch"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/wait"
)

func newImport(d *cmdutil.Deps) *cobra.Command {
	o := &rowsui.Flags{}
	cmd := &cobra.Command{
		Use:   "import FILE|-",
		Short: "Save a beneficiary for every row of a file",
		Long: `Save a beneficiary for every row of a file: CSV with a header, or NDJSON; - is standard input. The
column account names the account that the contact belongs to, by its id or by your external id of it.
Bank coordinates are masked in the report without --show-pii.

` + rowsui.ImportHelp + `.`,
		Example: `  payctl contacts import suppliers.csv --dry-run
  payctl contacts import suppliers.csv --set rail=sepa --set currency=EUR --map external_id=supplier_no
  payctl contacts import people.csv --map account=person,external_id=person --report contacts.done.csv`,
		RunE: func(cmd *cobra.Command, args []string) error {
			return rowsui.Run(cmd.Context(), d, o, args[0], importOf())
		},
	}
	o.AddTo(cmd, "rail=sepa", importConcurrency)
	cmdutil.AddShowPII(cmd, &o.ShowPII)
	return cmd
}

// importConcurrency is how many rows are sent at once: few enough for any service.
const importConcurrency = 4

// importOf describes contacts to the import.
func importOf() rowsui.Command[payments.NewSavedContact] {
	return rowsui.Command[payments.NewSavedContact]{
		Format: batch.Format[payments.NewSavedContact]{
			Op:      &contract.CreateSavedContact,
			Aliases: Table.Aliases(),
			ID:      "externalId",
			Check: func(c *payments.NewSavedContact) payments.FieldErrors {
				c.Currency = strings.ToUpper(c.Currency)
				_, errors := c.Check()
				return errors
			},
			Shown: func(c payments.NewSavedContact) any { return c.Saved("", time.Time{}) },
			Write: outbox.ImportedContact,
		},
		Table: []string{"external_id", "label", "outcome", "id", "detail"},
		Check: findAccounts,
	}
}

// findAccounts replaces the external ids of accounts by their identifiers. Each account is looked up once; without one,
// the service takes the only one.
func findAccounts(ctx context.Context, service *outbox.Outbox, file *batch.File[payments.NewSavedContact]) error {
	type account struct{ name, id, wrong string }
	found := map[string]*account{}
	var all []*account
	for _, item := range file.Items {
		if name := item.Request.AccountID; name != "" && found[name] == nil {
			found[name] = &account{name: name}
			all = append(all, found[name])
		}
	}
	err := wait.Each(ctx, len(all), func(ctx context.Context, i int) error {
		err := resource.ByAccountName(ctx, service, all[i].name, func(id string) error {
			all[i].id = id
			_, err := service.GetAccount(ctx, id)
			return err
		})
		if payments.IsProblem(err, payments.ProblemNotFound) || errors.Is(err, cmdutil.ErrUsage) {
			all[i].wrong = err.Error()
			return nil
		}
		return err
	})
	for _, item := range file.Items {
		if one := found[item.Request.AccountID]; one != nil {
			if item.Request.AccountID = one.id; one.wrong != "" {
				item.Wrong("accountId", "the account %s: %s", payments.QuoteReference(one.name), one.wrong)
			}
		}
	}
	return err
}
