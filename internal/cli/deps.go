package cli

import (
	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/api"
	"github.com/payctl/payctl/internal/cli/auth"
	"github.com/payctl/payctl/internal/cli/contract"
	"github.com/payctl/payctl/internal/cli/doctor"
	"github.com/payctl/payctl/internal/cli/invocation"
	"github.com/payctl/payctl/internal/cli/ping"
)

// Deps are what the command line is made of: what all commands are given, and what single ones are given besides.
type Deps struct {
	*invocation.Deps
	Auth     auth.Deps
	Contract contract.Deps
	API      api.Deps
	Ping     ping.Deps
	Examine  doctor.Examine
	// Serve makes the command that runs the reference service.
	Serve func() *cobra.Command
	// Args are the arguments of the program.
	Args []string
}
