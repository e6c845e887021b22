package payments

import "slices"

// MaxKYCAttempts is how many submissions an identity check has before it is rejected. They are counted anew after an expiry.
const MaxKYCAttempts = 3

// kycTransitions lists where each state of an identity check can go.
var kycTransitions = map[KYCStatus][]KYCStatus{
	KYCStatusNotStarted:           {KYCStatusIncomplete},
	KYCStatusIncomplete:           {KYCStatusPending},
	KYCStatusPending:              {KYCStatusApproved, KYCStatusUnderReview, KYCStatusResubmissionRequired, KYCStatusRejected},
	KYCStatusUnderReview:          {KYCStatusApproved, KYCStatusResubmissionRequired, KYCStatusRejected},
	KYCStatusResubmissionRequired: {KYCStatusPending, KYCStatusRejected},
	KYCStatusApproved: {KYCStatusExpired, KYCStatusPaused, KYCStatusOffboarded, KYCStatusUnderReview,
		KYCStatusResubmissionRequired, KYCStatusRejected},
	KYCStatusExpired: {KYCStatusPending},
	KYCStatusPaused:  {KYCStatusApproved, KYCStatusOffboarded},
}

// CanBecome says whether an identity check can go from one state to the other in one step.
func (s KYCStatus) CanBecome(next KYCStatus) bool { return slices.Contains(kycTransitions[s], next) }

// Final says whether the state is one that an identity check never leaves.
func (s KYCStatus) Final() bool { return s.Valid() && len(kycTransitions[s]) == 0 }

// TakesSubmission says whether answers to requirements can be submitted.
func (s KYCStatus) TakesSubmission() bool { return s.CanBecome(KYCStatusPending) }

// NeedsPerson says whether an identity check stays in this state until a person does something: the applicant, or whoever
// reviews it.
func (s KYCStatus) NeedsPerson() bool {
	return s.TakesSubmission() || s == KYCStatusUnderReview || s == KYCStatusPaused
}
