package client

import (
	"context"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/payments"
)

// ListSandboxFaults implements payments.SandboxFaultInjection.
func (c *Client) ListSandboxFaults(ctx context.Context) (payments.SandboxFaults, error) {
	return sandboxed(ctx, c, call{op: &contract.ListSandboxFaults}, completeFaults)
}

// SetSandboxFaults implements payments.SandboxFaultInjection.
func (c *Client) SetSandboxFaults(ctx context.Context, faults payments.SandboxFaults) (payments.SandboxFaults, error) {
	return sandboxed(ctx, c, call{op: &contract.SetSandboxFaults, body: faults}, completeFaults)
}

// ClearSandboxFaults implements payments.SandboxFaultInjection.
func (c *Client) ClearSandboxFaults(ctx context.Context) error {
	return c.sandboxedDelete(ctx, &contract.ClearSandboxFaults)
}

// ListSandboxRequests implements payments.SandboxRequestLog.
func (c *Client) ListSandboxRequests(ctx context.Context, q payments.PageQuery) (payments.SandboxRequestPage, error) {
	return sandboxed(ctx, c, call{op: &contract.ListSandboxRequests, query: pageQuery(q)},
		func(page *payments.SandboxRequestPage) string { return lacks("data", page.Data != nil) })
}

// ClearSandboxRequests implements payments.SandboxRequestLog.
func (c *Client) ClearSandboxRequests(ctx context.Context) error {
	return c.sandboxedDelete(ctx, &contract.ClearSandboxRequests)
}

func completeFaults(faults *payments.SandboxFaults) string {
	return lacks("faults", faults.Faults != nil)
}

// sandboxedDelete makes a call to the sandbox that has no answer but that it was done.
func (c *Client) sandboxedDelete(ctx context.Context, op *contract.Operation) error {
	if err := c.findSandbox(ctx); err != nil {
		return err
	}
	_, err := c.call(ctx, call{op: op}, nil)
	return err
}
