// Package kyc is `payctl kyc`.
package kyc

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/deps"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/term"
)

// New returns the command.
func New(d *deps.Deps) *cobra.Command {
	return deps.Group("kyc", "Follow identity checks", newGet(d), newWatch(d), newSubmit(d))
}

const statusLabel = "Status"

// details tells the whole story of an identity check.
func details(k payments.KYC) term.Details {
	view := term.Details{
		{Label: "Account", Cells: []term.Cell{term.Toned(term.Bold, k.AccountID)}},
		{Label: statusLabel, Cells: []term.Cell{deps.KYCStatus(k.Status)}},
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
	add("To do", mending(k)...)
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
		line := r.Text()
		if r.Field != "" {
			line += ", about " + r.Field
		}
		lines = append(lines, line)
	}
	return lines
}

// mending says how the check comes on from its state.
func mending(k payments.KYC) []string {
	var lines []string
	for _, r := range k.Requirements {
		if r.Status == "open" {
			flag, value := " --field ", "=VALUE"
			if strings.Contains(r.Name, "document") {
				flag, value = " --file ", "=PATH"
			}
			lines = append(lines, "payctl kyc submit "+quoted(k.AccountID)+flag+quoted(r.Name)+value)
		}
	}
	switch {
	case len(lines) > 0 && k.Attempt > 0 && k.Status != payments.KYCStatusExpired: // after which they are counted anew
		lines = append(lines, fmt.Sprintf("submitted %d of %d times", k.Attempt, payments.MaxKYCAttempts))
	case len(lines) > 0:
	case k.Status.Final():
		lines = []string{"nothing: this is final"}
	case k.Status == payments.KYCStatusPending:
		lines = []string{"nothing: the verdict comes by itself"}
	case k.Status == payments.KYCStatusUnderReview:
		lines = []string{"nothing: a person at the service is looking at it"}
	case k.Status == payments.KYCStatusPaused:
		lines = []string{"nothing here: the service has paused the account"}
	}
	return lines
}

// quoted makes foreign text one word of a command line that somebody may copy.
func quoted(word string) string {
	plain := func(c rune) bool {
		return c < utf8.RuneSelf && (unicode.IsLetter(c) || unicode.IsDigit(c) || strings.ContainsRune("_-.", c))
	}
	if word != "" && !strings.ContainsFunc(word, func(c rune) bool { return !plain(c) }) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
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
