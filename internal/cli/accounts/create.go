package accounts

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/deps"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/term"
)

type createOptions struct {
	input    deps.Input
	account  payments.NewAccount
	kind     string
	metadata map[string]string
	key      deps.Key
}

func newCreate(d *deps.Deps) *cobra.Command {
	o := &createOptions{}
	cmd := &cobra.Command{
		Use:   "create",
		Short: "Create an account and start its identity check",
		Example: `  payctl accounts create --type individual --first-name Ada --last-name Lovelace --email ada@example.com --country GB
  payctl accounts create --type business --legal-name "Example Ltd" --registration-number 01234567 --email pay@example.com --country GB
  payctl accounts create --input account.json -o json | jq -r .id`,
		Args: deps.Args(),
		RunE: func(cmd *cobra.Command, _ []string) error { return create(cmd.Context(), d, o, cmd.Flags().Changed) },
	}
	f := cmd.Flags()
	f.StringVar(&o.kind, "type", "", "`KIND` of account: individual or business")
	f.StringVar(&o.account.FirstName, "first-name", "", "given `NAME` of an individual")
	f.StringVar(&o.account.LastName, "last-name", "", "family `NAME` of an individual")
	f.StringVar(&o.account.LegalName, "legal-name", "", "registered `NAME` of a business")
	f.StringVar(&o.account.RegistrationNumber, "registration-number", "", "registration `NUMBER` of a business")
	f.StringVar(&o.account.Email, "email", "", "e-mail `ADDRESS`")
	f.StringVar(&o.account.Country, "country", "", "ISO 3166-1 alpha-2 `CODE` such as GB")
	f.StringVar(&o.account.BirthDate, "birth-date", "", "`DATE` of birth, YYYY-MM-DD")
	f.StringVar(&o.account.PhoneNumber, "phone", "", "phone `NUMBER` such as +442079460000")
	f.StringVar(&o.account.ExternalID, "external-id", "", "an `ID` of yours")
	f.StringToStringVar(&o.metadata, "metadata", nil, "your own `KEY=VALUE`, may be repeated")
	o.input.AddTo(cmd)
	o.key.AddTo(cmd)
	return cmd
}

func create(ctx context.Context, d *deps.Deps, o *createOptions, changed func(string) bool) error {
	flags := o.account
	request := payments.NewAccount{}
	if err := o.input.Read(d, &request); err != nil {
		return err
	}
	for _, field := range []struct {
		flag       string
		into, from *string
	}{
		{"type", (*string)(&request.Type), &o.kind},
		{"first-name", &request.FirstName, &flags.FirstName},
		{"last-name", &request.LastName, &flags.LastName},
		{"legal-name", &request.LegalName, &flags.LegalName},
		{"registration-number", &request.RegistrationNumber, &flags.RegistrationNumber},
		{"email", &request.Email, &flags.Email},
		{"country", &request.Country, &flags.Country},
		{"birth-date", &request.BirthDate, &flags.BirthDate},
		{"phone", &request.PhoneNumber, &flags.PhoneNumber},
		{"external-id", &request.ExternalID, &flags.ExternalID},
	} {
		if changed(field.flag) {
			*field.into = *field.from
		}
	}
	if len(o.metadata) > 0 {
		request.Metadata = o.metadata
	}
	service, err := d.Payments()
	if err != nil {
		return err
	}
	written, err := service.CreateAccount(ctx, request, o.key.Idempotency(d))
	if err != nil {
		return err
	}
	account := written.Value
	if err := d.Print(ctx, account, func() term.View { return details(account) }); err != nil {
		return err
	}
	d.Hint("Next: payctl kyc watch %s", account.ID)
	return nil
}
