// Package auth is `payctl auth`.
package auth

import (
	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/deps"
)

// New returns the command.
func New(d *deps.Deps) *cobra.Command {
	return deps.Group("auth", "Log in and out", newLogin(d), newStatus(d), newToken(d), newRefresh(d), newLogout(d))
}
