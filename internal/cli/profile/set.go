package profile

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/settings"
	"github.com/payctl/payctl/internal/shell"
)

func newSet(d *cmdutil.Deps) *cobra.Command {
	return &cobra.Command{
		Use:   "set PROFILE KEY VALUE",
		Short: "Set a value of a profile, and create the profile if it is new",
		Long: `Set a value of a profile, and create the profile if it is new. An empty value removes the setting.

The keys:

` + keyTable(),
		Example: `  payctl profile set production base_url https://payments.example
  payctl profile set production operations.getKycStatus "GET /kyc/{accountId}/v2"`,
		Args: cmdutil.Args("PROFILE", "KEY", cmdutil.Value),
		RunE: func(cmd *cobra.Command, args []string) error {
			return set(cmd.Context(), d, args[0], args[1], args[2])
		},
	}
}

func set(ctx context.Context, d *cmdutil.Deps, name, key, value string) error {
	file, printer, err := change(ctx, d, func(file *settings.File) error { return file.Set(name, key, value) })
	if err != nil {
		return err
	}
	result := struct {
		Profile string `json:"profile"`
		Key     string `json:"key"`
		Value   string `json:"value"`
	}{name, key, value}
	done := fmt.Sprintf("Set %s of the profile %s to %q.", key, name, value)
	if value == "" {
		done = fmt.Sprintf("Removed %s from the profile %s.", key, name)
	}
	if err := d.Done(printer, result, "%s", done); err != nil {
		return err
	}
	if name != file.Current() {
		d.Hint(shell.Hint("Next: payctl profile use -- PROFILE", shell.Values{"PROFILE": name}))
	}
	return nil
}

// keyTable lists the keys of a profile with what they mean.
func keyTable() string {
	var text strings.Builder
	for _, k := range settings.Keys() {
		name := k.Name
		if k.IsMapping {
			name += ".OPERATION"
		}
		if k.InProfile {
			fmt.Fprintf(&text, "  %-22s  %s\n", name, strings.ReplaceAll(k.Help, "`", ""))
		}
	}
	return strings.TrimRight(text.String(), "\n")
}
