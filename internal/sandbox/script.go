package sandbox

import (
	"strconv"
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

// FundingLifetime is how long a transfer waits for a deposit that has to be made by hand, by the world's clock, before it
// expires.
const FundingLifetime = 7 * 24 * time.Hour

// Script is what happens by itself. Tests force an outcome with a tag: in an account's e-mail address
// (name+kyc-rejected@example.com), or at the end of a contact's label (Ada+transfer-failed). A tag that is polls-N, or
// ends in -polls-N, lets each step wait for N reads instead of a time.
type Script struct {
	// KYCDelay is the time from a submission to its verdict, SettleDelay that of each step of a transfer.
	KYCDelay, SettleDelay time.Duration
	// ManualDeposits lets transfers wait for deposits that are made by hand.
	ManualDeposits bool
}

var _ service.Script = Script{}

const (
	kycTag      = "+kyc-"
	transferTag = "+transfer-"
)

// slowness is how many times longer a transfer takes that is tagged slow.
const slowness = 20

// kycOutcome is the tag of an e-mail address, taken apart; empty when it has none.
func kycOutcome(email string) (outcome string, count int) {
	local, _, _ := strings.Cut(email, "@")
	return polls(tagAtEnd(local, kycTag))
}

// maxPolls is the most reads that a step can wait for.
const maxPolls = 1000

// polls takes a tag apart: the outcome, and how many reads each step waits for. Zero polls: steps come by time.
func polls(tag string) (outcome string, count int) {
	at := strings.LastIndex(tag, "polls-")
	if at < 0 || at > 0 && tag[at-1] != '-' {
		return tag, 0
	}
	count, err := strconv.Atoi(tag[at+len("polls-"):])
	if err != nil || count < 1 || count > maxPolls {
		return tag, 0
	}
	return strings.TrimSuffix(tag[:at], "-"), count
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
	outcome, _ := kycOutcome(account.Email)
	return outcome == "incomplete"
}

// KYC implements service.Script. A tag counts for the first submission and, where it asks for another, for those too.
func (s Script) KYC(account payments.Account, first bool) []store.KYCStep {
	outcome, count := kycOutcome(account.Email)
	steps := s.kyc(outcome, first)
	for i := range steps {
		steps[i].Polls = count
	}
	return steps
}

func (s Script) kyc(outcome string, first bool) []store.KYCStep {
	step := func(status payments.KYCStatus) store.KYCStep { return store.KYCStep{After: s.KYCDelay, Status: status} }
	approved := step(payments.KYCStatusApproved)
	switch outcome {
	case "rejected":
		return []store.KYCStep{step(payments.KYCStatusRejected)}
	case "under-review":
		return []store.KYCStep{step(payments.KYCStatusUnderReview)}
	case "resubmission":
		return []store.KYCStep{step(payments.KYCStatusResubmissionRequired)}
	case "expired":
		if first {
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
	outcome, count := polls(tagAtEnd(contact.Label, transferTag))
	steps := s.transfer(outcome)
	for i := range steps {
		steps[i].Polls = count
	}
	if s.ManualDeposits || outcome == "unfunded" {
		steps[0].ByDeposit, steps[0].After, steps[0].Polls = true, FundingLifetime, 0
	}
	return steps
}

func (s Script) transfer(outcome string) []store.TransferStep {
	step := func(state payments.TransferState, reason string) store.TransferStep {
		return store.TransferStep{After: s.SettleDelay, State: state, Reason: reason}
	}
	received := step(payments.TransferStateFundsReceived, "")
	submitted := step(payments.TransferStatePaymentSubmitted, "")
	processed := step(payments.TransferStatePaymentProcessed, "")
	refunded := step(payments.TransferStateRefunded, "")
	steps := []store.TransferStep{received, submitted, processed}
	switch outcome {
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
