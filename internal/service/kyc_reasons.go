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

// kycReasons has the message of each reason code, and its requirement.
var kycReasons = map[string]struct{ message, field string }{
	ReasonMissingField:      {"A required detail is missing.", ""},
	ReasonInvalidField:      {"A detail is not valid.", ""},
	ReasonMissingDocument:   {"An identity document is missing.", requirementIdentityDocument},
	ReasonExpiredDocument:   {"The identity document has expired.", requirementIdentityDocument},
	ReasonPoorQuality:       {"The picture of the identity document cannot be read.", requirementIdentityDocument},
	ReasonWrongDocumentType: {"This type of document is not accepted.", requirementIdentityDocument},
	ReasonSuspectedFraud:    {"The identity document could not be verified as genuine.", requirementIdentityDocument},
	ReasonSanctioned:        {"The applicant is on a sanctions list.", ""},
	ReasonDuplicate:         {"The applicant has an account already.", ""},
	ReasonTooManyAttempts:   {"The check was submitted three times without success.", ""},
	ReasonManualReview:      {"A person is looking at the check.", ""},
}

// Reason returns the reason with a code. The message of an unknown code is the code itself.
func Reason(code string) payments.KYCReason {
	known, ok := kycReasons[code]
	if !ok {
		known.message = code
	}
	return payments.KYCReason{Code: code, Message: known.message, Field: known.field}
}

// usualReasons has the default reason codes of statuses.
var usualReasons = map[payments.KYCStatus]string{
	payments.KYCStatusIncomplete:           ReasonMissingDocument,
	payments.KYCStatusUnderReview:          ReasonManualReview,
	payments.KYCStatusResubmissionRequired: ReasonPoorQuality,
	payments.KYCStatusRejected:             ReasonSuspectedFraud,
	payments.KYCStatusExpired:              ReasonExpiredDocument,
}

// defaultReasons returns the default reasons of a status.
func defaultReasons(status payments.KYCStatus, account payments.Account) []payments.KYCReason {
	code, ok := usualReasons[status]
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

// requirementsOf returns what the applicant must submit in a status.
func requirementsOf(status payments.KYCStatus, account payments.Account, now time.Time) []payments.KYCRequirement {
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
	return status == payments.KYCStatusIncomplete &&
		account.Type == payments.AccountTypeBusiness && account.RegistrationNumber == ""
}
