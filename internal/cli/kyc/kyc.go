// Package kyc is `payctl kyc`.
package kyc

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/deps"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/term"
)

// New returns the command.
func New(d *deps.Deps) *cobra.Command {
	return deps.Group("kyc", "Follow identity checks", newGet(d), newWatch(d))
}

// details tells the whole story of an identity check.
func details(k payments.KYC) term.Details {
	view := term.Details{
		{Label: "Account", Cells: []term.Cell{term.Toned(term.Bold, k.AccountID)}},
		{Label: "Status", Cells: []term.Cell{deps.KYCStatus(k.Status)}},
	}
	add := func(label string, lines ...string) {
		cells := make([]term.Cell, 0, len(lines))
		for _, line := range lines {
			cells = append(cells, term.Text(line))
		}
		if len(cells) > 0 {
			view = append(view, term.Field{Label: label, Cells: cells})
		}
	}
	add("Reasons", reasons(k)...)
	add("Wanted", requirements(k)...)
	if k.VerificationURL != nil {
		add("Complete it at", *k.VerificationURL)
	}
	add("Level", k.Level)
	if k.SubmittedAt != nil {
		add("Submitted", deps.Time(*k.SubmittedAt))
	}
	if k.ReviewedAt != nil {
		add("Reviewed", deps.Time(*k.ReviewedAt))
	}
	if k.ExpiresAt != nil {
		add("Valid until", deps.Time(*k.ExpiresAt))
	}
	add("Changed", deps.Time(k.UpdatedAt))
	return view
}

// reasons are the reasons in words, each with its code.
func reasons(k payments.KYC) []string {
	var lines []string
	for _, r := range k.Reasons {
		lines = append(lines, strings.TrimSpace(r.Message+" ("+r.Code+")"))
	}
	return lines
}

func requirements(k payments.KYC) []string {
	var lines []string
	for _, r := range k.Requirements {
		line := r.Name + ", " + r.Status
		if r.Deadline != nil {
			line += ", by " + deps.Time(*r.Deadline)
		}
		lines = append(lines, line)
	}
	return lines
}
