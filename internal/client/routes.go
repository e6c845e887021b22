package client

import (
	"context"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/payments"
)

// SelectRoutes implements payments.Routes.
func (c *Client) SelectRoutes(ctx context.Context, selection payments.RouteSelection) (payments.TransferInfo, error) {
	info, _, err := perform(ctx, c, call{op: &contract.SelectRoutes, body: selection},
		func(info *payments.TransferInfo) string { return lacks("routes", info.Routes != nil) })
	return info, err
}
