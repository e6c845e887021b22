// Package version is `payctl version`.
package version

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/deps"
	"github.com/payctl/payctl/internal/term"
)

// New returns the command.
func New(d *deps.Deps) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Tell which build of the program this is",
		Example: `  payctl version
  payctl version -o json | jq -r .version`,
		Args: deps.Args(),
		RunE: func(cmd *cobra.Command, _ []string) error { return Run(cmd.Context(), d) },
	}
}

// Run tells the version. It works with a broken configuration, too: a report of what is broken begins with the version.
func Run(ctx context.Context, d *deps.Deps) error {
	printer, err := d.PrinterAnyway(ctx)
	if err != nil {
		return err
	}
	if printer.Format() == term.FormatTable {
		_, err := fmt.Fprintln(d.Out, line(d.Build))
		return err
	}
	return printer.Print(d.Build, func() term.View {
		return term.Table{
			Columns: []term.Column{{Header: "Version"}, {Header: "Commit"}, {Header: "Date"}, {Header: "Go"}, {Header: "OS"}, {Header: "Arch"}},
			Rows: [][]term.Cell{{term.Text(d.Build.Version), term.Optional(d.Build.Commit), term.Optional(d.Build.Date),
				term.Text(d.Build.Go), term.Text(d.Build.OS), term.Text(d.Build.Arch)}},
		}
	})
}

func line(b deps.Build) string {
	details := []string{}
	for _, detail := range []string{b.Commit, b.Date, b.Go, b.OS + "/" + b.Arch} {
		if detail != "" {
			details = append(details, detail)
		}
	}
	return "payctl " + b.Version + " (" + strings.Join(details, ", ") + ")"
}
