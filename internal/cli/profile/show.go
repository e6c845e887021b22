package profile

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/settings"
	"github.com/payctl/payctl/internal/ui"
)

func newShow(d *cmdutil.Deps) *cobra.Command {
	return &cobra.Command{
		Use:   "show [PROFILE]",
		Short: "Show the settings and where each value comes from",
		Long: `Show the settings that a command would use, and where each value comes from: a flag, the
environment, the profile or a default. With a PROFILE, show only that profile, without flags and
environment.`,
		Example: `  payctl profile show
  payctl profile show production
  payctl profile show --base-url https://payments.example`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 {
				return cmdutil.Usage("%s takes one PROFILE, not %q too", cmd.CommandPath(), args[1])
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return show(cmd.Context(), d, args) },
	}
}

func show(ctx context.Context, d *cmdutil.Deps, args []string) error {
	entries, err := entries(d, args)
	if err != nil {
		return err
	}
	printer, err := d.PrinterAnyway(ctx)
	if err != nil {
		return err
	}
	return printer.Print(entries, func() ui.View {
		table := ui.Table{Columns: []ui.Column{
			{Header: "Setting", Name: "key"}, {Header: "Value"}, {Header: "From", Name: "source"},
		}}
		for _, e := range entries {
			table.Rows = append(table.Rows, []ui.Cell{ui.Text(e.Key), ui.Optional(e.Value), ui.Toned(ui.Dim, string(e.Source))})
		}
		return table
	})
}

func entries(d *cmdutil.Deps, args []string) ([]settings.Entry, error) {
	if len(args) == 0 {
		resolved, err := d.Settings()
		return resolved.Entries(), err
	}
	file, err := d.Config()
	if err != nil {
		return nil, err
	}
	return file.ProfileEntries(args[0])
}
