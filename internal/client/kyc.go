package client

import (
	"context"
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/payments"
)

// GetKYCStatus implements payments.KYCChecks.
func (c *Client) GetKYCStatus(ctx context.Context, accountID string, since payments.Condition) (payments.Reading[payments.KYC], error) {
	reading, err := read(ctx, c, call{op: &contract.GetKYCStatus, params: []string{accountID}, since: since}, c.completeKYC)
	return payments.Reading[payments.KYC]{
		Value: reading.Value.of(accountID, reading.NotModified), ETag: reading.ETag, NotModified: reading.NotModified,
	}, err
}

// SubmitKYC implements payments.KYCChecks.
func (c *Client) SubmitKYC(ctx context.Context, accountID string, submission payments.KYCSubmission, key payments.Idempotency) (payments.Written[payments.KYC], error) {
	written, err := write(ctx, c, call{op: &contract.SubmitKYC, params: []string{accountID}, body: submission, key: key}, c.completeKYC, recovery[kycAnswer]{
		read: func(ctx context.Context, accountID string) (kycAnswer, error) {
			reading, err := read(ctx, c, call{op: &contract.GetKYCStatus, params: []string{accountID}}, c.completeKYC)
			return reading.Value, err
		},
		of: func(a kycAnswer) (subject, state string) { return accountID, string(a.Status) },
	})
	return payments.Written[payments.KYC]{Value: written.Value.of(accountID, err != nil), Replayed: written.Replayed}, err
}

// A kycAnswer is an identity check as the service tells of it: in the contract's form, or in one of its own of which
// only the place of the status is known.
type kycAnswer struct {
	payments.KYC
	foreign jsontext.Value
	misfit  error // why it has not the contract's form; nil when it has
}

// UnmarshalJSON implements json.Unmarshaler. An object that has not the contract's form is kept as it is.
func (a *kycAnswer) UnmarshalJSON(text []byte) error {
	a.foreign = jsontext.Value(text).Clone()
	if a.misfit = json.Unmarshal(text, &a.KYC); a.misfit != nil {
		a.KYC = payments.KYC{}
	}
	return nil
}

// of is the identity check of an account; the zero KYC when there is none.
func (a kycAnswer) of(accountID string, none bool) payments.KYC {
	if none {
		return payments.KYC{}
	}
	if a.AccountID == "" {
		a.AccountID = accountID
	}
	return a.KYC
}

// completeKYC reads the status from where the service has it.
func (c *Client) completeKYC(answer *kycAnswer) string {
	pointer := jsontext.Pointer(c.config.KYCStatusPointer)
	if pointer == "" {
		if answer.misfit != nil {
			return "is no identity check: " + describe(answer.misfit)
		}
		return lacks("status", answer.Status != "")
	}
	value, found := pointed(answer.foreign, pointer)
	var status string
	if !found || json.Unmarshal(value, &status) != nil || status == "" {
		return "has no status at " + string(pointer)
	}
	answer.Status = payments.KYCStatus(status)
	return ""
}

// pointed is the value at a JSON Pointer (RFC 6901 section 4).
func pointed(value jsontext.Value, pointer jsontext.Pointer) (jsontext.Value, bool) {
	for token := range pointer.Tokens() {
		switch value.Kind() {
		case '{':
			var members map[string]jsontext.Value
			if json.Unmarshal(value, &members) != nil {
				return nil, false
			}
			member, ok := members[token]
			if !ok {
				return nil, false
			}
			value = member
		case '[':
			var elements []jsontext.Value
			index, err := strconv.ParseUint(token, 10, 31)
			if err != nil || len(token) > 1 && token[0] == '0' || json.Unmarshal(value, &elements) != nil || index >= uint64(len(elements)) {
				return nil, false
			}
			value = elements[index]
		default:
			return nil, false
		}
	}
	return value, true
}
