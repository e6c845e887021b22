// Package contract holds the commands of payctl contract.
package contract

import (
	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/cmdutil"
)

// New returns the command payctl contract.
func New(d *cmdutil.Deps) *cobra.Command {
	return cmdutil.Group("contract", "Show the contract, and how a service differs from it",
		newShow(d), newDiff(d), newAdopt(d), newVerify(d))
}
