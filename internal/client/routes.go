package client

import (
	"context"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/payments"
)

// SelectRoutes implements payments.Routes.
func (c *Client) SelectRoutes(ctx context.Context, selection payments.RouteSelection) (payments.TransferInfo, error) {
	return fetch(ctx, c, operationCall{op: &contract.SelectRoutes, body: selection},
		func(info *payments.TransferInfo) string { return missing("routes", info.Routes != nil) })
}
