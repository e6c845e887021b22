package service_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/payments"
)

func answers(all ...payments.KYCAnswer) payments.KYCSubmission {
	return payments.KYCSubmission{Requirements: all}
}

func document() payments.KYCSubmission {
	return answers(payments.KYCAnswer{Name: "identity_document", Document: "aGVsbG8=", ContentType: "image/png"})
}

// Each tag of an e-mail address leads through its states, one after each delay.
func TestKYCOutcomes(t *testing.T) {
	t.Parallel()
	for tag, states := range map[string][]payments.KYCStatus{
		"":                  {"pending", "approved", "approved"},
		"+kyc-rejected":     {"pending", "rejected", "rejected"},
		"+kyc-under-review": {"pending", "under_review", "under_review"},
		"+kyc-resubmission": {"pending", "resubmission_required", "resubmission_required"},
		"+kyc-incomplete":   {"incomplete", "incomplete"},
		"+kyc-expired":      {"pending", "approved", "expired", "expired"},
		"+kyc-paused":       {"pending", "approved", "paused", "paused"},
		"+kyc-stuck":        {"pending", "pending", "pending"},
		"+KYC-Rejected":     {"pending", "rejected"},
		"+kyc-unheard-of":   {"pending", "approved"},
	} {
		w := empty(t)
		account := w.open("ada" + tag + "@example.com")
		require.Equal(t, states[0], account.KYCStatus, tag)
		for i, state := range states {
			require.Equal(t, state, w.kyc(account.ID).Status, "%s after %d delays", tag, i)
			require.Equal(t, state, w.account(account.ID).Value.KYCStatus)
			w.advance(t, kycDelay-time.Millisecond)
			require.Equal(t, state, w.kyc(account.ID).Status, "not before the delay")
			w.advance(t, time.Millisecond)
		}
	}
}

func TestKYCOfAnApproval(t *testing.T) {
	t.Parallel()
	w := empty(t)
	account := w.open("ada@example.com")
	pending := w.kyc(account.ID)
	require.Equal(t, 1, pending.Attempt)
	require.Equal(t, paytestStart, *pending.SubmittedAt)
	require.Nil(t, pending.ReviewedAt)
	w.advance(t, time.Hour)
	approved := w.kyc(account.ID)
	require.Equal(t, paytestStart.Add(kycDelay), *approved.ReviewedAt, "when it was due, not when it was noticed")
	require.Equal(t, paytestStart.Add(kycDelay), approved.UpdatedAt)
	require.Equal(t, "basic", approved.Level)
	require.Empty(t, approved.Reasons)
	require.Empty(t, approved.Requirements)

	w.clock.Advance(approved.ExpiresAt.Sub(w.clock.Now()) - time.Millisecond)
	require.Equal(t, payments.KYCStatusApproved, w.kyc(account.ID).Status)
	w.clock.Advance(time.Millisecond)
	require.Equal(t, payments.KYCStatusExpired, w.kyc(account.ID).Status, "an approval ends when expiresAt says")
	again := must(w.SubmitKYC(background, account.ID, document(), once)).Value
	require.Equal(t, payments.KYCStatusPending, again.Status)
}

// A check has three attempts. After an approval expires, the next check has three again, whether a submission or an
// override begins it.
func TestAttemptsOfAnIdentityCheck(t *testing.T) {
	t.Parallel()
	w := empty(t)
	id := w.open("ada+kyc-resubmission@example.com").ID
	set := func(status payments.KYCStatus) payments.KYC {
		return must(w.SetSandboxKYC(background, id, payments.SandboxKYC{Status: status}))
	}
	submit := func() payments.KYC {
		return must(w.SubmitKYC(background, id, document(), once)).Value
	}
	w.advance(t, kycDelay)
	asked := w.kyc(id)
	require.Equal(t, payments.KYCStatusResubmissionRequired, asked.Status)
	require.Equal(t, "retry", *asked.RejectType)
	require.NotNil(t, asked.VerificationURL)
	require.Equal(t, "identity_document", asked.Requirements[0].Name)
	require.True(t, asked.Requirements[0].Deadline.After(w.clock.Now()))

	set(payments.KYCStatusPending)
	set(payments.KYCStatusApproved)
	for range 2 {
		set(payments.KYCStatusExpired)
		require.Equal(t, 1, submit().Attempt)
		set(payments.KYCStatusApproved)
		set(payments.KYCStatusExpired)
		require.Equal(t, 1, set(payments.KYCStatusPending).Attempt)
		for attempt := 2; attempt <= payments.MaxKYCAttempts; attempt++ {
			set(payments.KYCStatusResubmissionRequired)
			require.Equal(t, attempt, submit().Attempt)
		}
		set(payments.KYCStatusApproved)
	}
	set(payments.KYCStatusExpired)
	submit()
	for range payments.MaxKYCAttempts - 1 {
		set(payments.KYCStatusResubmissionRequired)
		submit()
	}
	rejected := set(payments.KYCStatusResubmissionRequired)
	require.Equal(t, payments.KYCStatusRejected, rejected.Status)
	require.Equal(t, "final", *rejected.RejectType)
	require.Equal(t, "too_many_attempts", rejected.Reasons[0].Code)
	requireRefused(t, errOf(w.SubmitKYC(background, id, document(), once)), payments.ProblemInvalidState)
}

func TestBusinessWithoutRegistrationNumber(t *testing.T) {
	t.Parallel()
	w := empty(t)
	account := must(w.CreateAccount(background, payments.NewAccount{
		Type: payments.AccountTypeBusiness, LegalName: "Analytical Engines", Email: "office@example.com", Country: "GB",
	}, once)).Value
	require.Equal(t, payments.KYCStatusIncomplete, account.KYCStatus)
	kyc := w.kyc(account.ID)
	require.Zero(t, kyc.Attempt)
	require.Equal(t, "business", kyc.Level)
	require.Equal(t, "registrationNumber", kyc.Requirements[0].Name)
	require.Equal(t, "open", kyc.Requirements[0].Status)
	require.Equal(t, "missing_field", kyc.Reasons[0].Code)

	for _, wrong := range []payments.KYCAnswer{
		{Name: "identity_document", Value: "x"}, {Name: "registrationNumber"},
		{Name: "registrationNumber", Value: strings.Repeat("9", 51)},
		{Name: "registrationNumber", Document: "aGVsbG8="},
	} {
		requireRefused(t, errOf(w.SubmitKYC(background, account.ID, answers(wrong), once)), payments.ProblemValidation)
	}
	require.Equal(t, kyc, w.kyc(account.ID), "a refusal changes nothing")

	number := payments.KYCAnswer{Name: "registrationNumber", Value: "01234567"}
	submitted := must(w.SubmitKYC(background, account.ID, answers(number), once)).Value
	require.Equal(t, payments.KYCStatusPending, submitted.Status)
	require.Equal(t, "submitted", submitted.Requirements[0].Status)
	w.advance(t, kycDelay)
	approved := w.account(account.ID).Value
	require.Equal(t, payments.KYCStatusApproved, approved.KYCStatus)
	require.Equal(t, "01234567", approved.RegistrationNumber)
}

func TestSubmissionIsRefused(t *testing.T) {
	t.Parallel()
	w := empty(t)
	requireRefused(t, errOf(w.SubmitKYC(background, "acc_none", document(), once)), payments.ProblemNotFound)
	account := w.open("ada+kyc-incomplete@example.com")
	wrong := answers(payments.KYCAnswer{Name: "shoe_size", Value: "42"}, payments.KYCAnswer{Name: "identity_document"})
	_, err := w.SubmitKYC(background, account.ID, wrong, once)
	refusal := requireRefused(t, err, payments.ProblemValidation)
	require.Equal(t, []string{"requirements[0].name", "requirements[1].value"}, refusal.Errors.Names())
	must(w.SubmitKYC(background, account.ID, document(), once))
	requireRefused(t, errOf(w.SubmitKYC(background, account.ID, document(), once)), payments.ProblemInvalidState)
	w.advance(t, kycDelay)
	require.Equal(t, payments.KYCStatusApproved, w.kyc(account.ID).Status)
}
