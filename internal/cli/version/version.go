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
	var asks bool
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Show which build of the program this is",
		Long: `Show which build of the program this is. Nothing is sent.

With --check it also asks https://github.com/payctl/payctl/releases/latest which release is the latest, once and for at
most 10 seconds (or --timeout). The request has no credential and no body, and goes through the proxies of the environment
(HTTPS_PROXY, NO_PROXY). payctl never asks for a newer version by itself.

The exit code is 0 whether there is a newer version or not; -o json has updateAvailable, which is null for a
development build: it cannot be compared. It is 9 if the page cannot be reached, and 8 if its answer cannot be used or does
not come in time.`,
		Example: `  payctl version
  payctl version --check
  payctl version -o json | jq -r .version
  payctl version --check --jq .updateAvailable`,
		Args: cmdutil.Args(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if asks {
				return check(cmd.Context(), d)
			}
			return Run(cmd.Context(), d)
		},
	}
	cmd.Flags().BoolVar(&asks, "check", false, "ask whether there is a newer version")
	return cmd
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
	return printer.Print(d.Build, func() ui.View { return table(d.Build) })
}

// table is the view of a build as one row.
func table(b cmdutil.Build) ui.Table {
	return ui.Table{
		Columns: []ui.Column{
			{Header: "Version"}, {Header: "Commit"}, {Header: "Date"}, {Header: "Go"}, {Header: "OS"}, {Header: "Arch"},
		},
		Rows: [][]ui.Cell{{
			ui.Text(b.Version), ui.Optional(b.Commit), ui.Optional(b.Date), ui.Text(b.Go), ui.Text(b.OS), ui.Text(b.Arch),
		}},
	}
}

func line(b cmdutil.Build) string {
	details := []string{b.Commit, b.Date, b.Go, b.OS + "/" + b.Arch}
	details = slices.DeleteFunc(details, func(detail string) bool { return detail == "" })
	return "payctl " + b.Version + " (" + strings.Join(details, ", ") + ")"
}
