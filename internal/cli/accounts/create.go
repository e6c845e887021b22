package accounts

import (
	"cmp"
	"context"
	"slices"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/cli/resource"
	"github.com/payctl/payctl/internal/cli/watchui"
	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/shell"
	"github.com/payctl/payctl/internal/ui"
)

func newCreate(d *cmdutil.Deps) *cobra.Command {
	var (
		body      resource.Body
		request   payments.NewAccount
		key       cmdutil.Key
		duplicate bool
		wait      watchui.Wait
	)
	cmd := &cobra.Command{
		Use:   "create --type KIND --email ADDRESS --country CODE",
		Short: "Create an account and start its identity check",
		Long: `Create an account and start its identity check.

With an --external-id the same line creates it once. With --wait the exit code is 11 if the check ends
without an approval, 12 if the time of --timeout ran out. The account exists all the same.`,
		Example: `  payctl accounts create --type individual --first-name Ada --last-name Lovelace \
      --email ada@example.com --country GB
  payctl accounts create --type business --legal-name "Example Ltd" --set registrationNumber=01234567 \
      --email pay@example.com --country GB
  payctl accounts create --input account.json -o json | jq -r .id
  payctl accounts create --input account.json --wait --timeout 10m`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := body.Read(cmd.Context(), d, &contract.CreateAccount, &request, nil); err != nil {
				return err
			}
			if err := wait.Check(d); err != nil {
				return err
			}
			return create(cmd.Context(), d, request, key.OrOf(d, request.ExternalID, duplicate), &wait)
		},
	}
	resource.CreateFlags[payments.NewAccount](resource.Accounts, cmd, &body)
	key.AddTo(cmd)
	cmd.Flags().BoolVar(&duplicate, "allow-duplicate", false, "create one although the external id is used")
	wait.AddTo(cmd, watchui.Accounts)
	return cmd
}

// create creates the account, waits for its identity check with --wait, and prints it.
func create(
	ctx context.Context, d *cmdutil.Deps, request payments.NewAccount, key payments.Idempotency, wait *watchui.Wait,
) error {
	printer, err := d.Printer(ctx)
	if err != nil {
		return err
	}
	service, err := d.Connect(cmdutil.Calls{Timeout: wait.CallTimeout()})
	if err != nil {
		return err
	}
	written, err := service.CreateAccount(ctx, request, key)
	if err != nil {
		return err
	}
	account := written.Value
	var waited error
	if wait.Given() {
		account, waited = waitForCheck(ctx, d, service, account, wait)
		printer = printer.With(context.WithoutCancel(ctx))
	}
	err = cmdutil.OutputFailed(printer.Print(account, func() ui.Details { return resource.Accounts.Details(account) }),
		"the account "+account.ID+" was created")
	if err == nil && !wait.Given() {
		d.Hint(shell.Payctl("kyc watch --", account.ID))
	}
	return cmp.Or(waited, err)
}

// waitForCheck waits for the identity check of a new account and returns the account with the status that it then has.
func waitForCheck(
	ctx context.Context, d *cmdutil.Deps, service payments.Service, account payments.Account, wait *watchui.Wait,
) (payments.Account, error) {
	summary, err := wait.Run(ctx, d, service, watchui.Created{
		IDs: []string{account.ID}, List: watchui.ListAccounts(service, payments.AccountFilter{}),
		Resume: shell.Payctl("kyc watch --until", wait.Until, "--", account.ID),
	})
	for _, one := range slices.Concat(summary.Reached, summary.Failed, summary.Waiting) {
		account.KYCStatus = payments.KYCStatus(cmp.Or(one.Status, string(account.KYCStatus)))
		account.Document = nil // which has the status before
	}
	return account, err
}
