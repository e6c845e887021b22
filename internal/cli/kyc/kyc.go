// Package kyc has the commands of `payctl kyc`: list, get, watch and submit.
package kyc

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/payctl/payctl/internal/ui/live"

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

// next says what comes next and by when, and who does it.
func next(k payments.KYC, now time.Time) ui.Cell {
	say := func(tone ui.Tone, format string, args ...any) ui.Cell {
		return ui.Toned(tone, fmt.Sprintf(format, args...))
	}
	switch {
	case k.Status.TakesSubmission():
		return say(ui.Applicant, "%s", nextSubmission(k, now))
	case k.Status == payments.KYCStatusNotStarted:
		return say(ui.Provider, "The service begins the check.")
	case k.Status == payments.KYCStatusPending:
		return say(ui.Provider, "The service decides, or passes the check on to a reviewer.")
	case k.Status == payments.KYCStatusUnderReview && k.Attempt >= payments.MaxKYCAttempts:
		return say(ui.Reviewer, "A reviewer decides: approved or rejected. No further attempt is left.")
	case k.Status == payments.KYCStatusUnderReview:
		return say(ui.Reviewer, "A reviewer decides: approved, rejected or another submission.")
	case k.Status == payments.KYCStatusPaused:
		return say(ui.Reviewer, "A reviewer lifts the pause or closes the account.")
	case k.Status == payments.KYCStatusApproved && k.ExpiresAt != nil:
		on := k.ExpiresAt.In(now.Location()).Format(time.DateOnly)
		return say(ui.Good, "Nothing. The approval expires on %s (%s).", on, live.Left(*k.ExpiresAt, now))
	case k.Status == payments.KYCStatusApproved:
		return say(ui.Good, "Nothing.")
	case k.Status.Final():
		return say(ui.Plain, "Nothing: %s is final.", k.Status)
	}
	return say(ui.Plain, "This payctl does not know the status %s.", k.Status)
}

// nextSubmission says what the applicant submits, by when and for which time.
func nextSubmission(k payments.KYC, now time.Time) string {
	names := []string{"what is missing"}
	if open := k.Open(); len(open) > 0 {
		names = nil
		for _, r := range open {
			names = append(names, r.Name)
		}
	}
	text := "The applicant submits " + strings.Join(names, " and ")
	if by := k.Deadline(); !by.IsZero() {
		text += fmt.Sprintf(" by %s (%s)", cmdutil.TimeIn(by, now.Location()), live.Left(by, now))
	}
	attempt := k.Attempt + 1
	if k.Status == payments.KYCStatusExpired { // which resets the count
		attempt = 1
	}
	return fmt.Sprintf("%s, attempt %d of %d.", text, attempt, max(attempt, payments.MaxKYCAttempts))
}
