package contacts

import (
	"context"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/cli/importui"
	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/outbox"
	"github.com/payctl/payctl/internal/outbox/importer"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/rows"
)

func newImport(d *cmdutil.Deps) *cobra.Command {
	o := &importui.Options{}
	cmd := &cobra.Command{
		Use:   "import FILE|-",
		Short: "Save a beneficiary for every row of a file",
		Long: `Save a beneficiary for every row of a file: CSV with a header, or NDJSON. With -, read standard input.

The column account names the account that the contact belongs to, by its id or by your external id of it.

` + importui.Help + ` Bank coordinates are masked in it; --show-pii shows them.

` + importui.ExitCodes,
		Example: `  payctl contacts import suppliers.csv --dry-run
  payctl contacts import suppliers.csv --set rail=sepa --set currency=EUR --map external_id=supplier_no
  payctl contacts import people.csv --map account=person,external_id=person --report contacts.done.csv`,
		Args: cmdutil.Args("FILE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return importui.Run(cmd.Context(), d, o, args[0], importOf())
		},
	}
	o.AddTo(d, cmd, "rail=sepa")
	return cmd
}

// importOf describes contacts to the import.
func importOf() importui.Import[payments.NewSavedContact] {
	return importui.Import[payments.NewSavedContact]{
		Kind: importer.Kind[payments.NewSavedContact]{
			Body:    contract.CreateSavedContact.Body,
			Aliases: map[string]string{"account": "accountId", "rail": "paymentRail"},
			Check: func(c *payments.NewSavedContact) payments.FieldErrors {
				c.Currency = strings.ToUpper(c.Currency)
				_, errors := c.Check()
				return errors
			},
			Shown: func(c payments.NewSavedContact) any { return c.Saved("", time.Time{}) },
		},
		Columns: []string{"label"},
		Prepare: findAccounts,
		Create: func(ctx context.Context, service *outbox.Outbox, request payments.NewSavedContact) (importer.Made, error) {
			made, err := service.ImportSavedContact(ctx, request)
			return importer.Made{ID: made.Value.ID, Existed: made.Replayed}, err
		},
	}
}

// findAccounts replaces the external ids of accounts by their identifiers. Each account is looked up once.
func findAccounts(
	ctx context.Context, service *outbox.Outbox, file *importer.File[payments.NewSavedContact],
) error {
	ids := map[string]string{}
	for _, row := range file.Rows {
		name := row.Request.AccountID
		if name == "" {
			continue
		}
		id, known := ids[name]
		if !known {
			var err error
			if id, err = findAccount(ctx, service, name); err != nil {
				return err
			}
			ids[name] = id
		}
		if row.Request.AccountID = id; id == "" {
			file.Add(&rows.Error{
				Position: row.Position("accountId"), Reason: "there is no account with the id or external id " + payments.QuoteReference(name),
			})
		}
	}
	return nil
}

// findAccount returns the identifier of the account that has an external id or an identifier; empty if there is none. A
// name with the usual prefix of an identifier is looked up as one first.
func findAccount(ctx context.Context, service payments.Accounts, name string) (id string, err error) {
	byID := func() error {
		account, err := service.GetAccount(ctx, name, payments.ReadOptions{})
		if id = account.Value.ID; payments.IsKind(err, payments.KindNotFound) {
			err = nil
		}
		return err
	}
	byExternalID := func() error {
		match, err := payments.FindAccounts(ctx, service, name)
		id = match.First.ID
		return err
	}
	first, second := byExternalID, byID
	if strings.HasPrefix(name, "acc_") {
		first, second = byID, byExternalID
	}
	if err = first(); err != nil || id != "" {
		return id, err
	}
	err = second()
	return id, err
}
