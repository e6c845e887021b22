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
func (c *Client) GetKYCStatus(
	ctx context.Context, accountID string, since payments.ReadOptions,
) (payments.ReadResult[payments.KYC], error) {
	call := operationCall{op: &contract.GetKYCStatus, params: []string{accountID}, since: since}
	result, err := read(ctx, c, call, c.checkKYC(accountID))
	return payments.ReadResult[payments.KYC]{
		Value: result.Value.KYC, ETag: result.ETag, NotModified: result.NotModified,
	}, err
}

// readKYC reads the identity check of an account from a document. Fault is why that is impossible.
func (c *Client) readKYC(document jsontext.Value, accountID string) (kyc payments.KYC, fault string) {
	var read kycResponse
	if fault := describeJSONError(json.Unmarshal(document, &read)); fault != "" {
		return kyc, fault
	}
	fault = c.checkKYC(accountID)(&read)
	return read.KYC, fault
}

// A kycResponse is an identity check in the form of the contract, or in another form of which only the place of the
// status is known (Config.KYCStatusPointer).
type kycResponse struct {
	payments.KYC
	raw    jsontext.Value
	misfit error // why it does not have the form of the contract; nil if it has
}

// UnmarshalJSON implements json.Unmarshaler. An object of another form is kept as it is.
func (r *kycResponse) UnmarshalJSON(text []byte) error {
	r.raw = jsontext.Value(text).Clone()
	if r.misfit = json.Unmarshal(text, &r.KYC); r.misfit != nil {
		r.KYC = payments.KYC{}
	}
	return nil
}

// checkKYC completes the identity check of an account: it reads the status from its place in the response.
func (c *Client) checkKYC(accountID string) func(*kycResponse) string {
	pointer := jsontext.Pointer(c.config.KYCStatusPointer)
	return func(r *kycResponse) string {
		if r.AccountID == "" {
			r.AccountID = accountID
		}
		if pointer == "" {
			if r.misfit != nil {
				return "is no identity check: " + describeJSONError(r.misfit)
			}
			return missing("status", r.Status != "")
		}
		var document any
		_ = json.Unmarshal(r.raw, &document)
		status, _ := resolvePointer(document, pointer).(string)
		r.Status = payments.KYCStatus(status)
		return missing("status at "+string(pointer), status != "")
	}
}

// resolvePointer returns the value at a JSON Pointer (RFC 6901 section 4); nil if there is none.
func resolvePointer(value any, pointer jsontext.Pointer) any {
	for token := range pointer.Tokens() {
		switch container := value.(type) {
		case map[string]any:
			value = container[token]
		case []any:
			index, err := strconv.Atoi(token)
			if err != nil || strconv.Itoa(index) != token || index < 0 || index >= len(container) {
				return nil
			}
			value = container[index]
		default:
			return nil
		}
	}
	return value
}
