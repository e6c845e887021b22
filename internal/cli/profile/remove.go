package profile

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/settings"
)

func newRemove(d *cmdutil.Deps) *cobra.Command {
	return &cobra.Command{
		Use:   "remove PROFILE",
		Short: "Remove a profile",
		Long: `Remove a profile. Removing the built-in profile local restores its built-in values.

The profile's login stays in the credential store. To delete that too, run payctl auth logout -p
PROFILE first.`,
		Example: "  payctl profile remove old",
		Args:    cmdutil.Args("PROFILE"),
		RunE:    func(cmd *cobra.Command, args []string) error { return remove(cmd.Context(), d, args[0]) },
	}
}

func remove(ctx context.Context, d *cmdutil.Deps, name string) error {
	_, printer, err := change(ctx, d, func(file *settings.File) error {
		if _, err := file.ProfileEntries(name); err != nil {
			return err
		}
		if d.InTTY && d.ErrTTY && !d.Options.Yes {
			if err := d.Confirmed(ctx, "Remove the profile "+name+"?"); err != nil {
				return err
			}
		}
		return file.Remove(name)
	})
	if err != nil {
		return err
	}
	result := struct {
		Profile string `json:"profile"`
		Removed bool   `json:"removed"`
	}{name, true}
	return d.Done(printer, result, "Removed the profile %s.", name)
}
