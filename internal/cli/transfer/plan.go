package transfer

import (
	"context"
	"slices"
	"strings"

	"github.com/payctl/payctl/internal/cli/display"
	"github.com/payctl/payctl/internal/cli/exit"
	"github.com/payctl/payctl/internal/outbox/batch"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/shell"
	"github.com/payctl/payctl/internal/ui"
)

// A plan is a request with the contact, the route and the terms that it has at the service.
type plan struct {
	Request payments.NewAutoTransfer  `json:"request"`
	Contact payments.SavedContact     `json:"contact"`
	Route   payments.TransferRoute    `json:"route"`
	Terms   *payments.TransactionInfo `json:"terms"`

	key payments.RouteKey
}

// makePlan asks the service for the contact, the route and its terms. It changes nothing.
func makePlan(ctx context.Context, service payments.Service, request payments.NewAutoTransfer) (plan, error) {
	p := plan{Request: request}
	key, err := payments.ParseRouteKey(request.Route.RouteKey)
	if err != nil {
		return p, exit.Usage("--route %v", err)
	}
	p.key = key
	contact, err := service.GetSavedContact(ctx, request.DestinationSavedContactID, payments.ReadOptions{})
	if err != nil {
		return p, err
	}
	p.Contact = contact.Value
	isShown := p.Contact.PaymentRail != "" && p.Contact.Currency != ""
	if isShown && (p.Contact.PaymentRail != key.DestinationRail || p.Contact.Currency != key.DestinationCurrency) {
		return p, exit.Usage("the route %s does not lead to the contact %s, which takes %s:%s",
			key, p.Contact.ID, p.Contact.PaymentRail, p.Contact.Currency).
			WithHint(shell.Hint("see payctl routes list --destination RAIL:CURRENCY",
				shell.Values{"RAIL:CURRENCY": p.Contact.PaymentRail + ":" + p.Contact.Currency}))
	}
	info, err := service.SelectRoutes(ctx, payments.RouteSelection{
		SelectedSource:      &payments.RouteEndpoint{PaymentRail: &key.SourceRail, Currency: &key.SourceCurrency},
		SelectedDestination: &payments.RouteEndpoint{PaymentRail: &key.DestinationRail, Currency: &key.DestinationCurrency},
	})
	if err != nil {
		return p, err
	}
	for _, route := range info.Routes {
		if route.RouteKey == request.Route.RouteKey {
			p.Route = route
		}
	}
	if p.Route.RouteKey == "" {
		return p, exit.Usage("the service has no route %s", key).
			WithHint(shell.Hint("see payctl routes list --source RAIL:CURRENCY",
				shell.Values{"RAIL:CURRENCY": key.SourceRail + ":" + key.SourceCurrency}))
	}
	for i, terms := range info.TransactionsInfo {
		if terms.RouteKey == p.Route.RouteKey {
			p.Terms = &info.TransactionsInfo[i]
		}
	}
	if request.Amount != nil {
		decimals, _ := info.Decimals(key, request.AmountType)
		p.Request.Amount = new(request.Amount.Written(decimals))
	}
	return p, nil
}

// view returns the plan for a person.
func (p plan) view() ui.Details {
	source, destination, _ := strings.Cut(p.Route.RouteKey, "->")
	view := slices.Concat(
		ui.Details{{Label: "Amount", Cells: []ui.Cell{ui.Toned(ui.Bold, p.amount())}}},
		display.Field("To", p.Contact.Label+" ("+p.Contact.HolderName+")", p.Contact.ID),
		display.Field("From", source), display.Field("Arrives at", destination),
		display.Field("Flow", string(p.Route.FlowType)+" by "+p.Route.Provider),
	)
	if t := p.Terms; t != nil {
		limits := t.MinAmount.String() + " to " + t.MaxAmount.String() + " " + p.key.SourceCurrency
		view = slices.Concat(view,
			display.Field("Fees", fees(t.Fees)...), display.Field("Rate", t.ExchangeRate.String()),
			display.Field("Limits", limits))
	}
	return slices.Concat(view, display.Field("Reference", p.Request.Reference))
}

// amount returns the amount with the currency of the side that it counts on.
func (p plan) amount() string {
	if p.Request.Amount == nil {
		return "whatever arrives"
	}
	on := p.Request.AmountType
	return batch.Total{Amount: *p.Request.Amount, AmountType: on, Currency: p.key.Currency(on)}.String()
}
