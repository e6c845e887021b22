// Package kyc has the commands of `payctl kyc`: list, get, watch and submit.
package kyc

import (
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/shell"
	"github.com/payctl/payctl/internal/ui"
)

// New returns the command.
func New(d *cmdutil.Deps) *cobra.Command {
	return cmdutil.Group("kyc", "Follow identity checks", newList(d), newGet(d), newWatch(d), newSubmit(d))
}

// Details shows everything about an identity check. The first four fields are what decides what to do.
func Details(k payments.KYC, now time.Time) ui.Details {
	return slices.Concat(
		ui.Details{
			{Label: "Account", Cells: []ui.Cell{ui.Toned(ui.Bold, k.AccountID)}},
			{Label: "Status", Cells: []ui.Cell{cmdutil.KYCStatus(k.Status)}},
			{Label: "Turn", Cells: []ui.Cell{cmdutil.Turn(k.Status.Turn())}},
			{Label: "Next", Cells: []ui.Cell{next(k, now)}},
		},
		cmdutil.Field("Reasons", reasons(k)...),
		cmdutil.Field("Required", requirements(k, now.Location())...),
		cmdutil.Field("To do", commands(k)...),
		cmdutil.Field("Complete it at", cmdutil.Text(k.VerificationURL)),
		cmdutil.Field("Level", k.Level),
		cmdutil.InZone(slices.Concat(
			cmdutil.TimeField("Submitted", k.SubmittedAt), cmdutil.TimeField("Reviewed", k.ReviewedAt),
			cmdutil.TimeField("Valid until", k.ExpiresAt), cmdutil.TimeField("Changed", &k.UpdatedAt),
		), now.Location()),
	)
}

// reasons returns the reasons in words, each with the field that it concerns.
func reasons(k payments.KYC) []string {
	var lines []string
	for _, r := range k.Reasons {
		line := r.Text()
		if r.Field != "" {
			line += ", about " + r.Field
		}
		lines = append(lines, line)
	}
	return lines
}

// commands are those that submit what is required.
func commands(k payments.KYC) (lines []string) {
	for _, r := range k.Open() {
		value := "VALUE"
		if isDocument(r) {
			value = "@PATH"
		}
		lines = append(lines, shell.Payctl("kyc submit --field", r.Name+"="+value, "--", k.AccountID).String())
	}
	return lines
}

// isDocument reports whether a requirement is for a document. The contract does not say which are.
func isDocument(r payments.KYCRequirement) bool { return strings.Contains(r.Name, "document") }

func requirements(k payments.KYC, zone *time.Location) []string {
	var lines []string
	for _, r := range k.Requirements {
		line := r.Name + ", " + r.Status
		if r.Deadline != nil {
			line += ", by " + cmdutil.TimeIn(*r.Deadline, zone)
		}
		lines = append(lines, line)
	}
	return lines
}
