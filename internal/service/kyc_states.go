package service

import (
	"fmt"
	"time"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/store"
)

// This file moves identity checks along the transitions of payments.KYCStatus; docs/CONTRACT.md lists them.

const (
	approvalLifetime    = 365 * 24 * time.Hour
	requirementDeadline = 14 * 24 * time.Hour
)

// startKYC gives the identity check of a new account its first status.
func (s *Service) startKYC(w *work, account *store.Account, complete bool) {
	account.KYC = payments.KYC{
		AccountID:    account.ID,
		Level:        "basic",
		Reasons:      []payments.KYCReason{},
		Requirements: []payments.KYCRequirement{},
	}
	if account.Type == payments.AccountTypeBusiness {
		account.KYC.Level = "business"
	}
	if complete {
		s.startReview(w, account)
		return
	}
	s.enterKYCStatus(w, account, payments.KYCStatusIncomplete, nil)
}

// startReview submits the identity check, and plans its next steps.
func (s *Service) startReview(w *work, account *store.Account) {
	first := account.KYC.SubmittedAt == nil
	countSubmission(w, account)
	requirements := account.KYC.Requirements
	s.enterKYCStatus(w, account, payments.KYCStatusPending, nil)
	account.KYC.Requirements = requirements
	account.Plan = s.script.KYC(account.Account, first)
}

// countSubmission counts a submission for review. After an approval has expired, the new check has all attempts.
func countSubmission(w *work, account *store.Account) {
	if account.KYC.Status == payments.KYCStatusExpired {
		account.KYC.Attempt = 0
	}
	account.KYC.Attempt++
	account.KYC.SubmittedAt = new(w.now)
}

// EnteredKYCStatus returns the status that an identity check really enters. A check without attempts left is rejected,
// and does not ask for another submission.
func EnteredKYCStatus(status payments.KYCStatus, attempt int) payments.KYCStatus {
	if status == payments.KYCStatusResubmissionRequired && attempt >= payments.MaxKYCAttempts {
		return payments.KYCStatusRejected
	}
	return status
}

// enterKYCStatus puts the identity check into a status, as EnteredKYCStatus says, with its requirements. Nil reasons
// mean the usual ones.
func (s *Service) enterKYCStatus(
	w *work, account *store.Account, status payments.KYCStatus, reasons []payments.KYCReason,
) {
	if entered := EnteredKYCStatus(status, account.KYC.Attempt); entered != status {
		status, reasons = entered, []payments.KYCReason{Reason(ReasonTooManyAttempts)}
	}
	if reasons == nil {
		reasons = defaultReasons(status, account.Account)
	}
	kyc := &account.KYC
	kyc.Status, account.KYCStatus = status, status
	kyc.RejectType, kyc.VerificationURL, kyc.ExpiresAt = nil, nil, nil
	kyc.UpdatedAt, account.UpdatedAt = w.now, w.now
	kyc.Reasons = reasons
	kyc.Requirements = requirementsOf(status, account.Account, w.now)
	switch status {
	case payments.KYCStatusApproved:
		kyc.ReviewedAt, kyc.ExpiresAt = new(w.now), new(w.now.Add(approvalLifetime))
	case payments.KYCStatusRejected:
		kyc.ReviewedAt, kyc.RejectType = new(w.now), new("final")
	case payments.KYCStatusResubmissionRequired:
		kyc.ReviewedAt, kyc.RejectType = new(w.now), new("retry")
	}
	if len(kyc.Requirements) > 0 {
		kyc.VerificationURL = new("https://verify.payctl.example/" + account.ID)
	}
	account.Polled = 0
	account.Revision++
}

// saveKYC stores the account with the events of its change, and schedules the next step of its identity check. Before
// is the account's previous record. Nil means that it is new.
func (s *Service) saveKYC(w *work, before, account *store.Account) error {
	if err := w.appendAccountEvents(before, account); err != nil {
		return err
	}
	account.StepAt = time.Time{}
	if len(account.Plan) > 0 && account.Plan[0].Polls == 0 {
		account.StepAt = w.after(account.Plan[0].After)
	}
	return w.Accounts().Put(account)
}

// runKYC takes the due step of an identity check. A restored account may lack it.
func (s *Service) runKYC(w *work, record *store.Account) error {
	if len(record.Plan) == 0 {
		account := *record
		account.StepAt = time.Time{}
		return w.Accounts().Put(&account)
	}
	return s.stepKYC(w, record)
}

// stepKYC takes the first step of an identity check's plan.
func (s *Service) stepKYC(w *work, record *store.Account) error {
	account := *record
	next := account.Plan[0].Status
	account.Plan = account.Plan[1:]
	if !account.KYC.Status.CanBecome(next) {
		return fmt.Errorf("an identity check cannot go from %s to %s", account.KYC.Status, next)
	}
	s.enterKYCStatus(w, &account, next, nil)
	planExpiry(&account)
	return s.saveKYC(w, record, &account)
}

// planExpiry plans the expiry of an approval, unless there is another plan.
func planExpiry(account *store.Account) {
	if account.KYC.Status == payments.KYCStatusApproved && len(account.Plan) == 0 {
		account.Plan = []store.KYCStep{{After: approvalLifetime, Status: payments.KYCStatusExpired}}
	}
}
