package deps

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/term"
)

// annotationLocal marks commands that make no call to the service that the settings name.
const annotationLocal = "payctl:local"

// Local marks a command, and with it those below it, as one that makes no call to the service.
func Local(cmd *cobra.Command) *cobra.Command {
	if cmd.Annotations == nil {
		cmd.Annotations = map[string]string{}
	}
	cmd.Annotations[annotationLocal] = "true"
	return cmd
}

// IsLocal says whether a command makes no call to the service.
func IsLocal(cmd *cobra.Command) bool {
	for ; cmd != nil; cmd = cmd.Parent() {
		if cmd.Annotations[annotationLocal] != "" {
			return true
		}
	}
	return false
}

// RefuseCurl refuses --curl where there is no call to show, before the command does anything else.
func (d *Deps) RefuseCurl(cmd *cobra.Command) error {
	if d.Options.Curl && IsLocal(cmd) {
		return Usage("%s makes no call, so that --curl has none to show", cmd.CommandPath())
	}
	return nil
}

// A CommandLine is what --curl prints for programs.
type CommandLine struct {
	Curl string `json:"curl"`
}

// PrintCurl prints the command line of a call: as it is, or in the form that -o asks for.
func (d *Deps) PrintCurl(line string) error {
	printer, err := d.Printer(context.Background()) // whoever runs it has ended the command's own context
	if err != nil {
		return err
	}
	if printer.Format() == term.FormatTable {
		if d.OutTTY {
			line = term.SanitizeLines(line)
		}
		_, err := fmt.Fprintln(d.Out, line)
		return err
	}
	return printer.Print(CommandLine{line}, func() term.View {
		return term.Details{{Label: "curl", Cells: []term.Cell{term.Text(line)}}}
	})
}
