package auth

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/deps"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/term"
)

func newStatus(d *deps.Deps) *cobra.Command {
	return &cobra.Command{
		Use:   "status",
		Short: "Tell which credentials are used and whether they work",
		Example: `  payctl auth status
  payctl auth status -o json | jq -r .state`,
		Args: deps.Args(),
		RunE: func(cmd *cobra.Command, _ []string) error { return status(cmd.Context(), d) },
	}
}

func status(ctx context.Context, d *deps.Deps) error {
	if d.Options.Curl {
		return showTokenCall(d, func(tokens payments.Tokens) error {
			_, err := tokens.DescribeAccessToken(ctx, placeholder)
			return err
		})
	}
	session, err := d.Session()
	if err != nil {
		return err
	}
	s := session.Status(ctx)
	shown := s
	shown.Next = d.Addressed(s.Next)
	err = d.Print(ctx, shown, func() term.View {
		tone := term.Bad
		switch s.State {
		case "ok":
			tone = term.Good
		case "unknown":
			tone = term.Warn
		}
		return term.Details{
			{Label: "Profile", Cells: []term.Cell{term.Text(s.Profile)}},
			{Label: "Origin", Cells: []term.Cell{term.Text(s.Origin)}},
			{Label: "Source", Cells: []term.Cell{term.Text(strings.TrimSpace(s.Source + " " + s.Store))}},
			{Label: "Client id", Cells: []term.Cell{term.Text(deps.Or(s.ClientID))}},
			{Label: "State", Cells: []term.Cell{term.Toned(tone, s.State)}},
			{Label: "Expires", Cells: []term.Cell{term.Text(deps.TimeOr(s.ExpiresAt))}},
			{Label: "Renews itself", Cells: []term.Cell{term.Text(map[bool]string{true: "yes", false: "no"}[s.Renewable])}},
			{Label: "Scopes", Cells: []term.Cell{term.Text(deps.Or(s.Scope))}},
		}
	})
	if err != nil || s.State == "ok" {
		return err
	}
	return &deps.CredentialState{State: s.State, Reason: s.Reason, Next: s.Next}
}
