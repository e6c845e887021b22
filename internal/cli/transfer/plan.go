package transfer

import (
	"context"
	"fmt"
	"strings"

	"github.com/payctl/payctl/internal/cli/deps"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/term"
)

// A plan is what would be sent, and on what terms.
type plan struct {
	Request payments.NewAutoTransfer  `json:"request"`
	Contact payments.SavedContact     `json:"contact"`
	Route   payments.Route            `json:"route"`
	Terms   *payments.TransactionInfo `json:"terms"`
}

// makePlan asks the service what the route costs and whose contact it is. Nothing is changed by it.
func makePlan(ctx context.Context, service payments.Service, request payments.NewAutoTransfer) (plan, error) {
	p := plan{Request: request}
	if request.DestinationSavedContactID == "" || request.Route == "" {
		return p, deps.Usage("--contact and --route are required")
	}
	key, err := payments.ParseRouteKey(string(request.Route))
	if err != nil {
		return p, deps.Usage("--route %v", err)
	}
	if p.Contact, err = service.GetSavedContact(ctx, request.DestinationSavedContactID); err != nil {
		return p, err
	}
	if p.Contact.PaymentRail != key.DestinationRail || p.Contact.Currency != key.DestinationCurrency {
		return p, &deps.UsageError{
			Reason: fmt.Sprintf("the route %s does not lead to the contact %s, which takes %s:%s",
				request.Route, p.Contact.ID, p.Contact.PaymentRail, p.Contact.Currency),
			Hint: "see payctl routes select --destination " + p.Contact.PaymentRail + ":" + p.Contact.Currency,
		}
	}
	info, err := service.SelectRoutes(ctx, payments.RouteSelection{
		SelectedSource:      &payments.RouteEndpoint{PaymentRail: &key.SourceRail, Currency: &key.SourceCurrency},
		SelectedDestination: &payments.RouteEndpoint{PaymentRail: &key.DestinationRail, Currency: &key.DestinationCurrency},
	})
	if err != nil {
		return p, err
	}
	for _, route := range info.Routes {
		if route.RouteKey == string(request.Route) {
			p.Route = route
		}
	}
	if p.Route.RouteKey == "" {
		return p, &deps.UsageError{
			Reason: fmt.Sprintf("the service has no route %s", request.Route),
			Hint:   "see payctl routes select --source " + key.SourceRail + ":" + key.SourceCurrency,
		}
	}
	for i, terms := range info.TransactionsInfo {
		if terms.RouteKey == p.Route.RouteKey {
			p.Terms = &info.TransactionsInfo[i]
		}
	}
	return p, nil
}

// view shows the plan to a person.
func (p plan) view() term.Details {
	source, destination, _ := strings.Cut(p.Route.RouteKey, "->")
	view := term.Details{
		{Label: "Amount", Cells: []term.Cell{term.Toned(term.Bold, p.amount())}},
		{Label: "To", Cells: []term.Cell{term.Text(p.Contact.Label + " (" + p.Contact.HolderName + ")"), term.Text(p.Contact.ID)}},
		{Label: "From", Cells: []term.Cell{term.Text(source)}},
		{Label: "Arrives at", Cells: []term.Cell{term.Text(destination)}},
		{Label: "Flow", Cells: []term.Cell{term.Text(string(p.Route.FlowType) + " by " + p.Route.Provider)}},
	}
	if p.Terms != nil {
		cells := []term.Cell{}
		for _, line := range fees(p.Terms.Fees) {
			cells = append(cells, term.Text(line))
		}
		if len(cells) > 0 {
			view = append(view, term.Field{Label: "Fees", Cells: cells})
		}
		view = append(view,
			term.Field{Label: "Rate", Cells: []term.Cell{term.Text(p.Terms.ExchangeRate.String())}},
			term.Field{Label: "Bounds", Cells: []term.Cell{term.Text(p.Terms.MinAmount.String() + " to " + p.Terms.MaxAmount.String() + " " + p.currency(source))}})
	}
	if p.Request.Reference != "" {
		view = append(view, term.Field{Label: "Reference", Cells: []term.Cell{term.Text(p.Request.Reference)}})
	}
	return view
}

// amount is the amount with the currency of the side that it counts on.
func (p plan) amount() string {
	if p.Request.Amount == nil {
		return "whatever arrives"
	}
	source, destination, _ := strings.Cut(p.Route.RouteKey, "->")
	if p.Request.AmountType == payments.AmountTypeTarget {
		return p.Request.Amount.String() + " " + p.currency(destination) + " delivered"
	}
	return p.Request.Amount.String() + " " + p.currency(source)
}

func (p plan) currency(endpoint string) string {
	_, currency, _ := strings.Cut(endpoint, ":")
	return currency
}

// within refuses an amount that counts on the target and would take more of the source than is allowed.
func (p plan) within(most string) error {
	limit, err := payments.ParseDecimal(most)
	if err != nil {
		return deps.Usage("--max-amount %v", err)
	}
	needed, ok := p.sourceAmount()
	if !ok {
		return deps.Usage("--max-amount cannot be checked: the service does not tell the rate and the fees of %s", p.Route.RouteKey)
	}
	if needed.Cmp(limit) > 0 {
		source, destination, _ := strings.Cut(p.Route.RouteKey, "->")
		return deps.Usage("delivering %s %s takes %s %s with fees, which is more than --max-amount %s",
			p.Request.Amount, p.currency(destination), needed, p.currency(source), limit)
	}
	return nil
}

// sourcePlaces is how finely a source amount is reckoned: finer than any currency but ETH, whose last places are worth
// nothing.
const sourcePlaces = 8

// sourceAmount is what delivering the target amount takes from the source, fees included, never less than it really is.
// ok is false when the terms do not tell.
func (p plan) sourceAmount() (amount payments.Decimal, ok bool) {
	if p.Terms == nil || p.Terms.ExchangeRate.Zero() {
		return amount, false
	}
	delivered, fixed, kept := *p.Request.Amount, payments.Decimal{}, payments.Unit(0)
	for _, fee := range p.Terms.Fees {
		switch {
		case fee.Amount != nil && fee.Side == "destination":
			delivered = delivered.Add(*fee.Amount)
		case fee.Amount != nil && fee.Side == "source":
			fixed = fixed.Add(*fee.Amount)
		case fee.Rate != nil && fee.Side == "source":
			if kept, ok = kept.Sub(*fee.Rate); !ok || kept.Zero() {
				return amount, false
			}
		default:
			return amount, false
		}
	}
	return delivered.DivUp(p.Terms.ExchangeRate, sourcePlaces).Add(fixed).DivUp(kept, sourcePlaces), true
}
