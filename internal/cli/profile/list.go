package profile

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/settings"
	"github.com/payctl/payctl/internal/ui"
)

func newList(d *cmdutil.Deps) *cobra.Command {
	return &cobra.Command{
		Use:     "list",
		Short:   "List the profiles",
		Example: "  payctl profile list",
		Args:    cmdutil.Args(),
		RunE:    func(cmd *cobra.Command, _ []string) error { return list(cmd.Context(), d) },
	}
}

type summary struct {
	Name     string `json:"name"`
	BaseURL  string `json:"baseUrl"`
	ClientID string `json:"clientId,omitempty"`
	Current  bool   `json:"current"`
}

func list(ctx context.Context, d *cmdutil.Deps) error {
	file, err := d.Config()
	if err != nil {
		return err
	}
	profiles := []summary{}
	for _, name := range file.Profiles() {
		p := summary{Name: name, Current: name == file.Current()}
		p.BaseURL, _ = file.Value(name, settings.KeyBaseURL) // empty where it has none
		p.ClientID, _ = file.Value(name, settings.KeyClientID)
		profiles = append(profiles, p)
	}
	printer, err := d.PrinterAnyway(ctx)
	if err != nil {
		return err
	}
	return printer.Print(profiles, func() ui.View {
		table := ui.Table{Columns: []ui.Column{
			{Header: "Profile", Name: "name"}, {Header: "Base URL", Name: "baseUrl"},
			{Header: "Client id", Name: "clientId"}, {Header: "Current"},
		}}
		for _, p := range profiles {
			mark := ui.Text("")
			if p.Current {
				mark = ui.Toned(ui.Good, "current")
			}
			table.Rows = append(table.Rows, []ui.Cell{ui.Text(p.Name), ui.Optional(p.BaseURL), ui.Optional(p.ClientID), mark})
		}
		return table
	})
}
