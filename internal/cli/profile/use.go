package profile

import (
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
		RunE:    func(_ *cobra.Command, args []string) error { return use(d, args[0]) },
	}
}

func use(d *deps.Deps, name string) error {
	file, err := d.Config()
	if err != nil {
		return err
	}
	if err := file.Use(name); err != nil {
		return err
	}
	if err := file.Save(); err != nil {
		return err
	}
	d.Successf("Using the profile %s.", name)
	if other := d.Getenv(config.EnvProfile); other != "" && other != name {
		d.Warnf("%s is set to %s, which wins.", config.EnvProfile, other)
	}
	return nil
}
