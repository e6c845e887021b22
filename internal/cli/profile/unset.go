package profile

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/settings"
)

func newUnset(d *cmdutil.Deps) *cobra.Command {
	return &cobra.Command{
		Use:   "unset PROFILE KEY",
		Short: "Remove a value from a profile",
		Long: `Remove a value from a profile, so that the default counts again. In the built-in profile local, the
built-in value counts again. A value that the profile does not have is no mistake.`,
		Example: `  payctl profile unset production credential_store
  payctl profile unset production operations.getKycStatus`,
		Args: cmdutil.Args("PROFILE", "KEY"),
		RunE: func(cmd *cobra.Command, args []string) error { return unset(cmd.Context(), d, args[0], args[1]) },
	}
}

func unset(ctx context.Context, d *cmdutil.Deps, name, key string) error {
	_, printer, err := change(ctx, d, func(file *settings.File) error { return file.Unset(name, key) })
	if err != nil {
		return err
	}
	result := struct {
		Profile string `json:"profile"`
		Key     string `json:"key"`
	}{name, key}
	return d.Done(printer, result, "Removed %s from the profile %s.", key, name)
}
