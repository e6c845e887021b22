package client

import (
	"context"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/payments"
)

// GetSandboxClock implements payments.SandboxTime.
func (c *Client) GetSandboxClock(ctx context.Context) (payments.SandboxClock, error) {
	return sandboxed(ctx, c, call{op: &contract.GetSandboxClock}, completeClock)
}

// SetSandboxClock implements payments.SandboxTime.
func (c *Client) SetSandboxClock(ctx context.Context, settings payments.SandboxClockSettings) (payments.SandboxClock, error) {
	return sandboxed(ctx, c, call{op: &contract.SetSandboxClock, body: settings}, completeClock)
}

// AdvanceSandboxClock implements payments.SandboxTime.
func (c *Client) AdvanceSandboxClock(ctx context.Context, advance payments.SandboxAdvance, key payments.Idempotency) (payments.Written[payments.SandboxClock], error) {
	return sandboxedWrite(ctx, c, call{op: &contract.AdvanceSandboxClock, body: advance, key: key}, completeClock)
}

func completeClock(clock *payments.SandboxClock) string { return lacks("mode", clock.Mode != "") }
