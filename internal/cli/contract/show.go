// Package contract holds the commands of payctl contract.
package contract

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/exit"
	"github.com/payctl/payctl/internal/cli/invocation"
	"github.com/payctl/payctl/internal/cli/resource"
	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/contract/dialect"
	"github.com/payctl/payctl/internal/contract/diff"
	"github.com/payctl/payctl/internal/contract/verify"
	"github.com/payctl/payctl/internal/ui"
)

// Deps are what the commands of the contract are given.
type Deps struct {
	*invocation.Deps
	// Verify checks whether the service keeps the contract, with writes by changing things too. Note receives each check.
	Verify func(ctx context.Context, writes bool, note func(verify.Check)) error
	// Terms are how the settings' service differs from the contract.
	Terms func() (dialect.Differences, error)
	// Document reads the OpenAPI document at a URL or at a place below it, and returns where it was; with an empty URL, that
	// of the settings' service. No credential is sent.
	Document func(ctx context.Context, url string) (document *diff.Document, at string, err error)
}

// New returns the command payctl contract.
func New(d *Deps) *cobra.Command {
	return invocation.Group("contract", "Show the contract, and how a service differs from it",
		newShow(d), newDiff(d), newAdopt(d), newVerify(d))
}

func newShow(d *Deps) *cobra.Command {
	return invocation.Local(&cobra.Command{
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

func showOperations(ctx context.Context, d *Deps) error {
	printer, err := d.Printer(ctx)
	if err != nil {
		return err
	}
	terms, err := d.Terms()
	if err != nil {
		return err
	}
	var all []operation
	for _, op := range contract.Operations {
		at, isMapped := terms.Route(op)
		all = append(all, operation{op.ID, at.Method, at.Path, op.Origin, isMapped, op.Summary, op.Use().Commands})
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

func showSource(ctx context.Context, d *Deps, name string) error {
	printer, err := d.Printer(ctx)
	if err != nil {
		return err
	}
	source := contract.Source(name)
	if op := contract.Find(name); op != nil {
		source = "# " + op.Path + "\n" + source
	}
	if source == "" {
		var known []string
		for _, op := range contract.Operations {
			known = append(known, op.ID)
		}
		return exit.CheckValue("payctl contract show", name, known)
	}
	return d.PrintText(printer, "source", strings.TrimSpace(source), ui.SanitizeLines)
}
