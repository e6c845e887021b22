package service

import (
	"context"

	"github.com/payctl/payctl/internal/payments"
)

// SelectRoutes implements payments.Routes.
func (s *Service) SelectRoutes(_ context.Context, selection payments.RouteSelection) (payments.TransferInfo, error) {
	return s.catalogue.Select(selection), nil
}
