package accounts

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/deps"
	"github.com/payctl/payctl/internal/payments"
)

func newCreate(d *deps.Deps) *cobra.Command {
	var (
		body     deps.Body[payments.NewAccount]
		metadata map[string]string
		key      deps.Key
	)
	cmd := &cobra.Command{
		Use:   "create",
		Short: "Create an account and start its identity check",
		Example: `  payctl accounts create --type individual --first-name Ada --last-name Lovelace --email ada@example.com --country GB
  payctl accounts create --type business --legal-name "Example Ltd" --registration-number 01234567 --email pay@example.com --country GB
  payctl accounts create --input account.json -o json | jq -r .id`,
		Args: deps.Args(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			account, err := body.Read(d, cmd)
			if err != nil {
				return err
			}
			if len(metadata) > 0 {
				account.Metadata = metadata
			}
			return create(cmd.Context(), d, account, key.Idempotency(d))
		},
	}
	type account = payments.NewAccount
	body.Flag(cmd, "type", "`KIND` of account: individual or business", func(a *account) *string { return (*string)(&a.Type) })
	body.Flag(cmd, "first-name", "given `NAME` of an individual", func(a *account) *string { return &a.FirstName })
	body.Flag(cmd, "last-name", "family `NAME` of an individual", func(a *account) *string { return &a.LastName })
	body.Flag(cmd, "legal-name", "registered `NAME` of a business", func(a *account) *string { return &a.LegalName })
	body.Flag(cmd, "registration-number", "registration `NUMBER` of a business", func(a *account) *string { return &a.RegistrationNumber })
	body.Flag(cmd, "email", "e-mail `ADDRESS`", func(a *account) *string { return &a.Email })
	body.Flag(cmd, "country", "ISO 3166-1 alpha-2 `CODE` such as GB", func(a *account) *string { return &a.Country })
	body.Flag(cmd, "birth-date", "`DATE` of birth, YYYY-MM-DD", func(a *account) *string { return &a.BirthDate })
	body.Flag(cmd, "phone", "phone `NUMBER` such as +442079460000", func(a *account) *string { return &a.PhoneNumber })
	body.Flag(cmd, "external-id", "an `ID` of yours", func(a *account) *string { return &a.ExternalID })
	deps.AddMetadata(cmd, &metadata)
	body.AddInput(cmd)
	key.AddTo(cmd)
	return cmd
}

func create(ctx context.Context, d *deps.Deps, request payments.NewAccount, key payments.Idempotency) error {
	account, err := deps.ShowOne(ctx, d, func(s payments.Service) (payments.Account, error) {
		written, err := s.CreateAccount(ctx, request, key)
		return written.Value, err
	}, details)
	if err == nil {
		d.Hint("Next: payctl kyc watch %s", account.ID)
	}
	return err
}
