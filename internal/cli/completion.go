package cli

import (
	"embed"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/cmdutil"
)

//go:embed shells
var shells embed.FS

const powershell = "powershell"

var shellNames = []string{"bash", "zsh", "fish", powershell}

// newCompletion returns `payctl completion`. For bash, zsh and fish the scripts are ours. Those of cobra evaluate
// the words of the line again: a TAB ran what stood in quotes, and wrote to the file behind a >, which every route has.
// The one of PowerShell is cobra's.
func newCompletion(*cmdutil.Deps) *cobra.Command {
	return cmdutil.Local(&cobra.Command{
		Use:   "completion SHELL",
		Short: "Print the completion script of bash, zsh, fish or powershell",
		Long: `Print the completion script of a shell: bash (3.2 or newer), zsh, fish or powershell.

bash: put eval "$(payctl completion bash)" into ~/.bashrc.
zsh: write the script to a file _payctl in a folder of $fpath, such as "${fpath[1]}/_payctl"; compinit
has to be loaded: autoload -U compinit && compinit.
fish: write the script to ~/.config/fish/completions/payctl.fish.
PowerShell: payctl completion powershell | Out-String | Invoke-Expression, in your profile.`,
		Example: `  eval "$(payctl completion bash)"
  payctl completion zsh > "${fpath[1]}/_payctl"
  payctl completion fish > ~/.config/fish/completions/payctl.fish`,
		ValidArgs: shellNames,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := cmdutil.CheckValue("completion", args[0], shellNames); err != nil {
				return err
			}
			if f := cmd.Flags(); f.Changed("output") || f.Changed("jq") {
				return cmdutil.Usage("a completion script has one form, which a shell reads: leave out -o and --jq")
			}
			if args[0] == powershell {
				return cmd.Root().GenPowerShellCompletionWithDesc(cmd.OutOrStdout())
			}
			script, err := shells.ReadFile("shells/payctl." + args[0])
			if err == nil {
				_, err = cmd.OutOrStdout().Write(script)
			}
			return err
		},
	})
}
