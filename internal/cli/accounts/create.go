package accounts

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/shell"
)

func newCreate(d *cmdutil.Deps) *cobra.Command {
	var (
		body     cmdutil.Body[payments.NewAccount]
		metadata map[string]string
		key      cmdutil.Key
	)
	cmd := &cobra.Command{
		Use:   "create",
		Short: "Create an account and start its identity check",
		Example: `  payctl accounts create --type individual --first-name Ada --last-name Lovelace \
      --email ada@example.com --country GB
  payctl accounts create --type business --legal-name "Example Ltd" --registration-number 01234567 \
      --email pay@example.com --country GB
  payctl accounts create --input account.json -o json | jq -r .id`,
		Args: cmdutil.Args(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := body.Read(cmd.Context(), d); err != nil {
				return err
			}
			if len(metadata) > 0 {
				body.Value.Metadata = metadata
			}
			if err := cmdutil.CheckReference("external id", body.Value.ExternalID); err != nil {
				return err
			}
			return create(cmd.Context(), d, body.Value, key.Idempotency(d))
		},
	}
	request := &body.Value
	body.Flag(cmd, (*string)(&request.Type), "type", "`KIND` of account: individual or business")
	body.Flag(cmd, &request.FirstName, "first-name", "given `NAME` of an individual")
	body.Flag(cmd, &request.LastName, "last-name", "family `NAME` of an individual")
	body.Flag(cmd, &request.LegalName, "legal-name", "registered `NAME` of a business")
	body.Flag(cmd, &request.RegistrationNumber, "registration-number", "registration `NUMBER` of a business")
	body.Flag(cmd, &request.Email, "email", "e-mail `ADDRESS`")
	body.Flag(cmd, &request.Country, "country", "ISO 3166-1 alpha-2 `CODE` such as GB")
	body.Flag(cmd, &request.BirthDate, "birth-date", "`DATE` of birth, YYYY-MM-DD")
	body.Flag(cmd, &request.PhoneNumber, "phone", "phone `NUMBER` such as +442079460000")
	body.Flag(cmd, &request.ExternalID, "external-id", "your own `ID` of the account")
	cmdutil.AddMetadata(cmd, &metadata)
	body.AddInput(cmd)
	key.AddTo(cmd)
	return cmd
}

func create(ctx context.Context, d *cmdutil.Deps, request payments.NewAccount, key payments.Idempotency) error {
	account, err := cmdutil.PrintOne(ctx, d, func(s payments.Service) (payments.Account, error) {
		written, err := s.CreateAccount(ctx, request, key)
		return written.Value, err
	}, details)
	if err == nil {
		d.Hint(shell.Hint("Next: payctl kyc watch -- ACCOUNT", shell.Values{"ACCOUNT": account.ID}))
	}
	return err
}
