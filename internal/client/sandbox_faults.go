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

func completeFaults(faults *payments.SandboxFaults) string {
	return lacks("faults", faults.Faults != nil)
}
