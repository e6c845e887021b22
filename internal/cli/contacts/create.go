package contacts

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/cli/resource"
	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/outbox"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/shell"
)

func newCreate(d *cmdutil.Deps) *cobra.Command {
	var (
		body    resource.Body
		request payments.NewSavedContact
		key     cmdutil.Key

		allowDuplicate bool
	)
	cmd := &cobra.Command{
		Use:   "create --label NAME --holder-name NAME --holder-type KIND --rail RAIL --currency CURRENCY",
		Short: "Save a beneficiary",
		Long: `Save a beneficiary and its coordinates on a payment rail, such as an IBAN. The service checks all
coordinates and their check digits, and names each wrong or missing one.`,
		Example: `  payctl contacts create --label Ada --holder-name "Ada Lovelace" --holder-type individual \
      --rail sepa --currency EUR --iban DE89370400440532013000
  payctl contacts create --account acc_01k… --label Treasury --holder-name "Example Ltd" --holder-type business \
      --rail base --currency USDC --address 0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed
  payctl contacts create --label Rent --holder-name "Bob Lee" --holder-type individual --rail ach --currency USD \
      --routing-number 021000021 --account-number 123456789`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			coordinates := func() []string { return request.MissingCoordinates() }
			if err := body.Read(cmd.Context(), d, &contract.CreateSavedContact, &request, coordinates); err != nil {
				return err
			}
			request.Currency = strings.ToUpper(request.Currency)
			// A key that is given makes the line repeatable by itself.
			return create(cmd.Context(), d, request, key.OrOf(d, request.ExternalID, false), !allowDuplicate && !key.Given())
		},
	}
	resource.CreateFlags[payments.NewSavedContact](Table, cmd, &body)
	key.AddTo(cmd)
	cmd.Flags().BoolVar(&allowDuplicate, "allow-duplicate-label", false, "save it although the label is used")
	return cmd
}

func create(
	ctx context.Context, d *cmdutil.Deps, request payments.NewSavedContact, key payments.Idempotency, oneLabel bool,
) error {
	connect := func() (*outbox.Outbox, error) { return d.Connect(cmdutil.Calls{}) }
	contact, err := cmdutil.PrintOne(ctx, d, connect, func(s *outbox.Outbox) (payments.SavedContact, error) {
		if oneLabel && !d.Options.Curl { // which prints the first call
			if err := refuseUsedLabel(ctx, s, request); err != nil {
				return payments.SavedContact{}, s.Unsettled(ctx, err, outbox.ImportedContact(request))
			}
		}
		written, err := s.CreateSavedContact(ctx, request, key)
		return written.Value, err
	}, Table.Details)
	if err == nil {
		d.Hint(shell.Payctl("routes list --destination", contact.PaymentRail+":"+contact.Currency))
	}
	return err
}

// refuseUsedLabel refuses the label of a contact that is saved already: a line that is run twice must not save a second
// one, between which --contact LABEL could not choose. The contact that has the request's external id is the same one.
func refuseUsedLabel(ctx context.Context, service payments.Service, request payments.NewSavedContact) error {
	if request.Label == "" {
		return nil
	}
	var known payments.NamedContacts
	if err := known.Read(ctx, service, payments.SavedContactFilter{Label: request.Label}); err != nil {
		return err
	}
	for _, found := range known.Find(request.Label) {
		same := request.ExternalID != "" && found.ExternalID == request.ExternalID
		if found.Label != request.Label || same {
			continue
		}
		return &cmdutil.Error{
			Code: cmdutil.ExitConflict, ProblemType: string(payments.ProblemConflict),
			Title:  "There is a contact with this label.",
			Detail: fmt.Sprintf("%s has the label %q. Nothing was saved.", found.ID, found.Label),
			Next: []shell.Hint{
				shell.Payctl("contacts get --", found.ID),
				shell.Note("give another --label, or --allow-duplicate-label for a second contact of this name"),
			},
		}
	}
	return nil
}
