package client

import (
	"context"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/payments"
)

// GetKYCStatus implements payments.KYCChecks. The account is the one that was asked for, where the service does not show
// another.
func (c *Client) GetKYCStatus(
	ctx context.Context, accountID string, since payments.ReadOptions,
) (payments.ReadResult[payments.KYC], error) {
	call := operationCall{op: &contract.GetKYCStatus, params: []string{accountID}, since: since}
	return read(ctx, c, call, kycOf(accountID))
}

// readKYC reads the identity check of an account from a document.
func (c *Client) readKYC(document jsontext.Value, accountID string) (kyc payments.KYC) {
	_ = payments.Read(document, &kyc, c.dialect.TranslateType) // a text that is no JSON has no status
	kycOf(accountID)(&kyc)
	return kyc
}

// kycOf completes the identity check of an account.
func kycOf(accountID string) func(*payments.KYC) string {
	return func(kyc *payments.KYC) string {
		if kyc.AccountID == "" {
			kyc.AccountID = accountID
		}
		return isNothing(kyc.Document)
	}
}
