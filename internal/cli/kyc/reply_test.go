package kyc

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/ui"
)

// A reply tells an applicant what to do, and where.
func TestReply(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, time.January, 2, 12, 0, 0, 0, time.UTC)
	check := payments.KYC{
		AccountID: "acc_1", Status: payments.KYCStatusResubmissionRequired, UpdatedAt: now,
		Reasons:         []payments.KYCReason{{Code: "poor_quality_document"}},
		Requirements:    []payments.KYCRequirement{{Name: "identity_document", Status: "open"}},
		VerificationURL: new("https://verify.example/acc_1"),
	}
	require.Equal(t, `Hello,

the identity check of your account acc_1 needs corrected information from you, since 2 January 2026.

The reason:
- Poor quality document.

What you have to do:
- Upload your identity document.

You can do this here: https://verify.example/acc_1

Kind regards
`, reply(check, "", now))

	// Text of a hostile service does not affect a terminal or forge a line. Its link is left out.
	const hostile = "\x1b[2J\x1b]0;title\x07\x1b]52;c;aGk=\x07\r\nFORGED\u202egnp.\u200b\u0085\u2028"
	check.AccountID, check.VerificationURL = hostile, new("https://good.example@evil.example/")
	check.Reasons[0].Message, check.Requirements[0].Name = hostile, hostile
	text := reply(check, hostile, now)
	require.Equal(t, ui.SanitizeLines(text), text)
	require.NotContains(t, text, "\nFORGED")
	require.NotContains(t, text, "You can do this here")
}

// A link that may lead elsewhere than a person thinks is not sent to anyone.
func TestLinks(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"https://verify.payctl.example/acc_1", "https://verify.example:8443/a?b=c%20d&e=-#f",
		"http://127.0.0.1:4010/x", "https://[::1]:1/x",
	} {
		link, ok := safeLink(text)
		require.True(t, ok, text)
		require.Equal(t, text, link)
	}
	for _, text := range []string{
		"", "javascript:alert(1)", "file:///etc/passwd", "//host/x", "https:///x", "https:x",
		"https://good.example@evil.example/", "https://good.example\\@evil.example/",
		"https://a.example/\x1b[2J", "https://a.example/\u202egnp", "https://a.example/\n--help", "https://a.example/\xff",
		"https://аpple.example/", // the first letter is Cyrillic
		"https://xn--pple-43d.example/", "https://a.XN--pple-43d.example/", "https://good.example%2eevil.example/",
		"https://a.example/" + strings.Repeat("x", longestLink),
	} {
		_, ok := safeLink(text)
		require.False(t, ok, "%q", text)
	}
}
