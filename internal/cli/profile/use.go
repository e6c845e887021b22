package profile

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/deps"
	"github.com/payctl/payctl/internal/config"
)

func newUse(d *deps.Deps) *cobra.Command {
	return &cobra.Command{
		Use:     "use PROFILE",
		Short:   "Make a profile the current one",
		Example: "  payctl profile use production",
		Args:    deps.Args("PROFILE"),
		RunE:    func(cmd *cobra.Command, args []string) error { return use(cmd.Context(), d, args[0]) },
	}
}

func use(ctx context.Context, d *deps.Deps, name string) error {
	file, err := d.Config()
	if err != nil {
		return err
	}
	printer, err := d.PrinterAnyway(ctx)
	if err != nil {
		return err
	}
	if err := file.Use(name); err != nil {
		return err
	}
	if err := file.Save(); err != nil {
		return err
	}
	result := struct {
		Current string `json:"current"`
	}{name}
	if err := d.Done(printer, result, "Using the profile %s.", name); err != nil {
		return err
	}
	if stated, _ := file.Profile(name); stated.BaseURL == "" {
		d.Warnf("It has no base_url yet: payctl profile set %s base_url URL", name)
	}
	if other := d.Getenv(config.EnvProfile); other != "" && other != name {
		d.Warnf("%s is set to %s, which wins.", config.EnvProfile, other)
	}
	return nil
}
