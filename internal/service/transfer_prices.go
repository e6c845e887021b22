package service

import (
	"errors"
	"time"

	"github.com/payctl/payctl/internal/money"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/routes"
	"github.com/payctl/payctl/internal/store"
)

// price sets the amounts and fees of a transfer of an amount.
func price(t *payments.Transfer, route routes.Route, amount money.Decimal, on payments.AmountType) error {
	quote, err := route.Quote(amount, on)
	var outside *routes.BoundsError
	switch {
	case errors.Is(err, routes.ErrTooManyDecimals):
		return payments.NewValidationProblem(tooManyDecimals())
	case errors.As(err, &outside):
		return payments.NewProblem(payments.ProblemLimitExceeded,
			"The amount %s %s is outside the bounds of the route %s: from %s to %s %s.",
			outside.Amount, outside.Currency, route.RouteKey, outside.Min, outside.Max, outside.Currency)
	case err != nil:
		return err
	}
	t.Source.Amount, t.Destination.Amount = &quote.Source, &quote.Destination
	t.ConvertedAmount, t.RoundingResidue = &quote.Converted, &quote.Residue
	t.ExchangeRate, t.Fees = quote.ExchangeRate, quote.Fees
	return nil
}

// tooManyDecimals returns the field error of an amount with too many decimals.
func tooManyDecimals() payments.FieldErrors {
	return payments.FieldErrors{"amount": {"The amount field has more decimals than the currency."}}
}

// reprice sets the amount of a flexible transfer to the deposit.
func reprice(t *store.Transfer, route routes.Route, amount money.Decimal) error {
	priced := *t.Transfer
	if err := price(&priced, route, amount, payments.AmountTypeSource); err != nil {
		return err
	}
	t.Transfer = &priced
	return nil
}

// settlementOf returns when a transfer on a route is expected to settle if its funds arrive now.
func (w *work) settlementOf(route routes.Route) time.Time {
	return w.after(time.Duration(route.Terms.EstimatedSettlementSeconds) * time.Second)
}

// renewSettlement sets the expected settlement again when the funds arrive. An override, or a step that waits for
// reads, can bring them days after the creation.
func (s *Service) renewSettlement(w *work, t *store.Transfer) {
	route, known := s.catalogue.Route(t.Route)
	if !known {
		return
	}
	funded, expected := *t.Transfer, w.settlementOf(route)
	funded.ExpectedSettlementAt = &expected
	t.Transfer = &funded
}

// canReceive reports whether a transfer can receive a deposit. A flexible one needs its route's price.
func (s *Service) canReceive(t *store.Transfer) bool {
	_, known := s.catalogue.Route(t.Route)
	return known || t.Source.Amount != nil
}

// usualDeposit is the deposit of a flexible transfer if the route allows it.
var usualDeposit = money.MustDecimal("100.00")

// receive makes the script's deposit: the transfer's amount, or for a flexible transfer one that the route allows.
func (s *Service) receive(t *store.Transfer) error {
	if t.Source.Amount != nil {
		return nil
	}
	route, known := s.catalogue.Route(t.Route)
	if !known {
		return payments.NewProblem(payments.ProblemConflict, "The catalogue has no route %s any more.", t.Route)
	}
	amount := usualDeposit
	if amount.Cmp(route.Terms.MinAmount) < 0 || amount.Cmp(route.Terms.MaxAmount) > 0 {
		amount = route.Terms.MinAmount
	}
	return reprice(t, route, amount)
}
