package contacts

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/deps"
	"github.com/payctl/payctl/internal/payments"
)

func newCreate(d *deps.Deps) *cobra.Command {
	var (
		body deps.Body[payments.NewSavedContact]
		key  deps.Key
	)
	cmd := &cobra.Command{
		Use:   "create",
		Short: "Save a beneficiary",
		Long: `Save a beneficiary and the coordinates of its payment rail. Each coordinate is checked, with its check digits where it
has them, and every bad one is named.`,
		Example: `  payctl contacts create --label Ada --holder-name "Ada Lovelace" --holder-type individual \
      --rail sepa --currency EUR --iban DE89370400440532013000
  payctl contacts create --account acc_01k… --label Treasury --holder-name "Example Ltd" --holder-type business \
      --rail base --currency USDC --address 0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed
  payctl contacts create --input contact.json`,
		Args: deps.Args(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			contact, err := body.Read(d, cmd)
			if err != nil {
				return err
			}
			contact.Currency = strings.ToUpper(contact.Currency)
			return create(cmd.Context(), d, contact, key.Idempotency(d))
		},
	}
	type contact = payments.NewSavedContact
	body.Flag(cmd, "account", "`ACCOUNT` whose contact it is (default: the only one)", func(c *contact) *string { return &c.AccountID })
	body.Flag(cmd, "label", "your `NAME` for it", func(c *contact) *string { return &c.Label })
	body.Flag(cmd, "holder-name", "the beneficiary's `NAME`", func(c *contact) *string { return &c.HolderName })
	body.Flag(cmd, "holder-type", "`KIND` of beneficiary: individual or business", func(c *contact) *string { return (*string)(&c.HolderType) })
	body.Flag(cmd, "rail", "payment `RAIL` that reaches it, such as sepa or base", func(c *contact) *string { return &c.PaymentRail })
	body.Flag(cmd, "currency", "`CURRENCY` that it takes, such as EUR or USDC", func(c *contact) *string { return &c.Currency })
	body.Flag(cmd, "iban", "`IBAN` (sepa, sepa_instant, swift)", func(c *contact) *string { return &c.IBAN })
	body.Flag(cmd, "bic", "`BIC` (swift; optional for sepa)", func(c *contact) *string { return &c.BIC })
	body.Flag(cmd, "routing-number", "ABA routing `NUMBER` (ach, ach_same_day, wire, rtp)", func(c *contact) *string { return &c.RoutingNumber })
	body.Flag(cmd, "account-number", "bank account `NUMBER`", func(c *contact) *string { return &c.AccountNumber })
	body.Flag(cmd, "sort-code", "UK sort `CODE` (faster_payments)", func(c *contact) *string { return &c.SortCode })
	body.Flag(cmd, "clabe", "`CLABE` (spei)", func(c *contact) *string { return &c.CLABE })
	body.Flag(cmd, "pix-key", "PIX `KEY`", func(c *contact) *string { return &c.PIXKey })
	body.Flag(cmd, "pix-key-type", "`KIND` of PIX key: cpf, cnpj, email, phone or evp", func(c *contact) *string { return &c.PIXKeyType })
	body.Flag(cmd, "address", "on-chain `ADDRESS`", func(c *contact) *string { return &c.Address })
	body.Flag(cmd, "memo", "`MEMO` that the address wants (stellar)", func(c *contact) *string { return &c.Memo })
	body.AddInput(cmd)
	key.AddTo(cmd)
	return cmd
}

func create(ctx context.Context, d *deps.Deps, request payments.NewSavedContact, key payments.Idempotency) error {
	contact, err := deps.ShowOne(ctx, d, func(s payments.Service) (payments.SavedContact, error) {
		written, err := s.CreateSavedContact(ctx, request, key)
		return written.Value, err
	}, details)
	if err == nil {
		d.Hint("Next: payctl routes select --destination %s:%s", contact.PaymentRail, contact.Currency)
	}
	return err
}
