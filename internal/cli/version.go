package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/invocation"
	"github.com/payctl/payctl/internal/ui"
)

// newVersion returns `payctl version`.
func newVersion(d *Deps) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Show which build of the program this is",
		Long:  "Show which build of the program this is. Nothing is sent.",
		Example: `  payctl version
  payctl version -o json | jq -r .version`,
		Args: invocation.Args(),
		RunE: func(cmd *cobra.Command, _ []string) error { return printVersion(cmd.Context(), d) },
	}
}

// printVersion prints the version. It works with a broken configuration too, since every bug report begins with the version.
func printVersion(ctx context.Context, d *Deps) error {
	printer, err := d.PrinterAnyway(ctx)
	if err != nil {
		return err
	}
	b := d.Build
	if printer.Format() == ui.FormatTable {
		details := []string{b.Commit, b.Date, b.Go, b.OS + "/" + b.Arch}
		details = slices.DeleteFunc(details, func(detail string) bool { return detail == "" })
		_, err := fmt.Fprintf(d.Out, "payctl %s (%s)\n", b.Version, strings.Join(details, ", "))
		return err
	}
	return printer.Print(b, func() ui.View {
		return ui.Table{
			Columns: []ui.Column{
				{Header: "Version"}, {Header: "Commit"}, {Header: "Date"}, {Header: "Go"}, {Header: "OS"}, {Header: "Arch"},
			},
			Rows: [][]ui.Cell{{
				ui.Text(b.Version), ui.Optional(b.Commit), ui.Optional(b.Date), ui.Text(b.Go), ui.Text(b.OS), ui.Text(b.Arch),
			}},
		}
	})
}
