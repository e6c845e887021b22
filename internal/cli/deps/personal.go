package deps

import "github.com/spf13/cobra"

// AddShowPII adds --show-pii, without which personal data is masked, in the log of -v too.
func AddShowPII(d *Deps, cmd *cobra.Command, show *bool) {
	others := d.ShowPersonal
	d.ShowPersonal = func() bool { return *show || others != nil && others() }
	cmd.Flags().BoolVar(show, "show-pii", false, "show personal data such as names and e-mail addresses in full")
}

// Text is a text that may be missing; empty where it is.
func Text(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}
