package client

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/payments"
)

// GetSandboxClock implements payments.Sandbox.
func (c *Client) GetSandboxClock(ctx context.Context) (payments.SandboxClock, error) {
	return fetch[payments.SandboxClock](ctx, c, operationCall{op: &contract.GetSandboxClock})
}

// SetSandboxClock implements payments.Sandbox.
func (c *Client) SetSandboxClock(
	ctx context.Context, settings payments.SandboxClockSettings,
) (payments.SandboxClock, error) {
	return fetch[payments.SandboxClock](ctx, c, operationCall{op: &contract.SetSandboxClock, body: settings})
}

// AdvanceSandboxClock implements payments.Sandbox.
func (c *Client) AdvanceSandboxClock(
	ctx context.Context, advance payments.SandboxAdvance, key payments.Idempotency,
) (payments.WriteResult[payments.SandboxClock], error) {
	call := operationCall{op: &contract.AdvanceSandboxClock, body: advance, key: key.Key}
	return writeSandbox[payments.SandboxClock](ctx, c, call)
}

// SetSandboxKYC implements payments.Sandbox.
func (c *Client) SetSandboxKYC(
	ctx context.Context, accountID string, change payments.SandboxKYC,
) (payments.KYC, error) {
	call := operationCall{op: &contract.SetSandboxKYC, params: []string{accountID}, body: change}
	return fetch[payments.KYC](ctx, c, call)
}

// CreateSandboxDeposit implements payments.Sandbox.
func (c *Client) CreateSandboxDeposit(
	ctx context.Context, transferID string, deposit payments.SandboxDeposit, key payments.Idempotency,
) (payments.WriteResult[payments.Transfer], error) {
	call := operationCall{op: &contract.CreateSandboxDeposit, params: []string{transferID}, body: deposit, key: key.Key}
	return writeSandbox[payments.Transfer](ctx, c, call)
}

// SetSandboxTransferState implements payments.Sandbox.
func (c *Client) SetSandboxTransferState(
	ctx context.Context, transferID string, change payments.SandboxTransferState,
) (payments.Transfer, error) {
	call := operationCall{op: &contract.SetSandboxTransferState, params: []string{transferID}, body: change}
	return fetch[payments.Transfer](ctx, c, call)
}

// ListSandboxFaults implements payments.Sandbox.
func (c *Client) ListSandboxFaults(ctx context.Context) (payments.SandboxFaults, error) {
	return fetch[payments.SandboxFaults](ctx, c, operationCall{op: &contract.ListSandboxFaults})
}

// SetSandboxFaults implements payments.Sandbox.
func (c *Client) SetSandboxFaults(ctx context.Context, faults payments.SandboxFaults) (payments.SandboxFaults, error) {
	return fetch[payments.SandboxFaults](ctx, c, operationCall{op: &contract.SetSandboxFaults, body: faults})
}

// ClearSandboxFaults implements payments.Sandbox.
func (c *Client) ClearSandboxFaults(ctx context.Context) error {
	return c.callForNoContent(ctx, operationCall{op: &contract.ClearSandboxFaults})
}

// ListSandboxRequests implements payments.Sandbox.
func (c *Client) ListSandboxRequests(ctx context.Context, q payments.PageQuery) (payments.SandboxRequestPage, error) {
	return fetch[payments.SandboxRequestPage](ctx, c,
		operationCall{op: &contract.ListSandboxRequests, query: pageQuery(q)})
}

// ClearSandboxRequests implements payments.Sandbox.
func (c *Client) ClearSandboxRequests(ctx context.Context) error {
	return c.callForNoContent(ctx, operationCall{op: &contract.ClearSandboxRequests})
}

// ListSandboxPages implements payments.Sandbox.
func (c *Client) ListSandboxPages(ctx context.Context) (payments.SandboxPages, error) {
	return fetch[payments.SandboxPages](ctx, c, operationCall{op: &contract.ListSandboxPages})
}

// ResetSandbox implements payments.Sandbox.
func (c *Client) ResetSandbox(ctx context.Context) (payments.SandboxWorld, error) {
	return fetch[payments.SandboxWorld](ctx, c, operationCall{op: &contract.ResetSandbox})
}

// GetSandboxSnapshot implements payments.Sandbox.
func (c *Client) GetSandboxSnapshot(ctx context.Context) (payments.SandboxSnapshot, error) {
	return fetch[payments.SandboxSnapshot](ctx, c, operationCall{op: &contract.GetSandboxSnapshot})
}

// RestoreSandboxSnapshot implements payments.Sandbox.
func (c *Client) RestoreSandboxSnapshot(
	ctx context.Context, snapshot payments.SandboxSnapshot,
) (payments.SandboxWorld, error) {
	return fetch[payments.SandboxWorld](ctx, c, operationCall{op: &contract.RestoreSandboxSnapshot, body: snapshot})
}

// writeSandbox calls an operation of the sandbox that takes an idempotency key. It moves no money and the sandbox shows
// its effect, so it is sent again wherever keys are honoured.
func writeSandbox[T any](
	ctx context.Context, c *Client, call operationCall,
) (payments.WriteResult[T], error) {
	call.maySend = func(ctx context.Context, lost error) error {
		if lost != nil && !c.HonoursKeys(ctx, true) {
			return lost
		}
		return nil
	}
	value, response, err := fetchWithResponse[T](ctx, c, call, nil)
	return payments.WriteResult[T]{Value: value, Replayed: err == nil && isReplay(response)}, err
}

// requireSandbox returns an error unless the service is a reference service with a sandbox. It asks with a read, unless
// the sandbox was read before. The effect of a reset on any other service is not known.
func (c *Client) requireSandbox(ctx context.Context) error {
	if c.hasSandbox.Load() || c.config.Curl != nil {
		return nil
	}
	_, err := c.GetSandboxClock(ctx)
	return err
}

// checkSandbox replaces the error of a call of the sandbox if the service has no sandbox.
func (c *Client) checkSandbox(response *payments.Response, err error) error {
	problem, isProblem := errors.AsType[*payments.ProblemError](err)
	isAbsent := isProblem && (problem.Status == http.StatusNotFound || problem.Status == http.StatusMethodNotAllowed)
	switch {
	case err == nil && (field(response, "Payctl-World") != "" || isReferenceService(response.Header)):
		c.hasSandbox.Store(true)
		return nil
	case err != nil && (c.hasSandbox.Load() || !isAbsent):
		return err
	}
	detail := "%s is not a reference service, so it has no sandbox. Nothing was changed. " +
		"Name a reference service with --base-url or a profile; `payctl serve` starts one."
	if strings.HasPrefix(c.Server(), "payctl/") {
		detail = "The reference service at %s was started with --no-sandbox. Nothing was changed. Start it without that flag."
	}
	return payments.NewLocalProblem(payments.ProblemNoSandbox, err, "The service has no sandbox.", detail, c.origin)
}
