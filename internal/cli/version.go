package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/ui"
)

// newVersion returns `payctl version`.
func newVersion(d *cmdutil.Deps) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Show which build of the program this is",
		Long:  "Show which build of the program this is. Nothing is sent.",
		Example: `  payctl version
  payctl version -o json | jq -r .version`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			// It works with a broken configuration too, since every bug report begins with the version.
			printer, err := d.PrinterAnyway(cmd.Context())
			if err == nil && printer.Format() == ui.FormatTable {
				_, err = fmt.Fprintln(d.Out, versionLine(d.Build))
			} else if err == nil {
				err = printer.Print(d.Build, nil)
			}
			return err
		},
	}
}

func versionLine(b cmdutil.Build) string {
	details := slices.DeleteFunc([]string{b.Commit, b.Date, b.Go, b.OS + "/" + b.Arch},
		func(s string) bool { return s == "" })
	return fmt.Sprintf("payctl %s (%s)", b.Version, strings.Join(details, ", "))
}
