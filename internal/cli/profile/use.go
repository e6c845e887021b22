package profile

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/settings"
	"github.com/payctl/payctl/internal/shell"
)

func newUse(d *cmdutil.Deps) *cobra.Command {
	return &cobra.Command{
		Use:     "use PROFILE",
		Short:   "Make a profile the current one",
		Example: "  payctl profile use production",
		Args:    cmdutil.Args("PROFILE"),
		RunE:    func(cmd *cobra.Command, args []string) error { return use(cmd.Context(), d, args[0]) },
	}
}

func use(ctx context.Context, d *cmdutil.Deps, name string) error {
	file, printer, err := change(ctx, d, func(file *settings.File) error { return file.Use(name) })
	if err != nil {
		return err
	}
	result := struct {
		Current string `json:"current"`
	}{name}
	if err := d.Done(printer, result, "Using the profile %s.", name); err != nil {
		return err
	}
	if base, _ := file.Value(name, settings.KeyBaseURL); base == "" {
		d.Warnf("It has no base_url yet: %s",
			shell.Hint("payctl profile set -- PROFILE base_url URL", shell.Values{"PROFILE": name}))
	}
	if other := d.Getenv(settings.EnvProfile); other != "" && other != name {
		d.Warnf("%s is set to %s, which wins.", settings.EnvProfile, other)
	}
	return nil
}
