package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/cli/resource"
	"github.com/payctl/payctl/internal/settings"
	"github.com/payctl/payctl/internal/shell"
	"github.com/payctl/payctl/internal/ui"
)

// newProfile returns `payctl profile`.
func newProfile(d *cmdutil.Deps) *cobra.Command {
	cmd := cmdutil.Group("profile", "Manage the settings of the services that you use",
		newProfileList(d), newProfileShow(d), newProfileSet(d), newProfileUse(d), newProfileRemove(d))
	cmd.Aliases = []string{"config"}
	return cmd
}

// withProfiles calls a function with the configuration file and a printer. The printer comes first: a mistake in the
// output's format is found before anything is changed.
func withProfiles(
	d *cmdutil.Deps, use func(cmd *cobra.Command, file *settings.File, printer *ui.Printer, args []string) error,
) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		file, err := d.Config()
		if err != nil {
			return err
		}
		printer, err := d.PrinterAnyway(cmd.Context())
		if err != nil {
			return err
		}
		return use(cmd, file, printer, args)
	}
}

type profileSummary struct {
	Name     string `json:"name"`
	BaseURL  string `json:"baseUrl"`
	ClientID string `json:"clientId,omitempty"`
	Current  bool   `json:"current"`
}

var profileTable = resource.Table[profileSummary]{
	{Column: ui.Column{Header: "Profile", Name: "name"}},
	{Column: ui.Column{Header: "Base URL", Name: "baseUrl"}},
	{Column: ui.Column{Header: "Client id", Name: "clientId"}},
	{
		Column: ui.Column{Header: "Current"},
		Cell: func(p profileSummary) ui.Cell {
			return ui.Toned(ui.Good, map[bool]string{true: "current"}[p.Current])
		},
	},
}

var settingTable = resource.Table[settings.Entry]{
	{Column: ui.Column{Header: "Setting", Name: "key"}},
	{Column: ui.Column{Header: "Value"}},
	{Column: ui.Column{Header: "From", Name: "source"}},
}

func newProfileList(d *cmdutil.Deps) *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List the profiles", Example: "  payctl profile list",
		RunE: withProfiles(d, func(_ *cobra.Command, file *settings.File, printer *ui.Printer, _ []string) error {
			profiles := []profileSummary{}
			for _, name := range file.Profiles() {
				p := profileSummary{Name: name, Current: name == file.Current()}
				p.BaseURL, _ = file.Value(name, settings.KeyBaseURL) // empty where it has none
				p.ClientID, _ = file.Value(name, settings.KeyClientID)
				profiles = append(profiles, p)
			}
			return profileTable.Print(printer, profiles, "")
		}),
	}
}

func newProfileShow(d *cmdutil.Deps) *cobra.Command {
	return &cobra.Command{
		Use:   "show [PROFILE [KEY]]",
		Short: "Show the settings and where each value comes from",
		Long: `Show the settings that a command would use, and where each value comes from: a flag, the
environment, the profile or a default. With a PROFILE, show only that profile, without flags and
environment; with a KEY too, print its value.`,
		Example: `  payctl profile show
  payctl profile show production
  payctl profile get production base_url
  payctl profile show --base-url https://payments.example`,
		RunE: func(cmd *cobra.Command, args []string) error {
			entries, err := profileEntries(d, args)
			if err != nil {
				return err
			}
			printer, err := d.PrinterAnyway(cmd.Context())
			if err != nil {
				return err
			}
			if len(args) == 2 {
				at := slices.IndexFunc(entries, func(e settings.Entry) bool { return e.Key == args[1] })
				if at < 0 {
					return cmdutil.Usage("profile %s has no key %q", args[0], args[1]).
						WithHint(shell.Payctl("profile show --", args[0]))
				}
				return d.PrintText(printer, "value", entries[at].Value, ui.Sanitize)
			}
			return settingTable.Print(printer, entries, "")
		},
	}
}

func profileEntries(d *cmdutil.Deps, args []string) ([]settings.Entry, error) {
	if len(args) == 0 {
		resolved, err := d.Settings()
		return resolved.Entries(), err
	}
	file, err := d.Config()
	if err != nil {
		return nil, err
	}
	return file.ProfileEntries(args[0])
}

func newProfileSet(d *cmdutil.Deps) *cobra.Command {
	var keys strings.Builder
	for _, k := range settings.Keys() {
		if k.InProfile {
			fmt.Fprintf(&keys, "\n  %-22s  %s", k.Name+k.Below, strings.ReplaceAll(k.Help, "`", ""))
		}
	}
	return &cobra.Command{
		Use:   "set PROFILE KEY VALUE",
		Short: "Set a value of a profile, and create the profile if it is new",
		Long: `Set a value of a profile, and create the profile if it is new. An empty value removes the setting.
A value that describes the service is YAML on one line; payctl help operations has its form.

The keys:
` + keys.String(),
		Example: `  payctl profile set production base_url https://payments.example
  payctl profile set production operations.getKycStatus "GET /kyc/{accountId}/v2"
  payctl profile set production members.transfer.reference '{read: /remittance/text, send: /note}'`,
		RunE: withProfiles(d, func(_ *cobra.Command, file *settings.File, printer *ui.Printer, args []string) error {
			name, key, value := args[0], args[1], args[2]
			if err := file.Set(name, key, value); err != nil {
				return err
			}
			done := fmt.Sprintf("Set %s of the profile %s to %q.", key, name, value)
			if value == "" {
				done = fmt.Sprintf("Removed %s from the profile %s.", key, name)
			}
			if name != file.Current() {
				defer d.Hint(shell.Payctl("profile use --", name))
			}
			return d.Done(printer, map[string]string{"profile": name, "key": key, "value": value}, "%s", done)
		}),
	}
}

func newProfileUse(d *cmdutil.Deps) *cobra.Command {
	return &cobra.Command{
		Use: "use PROFILE", Short: "Make a profile the current one", Example: "  payctl profile use production",
		RunE: withProfiles(d, func(_ *cobra.Command, file *settings.File, printer *ui.Printer, args []string) error {
			name := args[0]
			if err := file.Use(name); err != nil {
				return err
			}
			if err := d.Done(printer, map[string]string{"current": name}, "Using the profile %s.", name); err != nil {
				return err
			}
			if other := d.Getenv(settings.EnvProfile); other != "" && other != name {
				d.Warnf("%s is set to %s, which wins.", settings.EnvProfile, other)
			}
			return nil
		}),
	}
}

func newProfileRemove(d *cmdutil.Deps) *cobra.Command {
	return &cobra.Command{
		Use:   "remove PROFILE",
		Short: "Remove a profile",
		Long: `Remove a profile. Removing the built-in profile local restores its built-in values. The profile's
login stays in the credential store: to delete that too, run payctl auth logout -p PROFILE first.`,
		Example: "  payctl profile remove old",
		RunE: withProfiles(d, func(cmd *cobra.Command, file *settings.File, printer *ui.Printer, args []string) error {
			name := args[0]
			if _, err := file.ProfileEntries(name); err != nil {
				return err
			}
			if d.InTTY && d.ErrTTY && !d.Options.Yes {
				if err := d.Confirmed(cmd.Context(), "Remove the profile "+name+"?"); err != nil {
					return err
				}
			}
			if err := file.Remove(name); err != nil {
				return err
			}
			return d.Done(printer, map[string]any{"profile": name, "removed": true}, "Removed the profile %s.", name)
		}),
	}
}
