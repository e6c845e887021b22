// Package kyc has the commands of `payctl kyc`: list, get, watch and submit.
package kyc

import (
	"fmt"
	"slices"
	"strings"

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

// The fields that the live view shows apart from the others.
const (
	accountLabel = "Account"
	statusLabel  = "Status"
	turnLabel    = "Turn"
	nextLabel    = "To do"
)

// details shows everything about an identity check.
func details(k payments.KYC) ui.Details {
	return slices.Concat(
		ui.Details{
			{Label: accountLabel, Cells: []ui.Cell{ui.Toned(ui.Bold, k.AccountID)}},
			{Label: statusLabel, Cells: []ui.Cell{cmdutil.KYCStatus(k.Status)}},
			{Label: turnLabel, Cells: []ui.Cell{cmdutil.Turn(k.Status.Turn())}},
		},
		cmdutil.Field("Reasons", reasons(k)...),
		cmdutil.Field("Required", requirements(k)...),
		cmdutil.Field(nextLabel, nextSteps(k)...),
		cmdutil.Field("Complete it at", cmdutil.Text(k.VerificationURL)),
		cmdutil.Field("Level", k.Level),
		cmdutil.Field("Submitted", cmdutil.OptionalTime(k.SubmittedAt)),
		cmdutil.Field("Reviewed", cmdutil.OptionalTime(k.ReviewedAt)),
		cmdutil.Field("Valid until", cmdutil.OptionalTime(k.ExpiresAt)),
		cmdutil.Field("Changed", cmdutil.Time(k.UpdatedAt)),
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

// nextSteps returns the commands that submit what is required, or why there is nothing to do.
func nextSteps(k payments.KYC) []string {
	var lines []string
	for _, r := range k.Open() {
		line := "payctl kyc submit --field NAME=VALUE -- ACCOUNT"
		if isDocument(r) {
			line = "payctl kyc submit --file NAME=PATH -- ACCOUNT"
		}
		lines = append(lines, shell.Hint(line, shell.Values{
			"ACCOUNT": k.AccountID, "NAME=VALUE": r.Name + "=VALUE", "NAME=PATH": r.Name + "=PATH",
		}))
	}
	switch {
	case len(lines) > 0 && k.Attempt > 0 && k.Status != payments.KYCStatusExpired: // which resets the count
		lines = append(lines, fmt.Sprintf("submitted %d of %d times", k.Attempt, payments.MaxKYCAttempts))
	case len(lines) > 0:
	case k.Status.Final():
		lines = []string{"nothing: this is final"}
	case k.Status == payments.KYCStatusPending:
		lines = []string{"nothing: the check is running"}
	case k.Status == payments.KYCStatusUnderReview:
		lines = []string{"nothing: a reviewer at the service decides it"}
	case k.Status == payments.KYCStatusPaused:
		lines = []string{"nothing: the service has paused the account"}
	}
	return lines
}

// isDocument reports whether a requirement is for a document. The contract does not say which are.
func isDocument(r payments.KYCRequirement) bool { return strings.Contains(r.Name, "document") }

func requirements(k payments.KYC) []string {
	var lines []string
	for _, r := range k.Requirements {
		line := r.Name + ", " + r.Status
		if r.Deadline != nil {
			line += ", by " + cmdutil.Time(*r.Deadline)
		}
		lines = append(lines, line)
	}
	return lines
}
