package profile

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/deps"
)

func newRemove(d *deps.Deps) *cobra.Command {
	return &cobra.Command{
		Use:   "remove PROFILE",
		Short: "Remove a profile",
		Long: `Remove a profile. Its login stays in the credential store: run payctl auth logout -p PROFILE first to forget that too.
The built-in profile local goes back to what it was.`,
		Example: "  payctl profile remove old",
		Args:    deps.Args("PROFILE"),
		RunE:    func(cmd *cobra.Command, args []string) error { return remove(cmd.Context(), d, args[0]) },
	}
}

func remove(ctx context.Context, d *deps.Deps, name string) error {
	file, err := d.Config()
	if err != nil {
		return err
	}
	printer, err := d.PrinterAnyway(ctx)
	if err != nil {
		return err
	}
	if err := file.Remove(name); err != nil {
		return err
	}
	if d.InTTY && d.ErrTTY && !d.Options.Yes {
		if err := d.Confirmed(ctx, "Remove the profile "+name+"?"); err != nil {
			return err
		}
	}
	if err := file.Save(); err != nil {
		return err
	}
	result := struct {
		Profile string `json:"profile"`
		Removed bool   `json:"removed"`
	}{name, true}
	return d.Done(printer, result, "Removed the profile %s.", name)
}
