package profile

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/deps"
	"github.com/payctl/payctl/internal/config"
	"github.com/payctl/payctl/internal/term"
)

func newShow(d *deps.Deps) *cobra.Command {
	return &cobra.Command{
		Use:   "show [PROFILE]",
		Short: "Show the settings and where each value comes from",
		Long: `Show the settings that a command would go by, and where each value comes from: a flag, the environment, the profile or
a default. With a PROFILE, show that profile alone, without flags and environment.`,
		Example: `  payctl profile show
  payctl profile show production
  payctl profile show --base-url https://payments.example`,
		Args: deps.OptionalArg("PROFILE"),
		RunE: func(cmd *cobra.Command, args []string) error { return show(cmd.Context(), d, args) },
	}
}

func show(ctx context.Context, d *deps.Deps, args []string) error {
	entries, err := entries(d, args)
	if err != nil {
		return err
	}
	printer, err := d.PrinterAnyway(ctx)
	if err != nil {
		return err
	}
	return printer.Print(entries, func() term.View {
		table := term.Table{Columns: []term.Column{{Header: "Setting", Name: "key"}, {Header: "Value"}, {Header: "From", Name: "source"}}}
		for _, e := range entries {
			table.Rows = append(table.Rows, []term.Cell{term.Text(e.Key), term.Optional(e.Value), term.Toned(term.Dim, string(e.Source))})
		}
		return table
	})
}

func entries(d *deps.Deps, args []string) ([]config.Entry, error) {
	if len(args) == 0 {
		settings, err := d.Settings()
		return settings.Entries(), err
	}
	file, err := d.Config()
	if err != nil {
		return nil, err
	}
	return file.ProfileEntries(args[0])
}
