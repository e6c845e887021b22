// Package profile is `payctl profile`.
package profile

import (
	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/deps"
)

// New returns the command.
func New(d *deps.Deps) *cobra.Command {
	cmd := deps.Group("profile", "Keep the settings of the services that you use",
		newList(d), newShow(d), newSet(d), newUse(d), newRemove(d))
	cmd.Aliases = []string{"config"}
	return cmd
}
