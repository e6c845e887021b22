package client

import (
	"context"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/payments"
)

// SetSandboxKYC implements payments.SandboxHands.
func (c *Client) SetSandboxKYC(ctx context.Context, accountID string, change payments.SandboxKYC) (payments.KYC, error) {
	return sandboxed(ctx, c, call{op: &contract.SetSandboxKYC, params: []string{accountID}, body: change},
		func(kyc *payments.KYC) string { return lacks("status", kyc.Status != "") })
}

// CreateSandboxDeposit implements payments.SandboxHands.
func (c *Client) CreateSandboxDeposit(ctx context.Context, transferID string, deposit payments.SandboxDeposit, key payments.Idempotency) (payments.Written[payments.Transfer], error) {
	return sandboxedWrite(ctx, c, call{op: &contract.CreateSandboxDeposit, params: []string{transferID}, body: deposit, key: key}, completeTransfer)
}

// SetSandboxTransferState implements payments.SandboxHands.
func (c *Client) SetSandboxTransferState(ctx context.Context, transferID string, change payments.SandboxTransferState) (payments.Transfer, error) {
	return sandboxed(ctx, c, call{op: &contract.SetSandboxTransferState, params: []string{transferID}, body: change}, completeTransfer)
}
