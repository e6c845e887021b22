package sandbox

import (
	"strings"
	"time"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/service"
	"github.com/payctl/payctl/internal/store"
)

// Default delays of what happens by itself.
const (
	DefaultKYCDelay    = 2 * time.Second
	DefaultSettleDelay = 500 * time.Millisecond
)

// Script is what happens by itself. Tests force an outcome with a tag: in an account's e-mail address
// (name+kyc-rejected@example.com), or at the end of a contact's label (Ada+transfer-failed).
type Script struct {
	// KYCDelay is the time from a submission to its verdict, SettleDelay that of each step of a transfer.
	KYCDelay, SettleDelay time.Duration
}

var _ service.Script = Script{}

const (
	kycTag      = "+kyc-"
	transferTag = "+transfer-"
)

// slowness is how many times longer a transfer takes that is tagged slow.
const slowness = 20

// kycOutcome is the tag of an e-mail address; empty when it has none.
func kycOutcome(email string) string {
	local, _, _ := strings.Cut(email, "@")
	return tagAtEnd(local, kycTag)
}

// tagAtEnd is what follows the last marker of a text, in lower case; empty when it has none.
func tagAtEnd(text, marker string) string {
	text = strings.ToLower(text)
	at := strings.LastIndex(text, marker)
	if at < 0 {
		return ""
	}
	return text[at+len(marker):]
}

// Incomplete implements service.Script.
func (Script) Incomplete(account payments.Account) bool {
	return kycOutcome(account.Email) == "incomplete"
}

// KYC implements service.Script. A tag counts for the first submission and, where it asks for another, for those too.
func (s Script) KYC(account payments.Account, attempt int) []store.KYCStep {
	step := func(status payments.KYCStatus) store.KYCStep { return store.KYCStep{After: s.KYCDelay, Status: status} }
	approved := step(payments.KYCStatusApproved)
	switch kycOutcome(account.Email) {
	case "rejected":
		return []store.KYCStep{step(payments.KYCStatusRejected)}
	case "under-review":
		return []store.KYCStep{step(payments.KYCStatusUnderReview)}
	case "resubmission":
		return []store.KYCStep{step(payments.KYCStatusResubmissionRequired)}
	case "expired":
		if attempt == 1 {
			return []store.KYCStep{approved, step(payments.KYCStatusExpired)}
		}
	case "paused":
		return []store.KYCStep{approved, step(payments.KYCStatusPaused)}
	case "stuck":
		return nil
	}
	return []store.KYCStep{approved}
}

// Transfer implements service.Script.
func (s Script) Transfer(contact payments.NewSavedContact) []store.TransferStep {
	step := func(state payments.TransferState, reason string) store.TransferStep {
		return store.TransferStep{After: s.SettleDelay, State: state, Reason: reason}
	}
	received := step(payments.TransferStateFundsReceived, "")
	submitted := step(payments.TransferStatePaymentSubmitted, "")
	processed := step(payments.TransferStatePaymentProcessed, "")
	refunded := step(payments.TransferStateRefunded, "")
	steps := []store.TransferStep{received, submitted, processed}
	switch tagAtEnd(contact.Label, transferTag) {
	case "failed":
		return []store.TransferStep{received, step(payments.TransferStateFailed, "provider_declined")}
	case "returned":
		return append(steps, step(payments.TransferStateReturned, "account_closed"), refunded)
	case "undeliverable":
		return []store.TransferStep{received, submitted, step(payments.TransferStateUndeliverable, "beneficiary_rejected"), refunded}
	case "review":
		return append([]store.TransferStep{step(payments.TransferStateInReview, "")}, steps...)
	case "slow":
		for i := range steps {
			steps[i].After *= slowness
		}
	}
	return steps
}
