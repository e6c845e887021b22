package profile

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/deps"
	"github.com/payctl/payctl/internal/term"
)

func newList(d *deps.Deps) *cobra.Command {
	return &cobra.Command{
		Use:     "list",
		Short:   "List the profiles",
		Example: "  payctl profile list",
		Args:    deps.Args(),
		RunE:    func(cmd *cobra.Command, _ []string) error { return list(cmd.Context(), d) },
	}
}

type summary struct {
	Name     string `json:"name"`
	BaseURL  string `json:"baseUrl"`
	ClientID string `json:"clientId,omitempty"`
	Current  bool   `json:"current"`
}

func list(ctx context.Context, d *deps.Deps) error {
	file, err := d.Config()
	if err != nil {
		return err
	}
	profiles := []summary{}
	for _, name := range file.Profiles() {
		p, _ := file.Profile(name)
		profiles = append(profiles, summary{Name: name, BaseURL: p.BaseURL, ClientID: p.ClientID, Current: name == file.Current()})
	}
	printer, err := d.PrinterAnyway(ctx)
	if err != nil {
		return err
	}
	return printer.Print(profiles, func() term.View {
		table := term.Table{Columns: []term.Column{
			{Header: "Profile", Name: "name"}, {Header: "Base URL", Name: "baseUrl"}, {Header: "Client id", Name: "clientId"}, {Header: "Current"},
		}}
		for _, p := range profiles {
			mark := term.Text("")
			if p.Current {
				mark = term.Toned(term.Good, "current")
			}
			table.Rows = append(table.Rows, []term.Cell{term.Text(p.Name), term.Optional(p.BaseURL), term.Optional(p.ClientID), mark})
		}
		return table
	})
}
