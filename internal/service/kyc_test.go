package service_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/service"
)

func answers(name, value string) payments.KYCSubmission {
	return payments.KYCSubmission{Requirements: []payments.KYCAnswer{{Name: name, Value: value}}}
}

func document() payments.KYCSubmission {
	return payments.KYCSubmission{Requirements: []payments.KYCAnswer{{Name: "identity_document", Document: "aGVsbG8=", ContentType: "image/png"}}}
}

// Each tag of an e-mail address leads through its states, one after each delay.
func TestKYCOutcomes(t *testing.T) {
	t.Parallel()
	const (
		pending, approved, rejected = payments.KYCStatusPending, payments.KYCStatusApproved, payments.KYCStatusRejected
		incomplete, review, again   = payments.KYCStatusIncomplete, payments.KYCStatusUnderReview, payments.KYCStatusResubmissionRequired
		expired, paused             = payments.KYCStatusExpired, payments.KYCStatusPaused
	)
	for tag, states := range map[string][]payments.KYCStatus{
		"":                  {pending, approved, approved},
		"+kyc-rejected":     {pending, rejected, rejected},
		"+kyc-under-review": {pending, review, review},
		"+kyc-resubmission": {pending, again, again},
		"+kyc-incomplete":   {incomplete, incomplete},
		"+kyc-expired":      {pending, approved, expired, expired},
		"+kyc-paused":       {pending, approved, paused, paused},
		"+kyc-stuck":        {pending, pending, pending},
		"+KYC-Rejected":     {pending, rejected},
		"+kyc-unheard-of":   {pending, approved},
	} {
		w := empty(t)
		account := w.open(t, "ada"+tag+"@example.com")
		require.Equal(t, states[0], account.KYCStatus, tag)
		for i, state := range states {
			require.Equal(t, state, w.kyc(t, account.ID).Status, "%s after %d delays", tag, i)
			read, err := w.GetAccount(background, account.ID, service.ReadOptions{})
			require.NoError(t, err)
			require.Equal(t, state, read.Value.KYCStatus)
			w.advance(t, kycDelay-time.Millisecond)
			require.Equal(t, state, w.kyc(t, account.ID).Status, "not before the delay")
			w.advance(t, time.Millisecond)
		}
	}
}

func TestKYCOfAnApproval(t *testing.T) {
	t.Parallel()
	w := empty(t)
	account := w.open(t, "ada@example.com")
	pending := w.kyc(t, account.ID)
	require.Equal(t, 1, pending.Attempt)
	require.Equal(t, paytestStart, *pending.SubmittedAt)
	require.Nil(t, pending.ReviewedAt)
	w.advance(t, time.Hour)
	approved := w.kyc(t, account.ID)
	require.Equal(t, paytestStart.Add(kycDelay), *approved.ReviewedAt, "it happened when it was due, not when it was noticed")
	require.Equal(t, paytestStart.Add(kycDelay), approved.UpdatedAt)
	require.Equal(t, "basic", approved.Level)
	require.Empty(t, approved.Reasons)
	require.Empty(t, approved.Requirements)

	w.clock.Advance(approved.ExpiresAt.Sub(w.clock.Now()) - time.Millisecond)
	require.Equal(t, payments.KYCStatusApproved, w.kyc(t, account.ID).Status)
	w.clock.Advance(time.Millisecond)
	require.Equal(t, payments.KYCStatusExpired, w.kyc(t, account.ID).Status, "an approval ends when expiresAt says")
	kyc, err := w.SubmitKYC(background, account.ID, document(), once)
	require.NoError(t, err)
	require.Equal(t, payments.KYCStatusPending, kyc.Value.Status)
}

// A check has three attempts. Each approval that expires is followed by a check with all of them, and an override
// begins one as well.
func TestAttemptsOfAnIdentityCheck(t *testing.T) {
	t.Parallel()
	w := empty(t)
	id := w.open(t, "ada+kyc-resubmission@example.com").ID
	set := func(status payments.KYCStatus) payments.KYC {
		kyc, err := w.SetSandboxKYC(background, id, payments.SandboxKYC{Status: status})
		require.NoError(t, err)
		return kyc
	}
	submit := func() payments.KYC {
		written, err := w.SubmitKYC(background, id, document(), once)
		require.NoError(t, err)
		return written.Value
	}
	w.advance(t, kycDelay)
	asked := w.kyc(t, id)
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
	_, err := w.SubmitKYC(background, id, document(), once)
	requireRefused(t, err, payments.ProblemInvalidState)
}

func TestBusinessWithoutRegistrationNumber(t *testing.T) {
	t.Parallel()
	w := empty(t)
	request := payments.NewAccount{Type: payments.AccountTypeBusiness, LegalName: "Analytical Engines", Email: "office@example.com", Country: "GB"}
	written, err := w.CreateAccount(background, request, once)
	require.NoError(t, err)
	account := written.Value
	require.Equal(t, payments.KYCStatusIncomplete, account.KYCStatus)
	kyc := w.kyc(t, account.ID)
	require.Zero(t, kyc.Attempt)
	require.Equal(t, "business", kyc.Level)
	require.Equal(t, "registrationNumber", kyc.Requirements[0].Name)
	require.Equal(t, "open", kyc.Requirements[0].Status)
	require.Equal(t, "missing_field", kyc.Reasons[0].Code)

	for _, wrong := range []payments.KYCSubmission{
		answers("identity_document", "x"), answers("registrationNumber", ""), answers("registrationNumber", strings.Repeat("9", 51)),
		{Requirements: []payments.KYCAnswer{{Name: "registrationNumber", Document: "aGVsbG8="}}},
	} {
		_, err = w.SubmitKYC(background, account.ID, wrong, once)
		requireRefused(t, err, payments.ProblemValidation)
	}
	require.Equal(t, kyc, w.kyc(t, account.ID), "a refusal changes nothing")

	submitted, err := w.SubmitKYC(background, account.ID, answers("registrationNumber", "01234567"), once)
	require.NoError(t, err)
	require.Equal(t, payments.KYCStatusPending, submitted.Value.Status)
	require.Equal(t, "submitted", submitted.Value.Requirements[0].Status)
	w.advance(t, kycDelay)
	read, err := w.GetAccount(background, account.ID, service.ReadOptions{})
	require.NoError(t, err)
	require.Equal(t, payments.KYCStatusApproved, read.Value.KYCStatus)
	require.Equal(t, "01234567", read.Value.RegistrationNumber)
}

func TestSubmissionIsRefused(t *testing.T) {
	t.Parallel()
	w := empty(t)
	_, err := w.SubmitKYC(background, "acc_none", document(), once)
	requireRefused(t, err, payments.ProblemNotFound)
	account := w.open(t, "ada+kyc-incomplete@example.com")
	_, err = w.SubmitKYC(background, account.ID, payments.KYCSubmission{Requirements: []payments.KYCAnswer{{Name: "shoe_size", Value: "42"}, {Name: "identity_document"}}}, once)
	refusal := requireRefused(t, err, payments.ProblemValidation)
	require.Equal(t, []string{"requirements[0].name", "requirements[1].value"}, refusal.Errors.Names())
	_, err = w.SubmitKYC(background, account.ID, document(), once)
	require.NoError(t, err)
	_, err = w.SubmitKYC(background, account.ID, document(), once)
	requireRefused(t, err, payments.ProblemInvalidState)
	w.advance(t, kycDelay)
	require.Equal(t, payments.KYCStatusApproved, w.kyc(t, account.ID).Status)
}
