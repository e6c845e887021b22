// Package accounts is `payctl accounts`.
package accounts

import (
	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/payments"
)

// New returns the command.
func New(d *cmdutil.Deps) *cobra.Command {
	return cmdutil.Group("accounts", "Create, change and read accounts", newCreate(d), newImport(d), newGet(d), newList(d),
		newUpdate(d))
}

// shown is the account with its personal data masked, unless pii is set.
func shown(a payments.Account, pii bool) payments.Account {
	if pii {
		return a
	}
	return a.Masked()
}
