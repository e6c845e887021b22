package profile

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/settings"
	"github.com/payctl/payctl/internal/shell"
	"github.com/payctl/payctl/internal/ui"
)

func newGet(d *cmdutil.Deps) *cobra.Command {
	return &cobra.Command{
		Use:   "get PROFILE KEY",
		Short: "Print one value of a profile",
		Long: `Print one value of a profile alone, for a script: its own value, or else the default. Flags and
environment do not count; payctl profile show has what a command uses. The exit code is 5 if there
is no value.`,
		Example: `  payctl profile get production base_url
  payctl profile get production operations.getKycStatus`,
		Args: cmdutil.Args("PROFILE", "KEY"),
		RunE: func(cmd *cobra.Command, args []string) error { return get(cmd.Context(), d, args[0], args[1]) },
	}
}

func get(ctx context.Context, d *cmdutil.Deps, name, key string) error {
	file, err := d.Config()
	if err != nil {
		return err
	}
	printer, err := d.PrinterAnyway(ctx)
	if err != nil {
		return err
	}
	value, err := file.Value(name, key)
	if errors.Is(err, settings.ErrNotSet) {
		unset := &cmdutil.Error{Code: cmdutil.ExitNotFound, Kind: "not-set", Title: "There is no value.", Detail: err.Error()}
		return unset.WithHint(shell.Hint("payctl profile show -- PROFILE   (what it has)", shell.Values{"PROFILE": name}))
	}
	if err != nil {
		return err
	}
	return d.PrintText(printer, key, value, ui.Sanitize)
}
