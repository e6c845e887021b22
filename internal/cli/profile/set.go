package profile

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/deps"
	"github.com/payctl/payctl/internal/config"
)

func newSet(d *deps.Deps) *cobra.Command {
	return &cobra.Command{
		Use:   "set PROFILE KEY VALUE",
		Short: "Set a value of a profile, and make the profile if it is new",
		Long: `Set a value of a profile, and make the profile if it is new. An empty value takes the setting out.

The keys, of which operations.NAME maps an operation of the contract to the method and path that the service really has:

  ` + strings.Join(config.ProfileKeys(), "\n  "),
		Example: `  payctl profile set production base_url https://payments.example
  payctl profile set production operations.getKycStatus "GET /kyc/{accountId}/v2"`,
		Args: deps.Args("PROFILE", "KEY", deps.Value),
		RunE: func(cmd *cobra.Command, args []string) error {
			return set(cmd.Context(), d, args[0], args[1], args[2])
		},
	}
}

func set(ctx context.Context, d *deps.Deps, name, key, value string) error {
	file, err := d.Config()
	if err != nil {
		return err
	}
	printer, err := d.PrinterAnyway(ctx)
	if err != nil {
		return err
	}
	if err := file.SetValue(name, key, value); err != nil {
		return err
	}
	if err := file.Save(); err != nil {
		return err
	}
	result := struct {
		Profile string `json:"profile"`
		Key     string `json:"key"`
		Value   string `json:"value"`
	}{name, key, value}
	done := fmt.Sprintf("Set %s of the profile %s to %q.", key, name, value)
	if value == "" {
		done = fmt.Sprintf("Took %s out of the profile %s.", key, name)
	}
	if err := d.Done(printer, result, "%s", done); err != nil {
		return err
	}
	if name != file.Current() {
		d.Hint("Next: payctl profile use %s", name)
	}
	return nil
}
