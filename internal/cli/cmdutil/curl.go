package cmdutil

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/ui"
)

// annotationLocal marks commands that make no call to the service that the settings name.
const annotationLocal = "payctl:local"

// Local marks a command, and those below it, as making no call to the service.
func Local(cmd *cobra.Command) *cobra.Command {
	if cmd.Annotations == nil {
		cmd.Annotations = map[string]string{}
	}
	cmd.Annotations[annotationLocal] = "true"
	return cmd
}

// IsLocal reports whether a command makes no call to the service.
func IsLocal(cmd *cobra.Command) bool {
	for ; cmd != nil; cmd = cmd.Parent() {
		if cmd.Annotations[annotationLocal] != "" {
			return true
		}
	}
	return false
}

// PrintCurl prints the command line of a call: as it is, or in the format that -o asks for.
func (d *Deps) PrintCurl(line string) error {
	printer, err := d.Printer(context.Background()) // the context of the command has been ended by now
	if err != nil {
		return err
	}
	return d.PrintText(printer, "curl", line, ui.SanitizeLines)
}
