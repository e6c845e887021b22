package contract

import (
	"cmp"
	"context"
	"encoding/json"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/contract/diff"
	"github.com/payctl/payctl/internal/suggest"
	"github.com/payctl/payctl/internal/ui"
)

func newShow(d *cmdutil.Deps) *cobra.Command {
	return cmdutil.Local(&cobra.Command{
		Use:   "show [OPERATION|SCHEMA]",
		Short: "Show what is published and what is assumed",
		Long: `List the operations of the contract: where the profile has them, which are published, which are
assumptions of payctl, and which commands use them. With the name of an operation, list the members of
its request and response; with that of a schema, such as Transfer, list its members. The service is
not asked.`,
		Example: `  payctl contract show
  payctl contract show createAutoTransfer
  payctl contract show Transfer -o json`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return nil
			}
			return cmdutil.Args("OPERATION")(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return showOperations(cmd.Context(), d)
			}
			return showMembers(cmd.Context(), d, args[0])
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
	terms, err := d.Terms()
	if err != nil {
		return err
	}
	all := []operation{}
	table := ui.Table{Columns: []ui.Column{
		{Header: "Operation", Name: "id"}, {Header: "Method"}, {Header: "Path"}, {Header: "Origin"}, {Header: "Commands"}, {Header: "Summary"},
	}}
	for _, op := range contract.Operations {
		at, isMapped := terms.Route(op)
		o := operation{op.ID, at.Method, at.Path, op.Origin, isMapped, op.Summary, diff.Commands[op.ID]}
		if op.IsSandbox() {
			o.Commands = "sandbox"
		}
		all = append(all, o)
		table.Rows = append(table.Rows, []ui.Cell{
			ui.Text(o.ID), ui.Text(o.Method), ui.Text(o.Path), origin(o.Origin), ui.Optional(o.Commands), ui.Text(o.Summary),
		})
	}
	return printer.Print(all, func() ui.View { return table })
}

func origin(text string) ui.Cell {
	if text == contract.Published {
		return ui.Toned(ui.Good, text)
	}
	return ui.Optional(text)
}

func showMembers(ctx context.Context, d *cmdutil.Deps, name string) error {
	printer, err := d.Printer(ctx)
	if err != nil {
		return err
	}
	members := diff.Describe(name)
	op := contract.Find(name)
	if len(members) == 0 && op == nil {
		var known []string
		for _, op := range contract.Operations {
			known = append(known, op.ID)
		}
		hint := "payctl contract show lists the operations; docs/CONTRACT.md lists the schemas"
		if guess := suggest.Guess(name, known); guess != "" {
			hint = "payctl contract show " + guess
		}
		return cmdutil.Usage("the contract has no operation and no schema %q", name).WithHint(hint)
	}
	if op != nil {
		d.Notef("%s: %s %s, %s. %s.", op.ID, op.Method, op.Path, op.Origin, op.Summary)
	}
	table := ui.Table{Empty: "It has no JSON.", Columns: []ui.Column{
		{Header: "In"}, {Header: "Member", Name: "name"}, {Header: "Type"}, {Header: "Required"}, {Header: "Origin"}, {Header: "Example"},
		{Header: "Description"},
	}}
	for _, m := range members {
		example, _ := json.Marshal(m.Example)
		if text, ok := m.Example.(string); ok || m.Example == nil {
			example = []byte(text)
		}
		required := ""
		if m.Required {
			required = "required"
		}
		table.Rows = append(table.Rows, []ui.Cell{
			ui.Text(m.In), ui.Text(m.Name), ui.Text(cmp.Or(m.Type, "any")), ui.Optional(required), origin(m.Origin), ui.Optional(string(example)),
			ui.Text(m.Description),
		})
	}
	return printer.Print(members, func() ui.View { return table })
}
