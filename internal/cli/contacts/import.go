package contacts

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/cli/rowsui"
	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/outbox"
	"github.com/payctl/payctl/internal/outbox/batch"
	"github.com/payctl/payctl/internal/payments"
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
		Args: cmdutil.Args("FILE"),
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
		Kind: batch.Kind[payments.NewSavedContact]{
			Body:    contract.CreateSavedContact.Body,
			Aliases: map[string]string{"account": "accountId", "rail": "paymentRail"},
			ID:      "externalId",
			Check: func(c *payments.NewSavedContact) payments.FieldErrors {
				c.Currency = strings.ToUpper(c.Currency)
				_, errors := c.Check()
				return errors
			},
			Shown: func(c payments.NewSavedContact) any { return c.Saved("", time.Time{}) },
			Write: outbox.ImportedContact,
		},
		Columns:  batch.ImportColumns,
		Table:    []string{"external_id", "label", "outcome", "id", "detail"},
		Outcomes: rowsui.ImportOutcomes,
		Check:    findAccounts,
	}
}

// findAccounts replaces the external ids of accounts by their identifiers. Each account is looked up once.
func findAccounts(ctx context.Context, service *outbox.Outbox, file *batch.File[payments.NewSavedContact]) error {
	found := map[string]*foundAccount{}
	for _, item := range file.Items {
		if name := item.Request.AccountID; name != "" && found[name] == nil {
			found[name] = &foundAccount{}
		}
	}
	if slices.ContainsFunc(file.Items, func(i *batch.Item[payments.NewSavedContact]) bool { return i.Request.AccountID == "" }) {
		if err := checkOnlyAccount(ctx, service, file); err != nil {
			return err
		}
	}
	names := slices.Sorted(maps.Keys(found))
	err := batch.LookUp(ctx, len(names), func(ctx context.Context, i int) error {
		return found[names[i]].lookUp(ctx, service, names[i])
	})
	if err != nil {
		return err
	}
	for _, item := range file.Items {
		account := found[item.Request.AccountID]
		if account == nil {
			continue
		}
		if account.wrong != "" {
			item.Wrong("accountId", "%s", account.wrong)
		}
		item.Request.AccountID = account.id
	}
	return nil
}

// checkOnlyAccount adds an error for each row without an account, unless there is exactly one, which is then meant. A
// service that does not list accounts decides by itself.
func checkOnlyAccount(
	ctx context.Context, service *outbox.Outbox, file *batch.File[payments.NewSavedContact],
) error {
	page, err := service.ListAccounts(ctx, payments.AccountFilter{PageQuery: payments.PageQuery{Limit: 2}})
	switch {
	case payments.IsKind(err, payments.KindInsufficientScope), err == nil && len(page.Data) == 1 && page.NextCursor == nil:
		return nil
	case err != nil:
		return err
	}
	reason := "account is missing: you have several accounts, so name the one that the contact belongs to"
	if len(page.Data) == 0 {
		reason = "account is missing: you have no account yet"
	}
	for _, item := range file.Items {
		if item.Request.AccountID == "" {
			item.Wrong("accountId", "%s", reason)
		}
	}
	return nil
}

// A foundAccount is what the service has for the name of an account.
type foundAccount struct{ id, wrong string }

// lookUp looks for the account that has an external id or an identifier. A name with the usual prefix of an identifier is
// looked up as one first.
func (f *foundAccount) lookUp(ctx context.Context, service payments.Reads, name string) error {
	*f = foundAccount{}
	lookups := []func() error{
		func() error {
			ids, err := accountsWithExternalID(ctx, service, name)
			if len(ids) > 0 {
				f.id = ids[0]
			}
			if len(ids) > 1 {
				f.wrong = fmt.Sprintf("the external id %s belongs to several accounts, %s; name one by its id",
					payments.QuoteReference(name), strings.Join(ids, " and "))
			}
			return err
		},
		func() error {
			read, err := service.GetAccount(ctx, name, payments.ReadOptions{})
			if f.id = read.Value.ID; payments.IsKind(err, payments.KindNotFound) {
				return nil
			}
			return err
		},
	}
	if strings.HasPrefix(name, "acc_") {
		slices.Reverse(lookups)
	}
	for _, lookUp := range lookups {
		if err := lookUp(); err != nil || f.id != "" {
			return err
		}
	}
	f.wrong = "there is no account with the id or external id " + payments.QuoteReference(name)
	return nil
}
