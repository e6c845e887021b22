package completion

import (
	"embed"
	"io"
	"strings"

	"github.com/spf13/cobra"
)

//go:embed shells
var shells embed.FS

// inBash is the help of `completion bash`. Ours asks for no other package; and the bash of macOS reads nothing from
// `source <(…)`, without a word.
const inBash = `Generate the autocompletion script for the bash shell, 3.2 or newer. The script depends on no other package.

To load completions in your current shell session:

	eval "$(payctl completion bash)"

To load completions for every new session, put that line into ~/.bashrc. Or, where the package bash-completion is installed,
execute once:

#### Linux:

	payctl completion bash > /etc/bash_completion.d/payctl

#### macOS:

	payctl completion bash > $(brew --prefix)/etc/bash_completion.d/payctl

You will need to start a new shell for this setup to take effect.`

// Scripts has the command that writes completion scripts, which cobra makes, write ours for bash, zsh and fish. Cobra's own put
// the words of the line together and evaluate them again: a TAB ran what stood in quotes, and wrote to the files behind a >,
// which every route has. The one of PowerShell is cobra's.
func Scripts(completion *cobra.Command) {
	for _, cmd := range completion.Commands() {
		if cmd.Name() == "bash" {
			cmd.Long = inBash
		}
		cobras := cmd.RunE
		cmd.RunE = func(cmd *cobra.Command, args []string) error {
			script, err := shells.ReadFile("shells/payctl." + cmd.Name())
			if err != nil {
				return cobras(cmd, args)
			}
			text := string(script)
			if bare, _ := cmd.Flags().GetBool("no-descriptions"); bare {
				text = strings.ReplaceAll(text, " "+cobra.ShellCompRequestCmd+" ", " "+cobra.ShellCompNoDescRequestCmd+" ")
			}
			_, err = io.WriteString(cmd.OutOrStdout(), text)
			return err
		}
	}
}
