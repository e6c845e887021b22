package sandbox

import (
	"math"
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

// FundingLifetime is how long a transfer waits for a deposit by the client before it expires, by the world's clock.
const FundingLifetime = 7 * 24 * time.Hour

// Script plans what happens by itself. A tag chooses another outcome: in an account's e-mail address
// (name+kyc-rejected@example.com), or at the end of a contact's label (Ada+transfer-failed). A tag that is polls-N, or
// ends in -polls-N, lets each step wait for N reads instead of a time.
type Script struct {
	// KYCDelay is the time from a submission to its result, SettleDelay that of each step of a transfer.
	KYCDelay, SettleDelay time.Duration
}

var _ service.Script = Script{}

const (
	kycTag      = "+kyc-"
	transferTag = "+transfer-"
)

// kycOutcomes holds the statuses that follow a submission, by tag. With any other tag, or none, it is approved.
var kycOutcomes = map[string][]payments.KYCStatus{
	"rejected":     {payments.KYCStatusRejected},
	"under-review": {payments.KYCStatusUnderReview},
	"resubmission": {payments.KYCStatusResubmissionRequired},
	"expired":      {payments.KYCStatusApproved, payments.KYCStatusExpired}, // for the first submission only
	"paused":       {payments.KYCStatusApproved, payments.KYCStatusPaused},
	"stuck":        {},
}

// Steps of transfers.
var (
	received  = store.TransferStep{State: payments.TransferStateFundsReceived}
	submitted = store.TransferStep{State: payments.TransferStatePaymentSubmitted}
	processed = store.TransferStep{State: payments.TransferStatePaymentProcessed}
	refunded  = store.TransferStep{State: payments.TransferStateRefunded}
)

// usualTransfer holds the steps of a transfer with no tag, or one that transferOutcomes does not have.
var usualTransfer = []store.TransferStep{received, submitted, processed}

// transferOutcomes holds the steps of a transfer, by tag.
var transferOutcomes = map[string][]store.TransferStep{
	"failed": {received, {State: payments.TransferStateFailed, Reason: "provider_declined"}},
	"returned": {received, submitted, processed,
		{State: payments.TransferStateReturned, Reason: "account_closed"}, refunded},
	"undeliverable": {received, submitted,
		{State: payments.TransferStateUndeliverable, Reason: "beneficiary_rejected"}, refunded},
	"review": {{State: payments.TransferStateInReview}, received, submitted, processed},
}

// slowness is how many times longer each step of a transfer with the tag slow takes: 10 s by default, which is long
// enough to look at each state.
const slowness = 20

// maxPolls is the most reads that a step can wait for.
const maxPolls = 1000

// Incomplete implements service.Script.
func (Script) Incomplete(account payments.Account) bool {
	outcome, _ := kycOutcome(account.Email)
	return outcome == "incomplete"
}

// KYC implements service.Script.
func (s Script) KYC(account payments.Account, first bool) (steps []store.KYCStep) {
	outcome, polls := kycOutcome(account.Email)
	statuses, ok := kycOutcomes[outcome]
	if !ok || outcome == "expired" && !first {
		statuses = []payments.KYCStatus{payments.KYCStatusApproved}
	}
	for _, status := range statuses {
		steps = append(steps, store.KYCStep{After: s.KYCDelay, Status: status, Polls: polls})
	}
	return steps
}

// Transfer implements service.Script.
func (s Script) Transfer(contact payments.NewSavedContact) []store.TransferStep {
	outcome, polls := parseTag(contact.Label, transferTag)
	planned, ok := transferOutcomes[outcome]
	if !ok {
		planned = usualTransfer
	}
	delay := s.SettleDelay
	if outcome == "slow" {
		delay = min(delay, math.MaxInt64/slowness) * slowness
	}
	steps := make([]store.TransferStep, len(planned))
	for i, step := range planned {
		step.After, step.Polls = delay, polls
		steps[i] = step
	}
	if outcome == "unfunded" {
		steps[0].ByDeposit, steps[0].After, steps[0].Polls = true, FundingLifetime, 0
	}
	return steps
}

// kycOutcome parses the tag of an e-mail address.
func kycOutcome(email string) (outcome string, polls int) {
	local, _, _ := strings.Cut(email, "@")
	return parseTag(local, kycTag)
}

// parseTag parses what follows the last marker in a text, in lower case: the outcome, and how many reads each step waits
// for; zero: steps come by time.
func parseTag(text, marker string) (outcome string, polls int) {
	text = strings.ToLower(text)
	at := strings.LastIndex(text, marker)
	if at < 0 {
		return "", 0
	}
	tag := text[at+len(marker):]
	at = strings.LastIndex(tag, "polls-")
	if at < 0 || at > 0 && tag[at-1] != '-' {
		return tag, 0
	}
	polls, err := strconv.Atoi(tag[at+len("polls-"):])
	if err != nil || polls < 1 || polls > maxPolls {
		return tag, 0
	}
	return strings.TrimSuffix(tag[:at], "-"), polls
}
