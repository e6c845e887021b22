package server

import "github.com/payctl/payctl/internal/payments"

func (x *exchange) handleSelectRoutes() error {
	selection, err := decode[payments.RouteSelection](x, nil)
	if err != nil {
		return err
	}
	return x.reply(x.session.Service.SelectRoutes(x.ctx, selection))
}
