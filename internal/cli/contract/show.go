package contract

import (
	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/cmdutil"
)

func newShow(_ *cmdutil.Deps) *cobra.Command { return &cobra.Command{Use: "show"} }
