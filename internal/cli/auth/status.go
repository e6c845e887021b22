package auth

import (
	"cmp"
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/auth"
	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/ui"
)

func newStatus(d *cmdutil.Deps, c Credentials) *cobra.Command {
	return &cobra.Command{
		Use:   "status",
		Short: "Show which credentials are used and whether they work",
		Example: `  payctl auth status
  payctl auth status -o json | jq -r .state`,
		RunE: func(cmd *cobra.Command, _ []string) error { return status(cmd.Context(), d, c) },
	}
}

func status(ctx context.Context, d *cmdutil.Deps, c Credentials) error {
	if d.Options.Curl {
		return c.showCall(func(tokens payments.Tokens) error {
			_, err := tokens.DescribeAccessToken(ctx, placeholder)
			return err
		})
	}
	printer, err := d.Printer(ctx)
	if err != nil {
		return err
	}
	session, err := c.Session()
	if err != nil {
		return err
	}
	s := session.Status(ctx)
	next := d.NextStep(s.Next)
	shown := struct {
		auth.Status
		Next string `json:"next,omitempty"`
	}{s, next}
	err = printer.Print(shown, func() ui.Details {
		tone := ui.Bad
		switch s.State {
		case "ok":
			tone = ui.Good
		case "unknown", "unverified":
			tone = ui.Warn
		}
		field := func(label, text string) ui.Field {
			return ui.Field{Label: label, Cells: []ui.Cell{ui.Text(cmp.Or(text, "-"))}}
		}
		return ui.Details{
			field("Profile", s.Profile), field("Origin", s.Origin), field("Source", strings.TrimSpace(s.Source+" "+s.Store)),
			field("Client id", s.ClientID), {Label: "State", Cells: []ui.Cell{ui.Toned(tone, s.State)}},
			field("Expires", cmdutil.OptionalTime(s.ExpiresAt)),
			field("Renews itself", map[bool]string{true: "yes", false: "no"}[s.Renewable]), field("Scopes", s.Scope),
		}
	})
	if err != nil || s.State == "ok" {
		return err
	}
	if s.State == "unverified" {
		d.Notef("%s", payments.Sentence(next))
		return nil
	}
	unusable := &cmdutil.Error{
		Code: cmdutil.ExitCredential, ProblemType: "credential-" + s.State,
		Title: "There is no usable credential.", Detail: "the credentials are " + s.State,
	}
	if s.Reason != "" {
		unusable.Detail += ": " + s.Reason
	}
	return unusable.WithHint(s.Next)
}
