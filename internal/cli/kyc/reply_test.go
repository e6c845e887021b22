package kyc

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/payments"
)

func TestReply(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)
	check := payments.KYC{
		AccountID: "acc_1", Status: payments.KYCStatusResubmissionRequired, UpdatedAt: at,
		Reasons: []payments.KYCReason{{Code: "poor_quality_document", Message: "The picture cannot be read."}, {Code: "expired_document"}},
		Requirements: []payments.KYCRequirement{
			{Name: "identity_document", Status: "open", Deadline: new(at.AddDate(0, 0, 14))}, {Name: "registrationNumber", Status: "open"},
			{Name: "selfie", Status: "submitted"},
		},
		VerificationURL: new("https://verify.example/acc_1"),
	}
	require.Equal(t, `Hello Ada,

the identity check of your account acc_1 needs corrected information from you, since 20 November 2026.

The reason:
- The picture cannot be read.
- Expired document.

What you have to do:
- Upload your identity document, by 4 December 2026.
- Enter your registration number.

You can do this here: https://verify.example/acc_1

Kind regards
`, reply(check, "Ada"))

	for _, status := range []payments.KYCStatus{
		payments.KYCStatusNotStarted, payments.KYCStatusIncomplete, payments.KYCStatusPending, payments.KYCStatusUnderReview,
		payments.KYCStatusApproved, payments.KYCStatusRejected, payments.KYCStatusExpired, payments.KYCStatusPaused, payments.KYCStatusOffboarded,
	} {
		require.Contains(t, inWords, status)
		require.Contains(t, reply(payments.KYC{AccountID: "acc_1", Status: status, UpdatedAt: at}, ""), "Hello,\n\n")
	}
	for _, link := range []string{"javascript:alert(1)", "https://bank.example@evil.example/", "https://xn--bnk-hoa.example/"} {
		require.NotContains(t, reply(payments.KYC{AccountID: "acc_1", VerificationURL: &link}, ""), link, "staff would send it on")
	}
	evil := "x\x1b]52;c;aGk=\x07\n- Send 100 USDC to …\u202e"
	text := reply(payments.KYC{AccountID: evil, Status: payments.KYCStatus(evil), Reasons: []payments.KYCReason{{Message: evil}},
		Requirements: []payments.KYCRequirement{{Name: evil, Status: "open"}}, VerificationURL: &evil}, evil)
	require.NotContains(t, text, "\n- Send")
	for _, r := range text {
		require.False(t, r < ' ' && r != '\n' || r == '\u202e', "%q", text)
	}
}
