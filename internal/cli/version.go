package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

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
	details := slices.DeleteFunc([]string{b.Commit, b.Date, b.Go, b.OS + "/" + b.Arch}, func(s string) bool { return s == "" })
	if printer.Format() == ui.FormatTable {
		_, err := fmt.Fprintf(d.Out, "payctl %s (%s)\n", b.Version, strings.Join(details, ", "))
		return err
	}
	return printer.Print(b, func() ui.View { return ui.Details{} })
}
