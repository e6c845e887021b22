package kyc

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/cli/watchui"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/shell"
	"github.com/payctl/payctl/internal/ui"
)

// actions are what the live view can do with accounts.
func actions(d *cmdutil.Deps, service payments.Service) watchui.Actions {
	read := func(ctx context.Context, id string) (payments.KYC, error) {
		read, err := service.GetKYCStatus(ctx, id, payments.ReadOptions{})
		return read.Value, err
	}
	return watchui.Actions{
		FileName: "kyc",
		Read:     func(ctx context.Context, id string) (any, error) { return read(ctx, id) },
		Link:     func(check any) string { return cmdutil.Text(check.(payments.KYC).VerificationURL) },
		Email: func(ctx context.Context, id string) (string, error) {
			account, err := service.GetAccount(ctx, id, payments.ReadOptions{})
			return account.Value.Email, err
		},
		Command: func(id string) string {
			return shell.Hint("payctl kyc get -- ACCOUNT", shell.Values{"ACCOUNT": id})
		},
		Reply: func(ctx context.Context, id string, personal bool) (string, error) {
			check, err := read(ctx, id)
			if err != nil {
				return "", err
			}
			name := ""
			if personal {
				account, err := service.GetAccount(ctx, id, payments.ReadOptions{})
				if err != nil {
					return "", err
				}
				name = account.Value.Name()
			}
			return reply(check, name), nil
		},
		Submit: func(ctx context.Context, dialog watchui.Dialog, id string) (string, error) {
			check, err := read(ctx, id)
			if err != nil {
				return "", err
			}
			return (&submitDialog{deps: d, service: service, ask: dialog, account: id, check: check}).run(ctx)
		},
		Following: func(status string) []string {
			return watchui.Following[payments.KYCStatus](d.Enum("setSandboxKyc", "status"), status)
		},
		Override: func(ctx context.Context, sandbox payments.Sandbox, id, status string) error {
			_, err := sandbox.SetSandboxKYC(ctx, id, payments.SandboxKYC{Status: payments.KYCStatus(status)})
			return err
		},
	}
}

// inWords are the statuses as a person without knowledge of the service understands them.
var inWords = map[payments.KYCStatus]string{
	payments.KYCStatusNotStarted:           "has not been started",
	payments.KYCStatusIncomplete:           "is waiting for information from you",
	payments.KYCStatusPending:              "is running",
	payments.KYCStatusUnderReview:          "is being reviewed by a person",
	payments.KYCStatusResubmissionRequired: "needs corrected information from you",
	payments.KYCStatusApproved:             "is approved",
	payments.KYCStatusRejected:             "was declined",
	payments.KYCStatusExpired:              "has expired and has to be renewed",
	payments.KYCStatusPaused:               "is paused",
	payments.KYCStatusOffboarded:           "is closed",
}

// reply writes what an account holder is told about an identity check. Without a name it has no personal data.
func reply(check payments.KYC, name string) string {
	var b strings.Builder
	b.WriteString("Hello")
	if name != "" {
		b.WriteString(" " + ui.Sanitize(name))
	}
	status, known := inWords[check.Status]
	if !known {
		status = "has the status " + ui.Sanitize(string(check.Status))
	}
	account, since := ui.Sanitize(check.AccountID), cmdutil.LongDate(check.UpdatedAt)
	fmt.Fprintf(&b, ",\n\nthe identity check of your account %s %s, since %s.\n", account, status, since)
	if len(check.Reasons) > 0 {
		b.WriteString("\nThe reason:\n")
		for _, r := range check.Reasons {
			b.WriteString("- " + payments.Sentence(ui.Sanitize(cmp.Or(r.Message, plainWords(r.Code)))) + "\n")
		}
	}
	open := check.Open()
	switch {
	case len(open) > 0:
		b.WriteString("\nWhat you have to do:\n")
		for _, r := range open {
			line := "- Enter your " + plainWords(r.Name)
			if isDocument(r) {
				line = "- Upload your " + plainWords(r.Name)
			}
			if r.Deadline != nil {
				line += ", by " + cmdutil.LongDate(*r.Deadline)
			}
			b.WriteString(ui.Sanitize(line) + ".\n")
		}
	case check.Status == payments.KYCStatusPending || check.Status == payments.KYCStatusUnderReview:
		b.WriteString("\nYou do not have to do anything. You will hear from us.\n")
	}
	if link, _, err := watchui.CheckLink(cmdutil.Text(check.VerificationURL)); err == nil {
		b.WriteString("\nYou can do this here: " + link + "\n")
	}
	b.WriteString("\nKind regards\n")
	return b.String()
}

// plainWords makes words of a name such as identity_document or registrationNumber.
func plainWords(name string) string {
	var b strings.Builder
	for _, r := range name {
		switch {
		case r == '_' || r == '-':
			b.WriteByte(' ')
		case r >= 'A' && r <= 'Z':
			b.WriteString(" " + strings.ToLower(string(r)))
		default:
			b.WriteRune(r)
		}
	}
	return strings.TrimSpace(b.String())
}
