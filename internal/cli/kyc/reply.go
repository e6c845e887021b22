package kyc

import (
	"cmp"
	"context"
	"fmt"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/ui"
)

// readReply writes what the holder of an account is told about its identity check, with the name only if personal is
// set.
func readReply(
	ctx context.Context, d *cmdutil.Deps, service payments.Service, id string, personal bool,
) (string, error) {
	check, err := service.GetKYCStatus(ctx, id)
	if err != nil {
		return "", err
	}
	name := ""
	if personal {
		account, err := service.GetAccount(ctx, id)
		if err != nil {
			return "", err
		}
		name = account.Value.Name()
	}
	return reply(check.Value, name, d.ServiceNow()), nil
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

// reply writes what the applicant is told about an identity check. Without a name it has no personal data. The reasons
// are told only if the applicant is to mend something: whom a sanctions list or a suspicion of fraud is about must not
// learn that from support.
func reply(check payments.KYC, name string, now time.Time) string {
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
	if len(check.Reasons) > 0 && check.Status.Turn() == payments.TurnApplicant {
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
			switch {
			case r.Deadline == nil:
			case r.Deadline.Before(now):
				line += ", which was due by " + cmdutil.LongDate(*r.Deadline)
			default:
				line += ", by " + cmdutil.LongDate(*r.Deadline)
			}
			b.WriteString(ui.Sanitize(line) + ".\n")
		}
	case check.Status == payments.KYCStatusPending, check.Status == payments.KYCStatusUnderReview,
		check.Status == payments.KYCStatusPaused:
		b.WriteString("\nYou do not have to do anything. You will hear from us.\n")
	case check.Status == payments.KYCStatusRejected, check.Status == payments.KYCStatusOffboarded:
		b.WriteString("\nIf you think that this is a mistake, or have questions, answer this message.\n")
	}
	if link, ok := safeLink(cmdutil.Text(check.VerificationURL)); ok {
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

// longestLink bounds a link, in bytes: browsers and proxies cut longer ones.
const longestLink = 2048

// safeLink returns a link of the service in the form in which it may be sent to a person. It may not if it would lead
// to something else than a person reads: a user name hides the true host, and letters may look like others.
func safeLink(text string) (link string, ok bool) {
	parsed, err := url.Parse(text)
	if err != nil || len(text) > longestLink || ui.Sanitize(text) != text || strings.ContainsAny(text, " \\") ||
		parsed.Scheme != "https" && parsed.Scheme != "http" || parsed.User != nil || parsed.Hostname() == "" {
		return "", false
	}
	name := strings.ToLower(parsed.Hostname())
	_, err = netip.ParseAddr(name)
	isPlain := strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789-.") == "" && !strings.Contains("."+name, ".xn--")
	return parsed.String(), err == nil || isPlain
}
