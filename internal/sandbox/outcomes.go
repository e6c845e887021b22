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

// The delays of a sandbox without others.
const (
	DefaultKYCDelay    = 2 * time.Second
	DefaultSettleDelay = 500 * time.Millisecond
)

// FundingLifetime is how long a transfer waits for a deposit by the client before it expires, by the world's clock.
const FundingLifetime = 7 * 24 * time.Hour

// Script plans the steps of identity checks and transfers. A tag chooses another outcome. It stands in an account's
// e-mail address (name+kyc-rejected@example.com) or at the end of a contact's label (Ada+transfer-failed). With the tag
// polls-N, or a tag that ends in -polls-N, each step waits for N reads instead of a time.
type Script struct {
	// KYCDelay is the time from a submission to its result, SettleDelay the time of each step of a transfer.
	KYCDelay, SettleDelay time.Duration
}

var _ service.Script = Script{}

const (
	kycTag      = "+kyc-"
	transferTag = "+transfer-"
)

// kycOutcomes are the statuses after a submission, by tag. Without a tag from this table, the submission is approved.
var kycOutcomes = map[string][]payments.KYCStatus{
	"rejected":     {payments.KYCStatusRejected},
	"under-review": {payments.KYCStatusUnderReview},
	"resubmission": {payments.KYCStatusResubmissionRequired},
	"expired":      {payments.KYCStatusApproved, payments.KYCStatusExpired}, // for the first submission only
	"paused":       {payments.KYCStatusApproved, payments.KYCStatusPaused},
	"stuck":        {},
}

var (
	received  = store.TransferStep{State: payments.TransferStateFundsReceived}
	submitted = store.TransferStep{State: payments.TransferStatePaymentSubmitted}
	processed = store.TransferStep{State: payments.TransferStatePaymentProcessed}
	refunded  = store.TransferStep{State: payments.TransferStateRefunded}
)

// defaultSteps are the steps of a transfer without a tag from transferOutcomes.
var defaultSteps = []store.TransferStep{received, submitted, processed}

// transferOutcomes are the steps of a transfer, by tag.
var transferOutcomes = map[string][]store.TransferStep{
	"failed": {received, {State: payments.TransferStateFailed, Reason: "provider_declined"}},
	"returned": {received, submitted, processed,
		{State: payments.TransferStateReturned, Reason: "account_closed"}, refunded},
	"undeliverable": {received, submitted,
		{State: payments.TransferStateUndeliverable, Reason: "beneficiary_rejected"}, refunded},
	"review": {{State: payments.TransferStateInReview}, received, submitted, processed},
}

// slowFactor makes each step of a transfer with the tag slow last 10 s by default, so that people can see each state.
const slowFactor = 20

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
		planned = defaultSteps
	}
	delay := s.SettleDelay
	if outcome == "slow" {
		delay = min(delay, math.MaxInt64/slowFactor) * slowFactor
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

// parseTag parses the text after the last marker, in lower case: the outcome, and how many reads each step waits for.
// Zero reads mean that steps wait for a time.
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
