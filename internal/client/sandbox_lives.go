package client

import (
	"context"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/payments"
)

// ResetSandbox implements payments.SandboxLives.
func (c *Client) ResetSandbox(ctx context.Context) (payments.SandboxWorld, error) {
	return sandboxed(ctx, c, call{op: &contract.ResetSandbox}, completeWorld)
}

// GetSandboxSnapshot implements payments.SandboxLives.
func (c *Client) GetSandboxSnapshot(ctx context.Context) (payments.SandboxSnapshot, error) {
	return sandboxed(ctx, c, call{op: &contract.GetSandboxSnapshot},
		func(snapshot *payments.SandboxSnapshot) string { return lacks("world", len(snapshot.World) > 0) })
}

// RestoreSandboxSnapshot implements payments.SandboxLives.
func (c *Client) RestoreSandboxSnapshot(ctx context.Context, snapshot payments.SandboxSnapshot) (payments.SandboxWorld, error) {
	return sandboxed(ctx, c, call{op: &contract.RestoreSandboxSnapshot, body: snapshot}, completeWorld)
}

func completeWorld(world *payments.SandboxWorld) string {
	return lacks("instance", world.Instance != "")
}
