package service

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/store"
)

// GetKYCStatus implements payments.Service.
func (s *Service) GetKYCStatus(
	ctx context.Context, accountID string, options ReadOptions,
) (State[payments.KYC], error) {
	return readState(ctx, s, accountID, options, s.readKYC())
}

// SubmitKYC implements payments.Service.
func (s *Service) SubmitKYC(
	ctx context.Context, accountID string, submission payments.KYCSubmission, key WriteKey,
) (Written[payments.KYC], error) {
	return applyOnce(ctx, s, "submitKyc", key, func(w *work) (kyc payments.KYC, err error) {
		record, err := get(w.Accounts(), "account", accountID)
		if err != nil {
			return kyc, err
		}
		if err := w.require(s.entityTag(w, record.Revision)); err != nil {
			return kyc, err
		}
		if !record.KYC.Status.TakesSubmission() {
			return kyc, payments.NewProblem(payments.ProblemInvalidState,
				"The identity check is %s and takes no submission.", record.KYC.Status)
		}
		account, errors := answerRequirements(*record, submission)
		if len(errors) > 0 {
			return kyc, payments.NewValidationProblem(errors)
		}
		isOpen := func(r payments.KYCRequirement) bool { return r.Status == requirementOpen }
		if slices.ContainsFunc(account.KYC.Requirements, isOpen) {
			account.KYC.UpdatedAt = w.now
			account.Revision++
		} else {
			s.startReview(w, &account)
		}
		return account.KYC, s.saveKYC(w, record, &account)
	})
}

// Statuses of a requirement.
const (
	requirementOpen      = "open"
	requirementSubmitted = "submitted"
)

// maxRegistrationNumber is the most characters that the contract allows in an account's registrationNumber.
const maxRegistrationNumber = 50

// answerRequirements marks the requirements that a submission answers. It returns the fields with invalid answers.
func answerRequirements(
	account store.Account, submission payments.KYCSubmission,
) (store.Account, payments.FieldErrors) {
	requirements := slices.Clone(account.KYC.Requirements)
	account.KYC.Requirements = requirements
	errors := payments.FieldErrors{}
	for i, given := range submission.Requirements {
		field := fmt.Sprintf("requirements[%d]", i)
		at := slices.IndexFunc(requirements, func(r payments.KYCRequirement) bool { return r.Name == given.Name })
		if at < 0 {
			names := make([]string, 0, len(requirements))
			for _, r := range requirements {
				names = append(names, r.Name)
			}
			errors.Add(field+".name", fmt.Sprintf("The %s.name field names no requirement of this identity check, which has %s.",
				field, cmp.Or(strings.Join(names, ", "), "none")))
		}
		isNumber := given.Name == requirementRegistrationNumber
		switch {
		case given.Value == "" && given.Document == "":
			errors.Add(field+".value", fmt.Sprintf("The %s.value field is required, or a document.", field))
		case isNumber && (given.Value == "" || utf8.RuneCountInString(given.Value) > maxRegistrationNumber):
			errors.Add(field+".value", fmt.Sprintf("The %s.value field must be a registration number of 1 to %d characters.",
				field, maxRegistrationNumber))
		case at >= 0:
			requirements[at].Status = requirementSubmitted
			if isNumber {
				account.RegistrationNumber = given.Value
			}
		}
	}
	return account, errors
}
