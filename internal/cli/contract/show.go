// Package contract holds the commands of payctl contract.
package contract

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/cli/resource"
	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/contract/servicemap"
	"github.com/payctl/payctl/internal/ui"
)

// New returns the command payctl contract.
func New(d *cmdutil.Deps) *cobra.Command {
	return cmdutil.Group("contract", "Show the contract, and how a service differs from it",
		newShow(d), newDiff(d), newAdopt(d), newVerify(d))
}

func newShow(d *cmdutil.Deps) *cobra.Command {
	return cmdutil.Local(&cobra.Command{
		Use:   "show [OPERATION|SCHEMA]",
		Short: "Show what is published and what is assumed",
		Long: `List the operations of the contract: where the profile has them, whether they are published or an
assumption of payctl, and which commands use them. With the name of an operation, or of a schema such
as Transfer, print what the contract says of it, with its examples; x-origin tells what is published.
The service is not asked.`,
		Example: `  payctl contract show
  payctl contract show createAutoTransfer
  payctl contract show Transfer`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return showOperations(cmd.Context(), d)
			}
			return showSource(cmd.Context(), d, args[0])
		},
	})
}

// An operation is a row of the list.
type operation struct {
	ID       string `json:"id"`
	Method   string `json:"method"`
	Path     string `json:"path"`
	Origin   string `json:"origin"`
	IsMapped bool   `json:"mapped"` // a profile says where it is
	Summary  string `json:"summary"`
	Commands string `json:"commands,omitempty"`
}

func showOperations(ctx context.Context, d *cmdutil.Deps) error {
	printer, err := d.Printer(ctx)
	if err != nil {
		return err
	}
	resolved, err := d.Settings()
	if err != nil {
		return err
	}
	var all []operation
	for _, op := range contract.Operations {
		at, isMapped := resolved.ServiceMap.Route(op)
		all = append(all, operation{op.ID, cmp.Or(at.Method, "none"), at.Path, op.Origin, isMapped, op.Summary,
			op.Use().Commands})
	}
	return operationTable.Print(printer, all, "")
}

var operationTable = resource.Table[operation]{
	{Column: ui.Column{Header: "Operation", Name: "id"}},
	{Column: ui.Column{Header: "Method"}}, {Column: ui.Column{Header: "Path"}},
	{Column: ui.Column{Header: "Origin"}, Cell: func(o operation) ui.Cell {
		return ui.Toned(map[string]ui.Tone{contract.Published: ui.Good}[o.Origin], o.Origin)
	}},
	{Column: ui.Column{Header: "Commands"}}, {Column: ui.Column{Header: "Summary"}},
}

func showSource(ctx context.Context, d *cmdutil.Deps, name string) error {
	printer, err := d.Printer(ctx)
	if err != nil {
		return err
	}
	source := contract.Source(name)
	if op := contract.Find(name); op != nil {
		source = "# " + op.Path + "\n" + source
		if kind := op.Resource().Name; slices.Contains(servicemap.MappedResources, kind) {
			source = fmt.Sprintf("# In a profile: operations.%s, and members.%s.NAME of the members below\n", op.ID, kind) +
				source
		}
	}
	if source == "" {
		var known []string
		for _, op := range contract.Operations {
			known = append(known, op.ID)
		}
		return cmdutil.CheckValue("payctl contract show", name, known)
	}
	return d.PrintText(printer, "source", strings.TrimSpace(source), ui.SanitizeLines)
}
