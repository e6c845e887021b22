package service

import (
	"time"

	"github.com/payctl/payctl/internal/payments"
)

// Reason codes of identity checks.
const (
	ReasonMissingField      = "missing_field"
	ReasonInvalidField      = "invalid_field"
	ReasonMissingDocument   = "missing_identity_document"
	ReasonExpiredDocument   = "expired_document"
	ReasonPoorQuality       = "poor_quality_document"
	ReasonWrongDocumentType = "wrong_document_type"
	ReasonSuspectedFraud    = "suspected_fraud_document"
	ReasonSanctioned        = "applicant_sanctioned"
	ReasonDuplicate         = "duplicate"
	ReasonTooManyAttempts   = "too_many_attempts"
	ReasonManualReview      = "manual_review"
)

// Names of requirements.
const (
	requirementRegistrationNumber = "registrationNumber"
	requirementIdentityDocument   = "identity_document"
)

// Reason is a reason code with its words. A code of one's own is its own words.
func Reason(code string) payments.KYCReason {
	reason := payments.KYCReason{Code: code}
	switch code {
	case ReasonMissingField:
		reason.Message = "A required detail is missing."
	case ReasonInvalidField:
		reason.Message = "A detail is not valid."
	case ReasonMissingDocument:
		reason.Message, reason.Field = "An identity document is missing.", requirementIdentityDocument
	case ReasonExpiredDocument:
		reason.Message, reason.Field = "The identity document has expired.", requirementIdentityDocument
	case ReasonPoorQuality:
		reason.Message, reason.Field = "The picture of the identity document cannot be read.", requirementIdentityDocument
	case ReasonWrongDocumentType:
		reason.Message, reason.Field = "This type of document is not accepted.", requirementIdentityDocument
	case ReasonSuspectedFraud:
		reason.Message, reason.Field = "The identity document could not be verified as genuine.", requirementIdentityDocument
	case ReasonSanctioned:
		reason.Message = "The applicant is on a sanctions list."
	case ReasonDuplicate:
		reason.Message = "The applicant has an account already."
	case ReasonTooManyAttempts:
		reason.Message = "The check was submitted three times without success."
	case ReasonManualReview:
		reason.Message = "A person is looking at the check."
	default:
		reason.Message = code
	}
	return reason
}

// defaultReasons are the reasons for a state that nobody gave any for.
func defaultReasons(status payments.KYCStatus, account payments.Account) []payments.KYCReason {
	codes := map[payments.KYCStatus]string{
		payments.KYCStatusIncomplete:           ReasonMissingDocument,
		payments.KYCStatusUnderReview:          ReasonManualReview,
		payments.KYCStatusResubmissionRequired: ReasonPoorQuality,
		payments.KYCStatusRejected:             ReasonSuspectedFraud,
		payments.KYCStatusExpired:              ReasonExpiredDocument,
	}
	code, ok := codes[status]
	if !ok {
		return []payments.KYCReason{}
	}
	reason := Reason(code)
	if lacksRegistration(status, account) {
		reason = Reason(ReasonMissingField)
		reason.Field = requirementRegistrationNumber
	}
	return []payments.KYCReason{reason}
}

// wanted is what a state asks for.
func wanted(status payments.KYCStatus, account payments.Account, now time.Time) []payments.KYCRequirement {
	name := requirementIdentityDocument
	if lacksRegistration(status, account) {
		name = requirementRegistrationNumber
	}
	switch status {
	case payments.KYCStatusIncomplete, payments.KYCStatusResubmissionRequired, payments.KYCStatusExpired:
		return []payments.KYCRequirement{{Name: name, Status: requirementOpen, Deadline: new(now.Add(requirementDeadline))}}
	}
	return []payments.KYCRequirement{}
}

func lacksRegistration(status payments.KYCStatus, account payments.Account) bool {
	return status == payments.KYCStatusIncomplete && account.Type == payments.AccountTypeBusiness && account.RegistrationNumber == ""
}
