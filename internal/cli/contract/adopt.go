package contract

import (
	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/cmdutil"
)

func newAdopt(_ *cmdutil.Deps) *cobra.Command { return &cobra.Command{Use: "adopt"} }
