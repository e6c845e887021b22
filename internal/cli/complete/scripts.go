package complete

import (
	"embed"
	"io"
	"strings"

	"github.com/spf13/cobra"
)

//go:embed shells
var shells embed.FS

// Scripts has the command that writes completion scripts, which cobra makes, write ours for bash, zsh and fish. Cobra's own put
// the words of the line together and evaluate them again: a TAB ran what stood in quotes, and wrote to the files behind a >,
// which every route has. The one of PowerShell is cobra's.
func Scripts(completion *cobra.Command) {
	for _, cmd := range completion.Commands() {
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
