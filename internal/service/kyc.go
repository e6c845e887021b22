package service

import (
	"context"
	"fmt"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/store"
)

const (
	approvalLifetime    = 365 * 24 * time.Hour
	requirementDeadline = 14 * 24 * time.Hour
)

// GetKYCStatus implements payments.KYCChecks.
func (s *Service) GetKYCStatus(ctx context.Context, accountID string, since payments.Condition) (reading payments.Reading[payments.KYC], err error) {
	once := poll{count: func() error { return s.pollKYC(ctx, accountID) }}
	err = s.hold(ctx, accountID, since.Wait, func() (bool, error) {
		err := once.view(ctx, s, func(w *work) (bool, error) {
			account, err := get(w.Accounts(), "account", accountID)
			if err != nil {
				return false, err
			}
			reading, err = read(s, w, account.KYC, account.Revision, since)
			return len(account.Plan) > 0 && account.Plan[0].Polls > 0, err
		})
		return reading.NotModified, err
	})
	return reading, err
}

// SubmitKYC implements payments.KYCChecks.
func (s *Service) SubmitKYC(ctx context.Context, accountID string, submission payments.KYCSubmission, key payments.Idempotency) (payments.Written[payments.KYC], error) {
	return write(ctx, s, "submitKyc", key, func(w *work) (payments.KYC, error) {
		record, err := get(w.Accounts(), "account", accountID)
		if err != nil {
			return payments.KYC{}, err
		}
		if err := s.permit(w, key.Precondition, record.Revision); err != nil {
			return payments.KYC{}, err
		}
		if !record.KYC.Status.TakesSubmission() {
			return payments.KYC{}, payments.Refuse(payments.KindInvalidState, "The identity check is %s and takes no submission.", record.KYC.Status)
		}
		account, errors := answered(*record, submission)
		if len(errors) > 0 {
			return payments.KYC{}, payments.Invalid(errors)
		}
		open := func(r payments.KYCRequirement) bool { return r.Status == requirementOpen }
		if slices.ContainsFunc(account.KYC.Requirements, open) {
			account.KYC.UpdatedAt = w.now
			account.Revision++
		} else {
			s.submitKYC(w, &account)
		}
		return account.KYC, s.saveKYC(w, &account)
	})
}

// Statuses of a requirement.
const (
	requirementOpen      = "open"
	requirementSubmitted = "submitted"
)

// CheckKYCSubmission finds what is wrong with a submission beyond its schema, where the identity check takes one.
func (s *Service) CheckKYCSubmission(ctx context.Context, accountID string, submission payments.KYCSubmission) (errors payments.FieldErrors) {
	_ = s.view(ctx, func(w *work) error {
		record, err := w.Accounts().Get(accountID)
		if err == nil && record.KYC.Status.TakesSubmission() {
			_, errors = answered(*record, submission)
		}
		return err
	})
	return errors
}

// answered is an account with the requirements marked that a submission answers, and which of its answers cannot be taken.
func answered(account store.Account, submission payments.KYCSubmission) (store.Account, payments.FieldErrors) {
	account.KYC.Requirements = slices.Clone(account.KYC.Requirements)
	errors := payments.FieldErrors{}
	for i, given := range submission.Requirements {
		field := fmt.Sprintf("requirements[%d]", i)
		at := slices.IndexFunc(account.KYC.Requirements, func(r payments.KYCRequirement) bool { return r.Name == given.Name })
		if at < 0 {
			errors.Add(field+".name", fmt.Sprintf("The %s.name field names no requirement of this identity check.", field))
		}
		switch {
		case given.Value == "" && given.Document == "":
			errors.Add(field+".value", fmt.Sprintf("The %s.value field is required, or a document.", field))
		case given.Name == requirementRegistrationNumber && !isRegistrationNumber(given.Value):
			errors.Add(field+".value", fmt.Sprintf("The %s.value field must be a registration number of 1 to %d characters.", field, maxRegistrationNumber))
		case at >= 0:
			account.KYC.Requirements[at].Status = requirementSubmitted
			if given.Name == requirementRegistrationNumber {
				account.RegistrationNumber = given.Value
			}
		}
	}
	return account, errors
}

// maxRegistrationNumber is the most characters of an account's registrationNumber.
const maxRegistrationNumber = 50

func isRegistrationNumber(text string) bool {
	return text != "" && utf8.RuneCountInString(text) <= maxRegistrationNumber
}

// startKYC gives a new account its first state.
func (s *Service) startKYC(w *work, account *store.Account, complete bool) {
	account.KYC = payments.KYC{
		AccountID:    account.ID,
		Level:        kycLevel(account.Type),
		Reasons:      []payments.KYCReason{},
		Requirements: []payments.KYCRequirement{},
	}
	if complete {
		s.submitKYC(w, account)
		return
	}
	s.enterKYC(w, account, payments.KYCStatusIncomplete, nil)
}

func kycLevel(t payments.AccountType) string {
	if t == payments.AccountTypeBusiness {
		return "business"
	}
	return "basic"
}

// submitKYC hands the identity check to review and plans what comes of it.
func (s *Service) submitKYC(w *work, account *store.Account) {
	first := account.KYC.SubmittedAt == nil
	countSubmission(w, account)
	requirements := account.KYC.Requirements
	s.enterKYC(w, account, payments.KYCStatusPending, nil)
	account.KYC.Requirements = requirements
	account.Plan = s.script.KYC(account.Account, first)
}

// countSubmission counts a submission that is about to be reviewed. Where an approval has expired another check begins, with all
// its attempts: those that led to the approval did not fail.
func countSubmission(w *work, account *store.Account) {
	if account.KYC.Status == payments.KYCStatusExpired {
		account.KYC.Attempt = 0
	}
	account.KYC.Attempt++
	account.KYC.SubmittedAt = new(w.now)
}

// enterKYC puts the identity check into a state, with the reasons and requirements that belong to it.
func (s *Service) enterKYC(w *work, account *store.Account, status payments.KYCStatus, reasons []payments.KYCReason) {
	if status == payments.KYCStatusResubmissionRequired && account.KYC.Attempt >= payments.MaxKYCAttempts {
		status, reasons = payments.KYCStatusRejected, []payments.KYCReason{Reason(ReasonTooManyAttempts)}
	}
	kyc := &account.KYC
	kyc.Status, account.KYCStatus = status, status
	kyc.RejectType, kyc.VerificationURL, kyc.ExpiresAt = nil, nil, nil
	kyc.UpdatedAt, account.UpdatedAt = w.now, w.now
	account.Polled = 0
	if reasons == nil {
		reasons = defaultReasons(status, account.Account)
	}
	kyc.Reasons = reasons
	kyc.Requirements = wanted(status, account.Account, w.now)
	switch status {
	case payments.KYCStatusApproved:
		kyc.ExpiresAt = new(w.now.Add(approvalLifetime))
		kyc.ReviewedAt = new(w.now)
	case payments.KYCStatusRejected:
		kyc.RejectType = new("final")
		kyc.ReviewedAt = new(w.now)
	case payments.KYCStatusResubmissionRequired:
		kyc.RejectType = new("retry")
		kyc.ReviewedAt = new(w.now)
	}
	if len(kyc.Requirements) > 0 {
		kyc.VerificationURL = new("https://verify.payctl.example/" + account.ID)
	}
	account.Revision++
}

// saveKYC keeps the account and plans the next transition of its identity check.
func (s *Service) saveKYC(w *work, account *store.Account) error {
	w.changed = append(w.changed, account.ID)
	if err := w.tellAccount(account); err != nil {
		return err
	}
	if len(account.Plan) > 0 && account.Plan[0].Polls == 0 {
		job := store.Job{At: w.after(account.Plan[0].After), Kind: store.JobKYC, Subject: account.ID, Revision: account.Revision}
		if err := w.Schedule(job); err != nil {
			return err
		}
	}
	return w.Accounts().Put(account)
}

// runKYC makes the next planned transition happen.
func (s *Service) runKYC(w *work, job store.Job) error {
	record, err := w.Accounts().Get(job.Subject)
	if err != nil || record.Revision != job.Revision || len(record.Plan) == 0 {
		return err
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
	s.enterKYC(w, &account, next, nil)
	planExpiry(&account)
	return s.saveKYC(w, &account)
}

// planExpiry makes an approval end that nothing else is planned for.
func planExpiry(account *store.Account) {
	if account.KYC.Status == payments.KYCStatusApproved && len(account.Plan) == 0 {
		account.Plan = []store.KYCStep{{After: approvalLifetime, Status: payments.KYCStatusExpired}}
	}
}
