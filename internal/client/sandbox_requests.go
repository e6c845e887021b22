package client

import (
	"context"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/payments"
)

// ListSandboxRequests implements payments.SandboxRequestLog.
func (c *Client) ListSandboxRequests(ctx context.Context, q payments.PageQuery) (payments.SandboxRequestPage, error) {
	return sandboxed(ctx, c, call{op: &contract.ListSandboxRequests, query: pageQuery(q)},
		func(page *payments.SandboxRequestPage) string { return lacks("data", page.Data != nil) })
}

// ClearSandboxRequests implements payments.SandboxRequestLog.
func (c *Client) ClearSandboxRequests(ctx context.Context) error {
	return c.sandboxedDelete(ctx, &contract.ClearSandboxRequests)
}
