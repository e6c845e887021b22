// Package profile implements `payctl profile`.
package profile

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/settings"
	"github.com/payctl/payctl/internal/ui"
)

// New returns the command.
func New(d *cmdutil.Deps) *cobra.Command {
	cmd := cmdutil.Group("profile", "Manage the settings of the services that you use",
		newList(d), newShow(d), newSet(d), newUse(d), newRemove(d))
	cmd.Aliases = []string{"config"}
	return cmd
}

// change changes the configuration file. It makes the printer first, so that a mistake in the output's format is found
// before.
func change(
	ctx context.Context, d *cmdutil.Deps, change func(*settings.File) error,
) (*settings.File, *ui.Printer, error) {
	file, err := d.Config()
	if err != nil {
		return nil, nil, err
	}
	printer, err := d.PrinterAnyway(ctx)
	if err != nil {
		return nil, nil, err
	}
	return file, printer, change(file)
}
