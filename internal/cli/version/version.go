// Package version is `payctl version`.
package version

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/ui"
)

// New returns the command.
func New(d *cmdutil.Deps) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Show which build of the program this is",
		Example: `  payctl version
  payctl version -o json | jq -r .version`,
		Args: cmdutil.Args(),
		RunE: func(cmd *cobra.Command, _ []string) error { return Run(cmd.Context(), d) },
	}
}

// Run prints the version. It works with a broken configuration too, since every bug report begins with the version.
func Run(ctx context.Context, d *cmdutil.Deps) error {
	printer, err := d.PrinterAnyway(ctx)
	if err != nil {
		return err
	}
	if printer.Format() == ui.FormatTable {
		_, err := fmt.Fprintln(d.Out, line(d.Build))
		return err
	}
	return printer.Print(d.Build, func() ui.View {
		return ui.Table{
			Columns: []ui.Column{
				{Header: "Version"}, {Header: "Commit"}, {Header: "Date"}, {Header: "Go"}, {Header: "OS"},
				{Header: "Arch"},
			},
			Rows: [][]ui.Cell{{ui.Text(d.Build.Version), ui.Optional(d.Build.Commit), ui.Optional(d.Build.Date),
				ui.Text(d.Build.Go), ui.Text(d.Build.OS), ui.Text(d.Build.Arch)}},
		}
	})
}

func line(b cmdutil.Build) string {
	details := []string{b.Commit, b.Date, b.Go, b.OS + "/" + b.Arch}
	details = slices.DeleteFunc(details, func(detail string) bool { return detail == "" })
	return "payctl " + b.Version + " (" + strings.Join(details, ", ") + ")"
}
