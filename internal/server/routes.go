package server

import "github.com/payctl/payctl/internal/payments"

func (c *call) selectRoutes() error {
	selection, err := decode[payments.RouteSelection](c, nil)
	if err != nil {
		return err
	}
	info, err := c.session.Service.SelectRoutes(c.r.Context(), selection)
	if err != nil {
		return err
	}
	return c.reply(info)
}
