package server_test

import (
	"strings"

	"github.com/payctl/payctl/internal/payments"
)

// The catalogue as the contract's prose has it, computed here apart from the service.

type end struct {
	rail, currency, provider string
	onlyDestination          bool
}

var ends = []end{
	{"ach", "USD", "northbank", false}, {"ach_same_day", "USD", "northbank", true}, {"wire", "USD", "northbank", false},
	{"rtp", "USD", "northbank", true}, {"swift", "USD", "northbank", true},
	{"sepa", "EUR", "europay", false}, {"sepa_instant", "EUR", "europay", false}, {"faster_payments", "GBP", "albion", false},
	{"pix", "BRL", "latampay", false}, {"spei", "MXN", "latampay", false},
	{"ethereum", "USDC", "chainline", false}, {"base", "USDC", "chainline", false}, {"polygon", "USDC", "chainline", false},
	{"arbitrum", "USDC", "chainline", false}, {"optimism", "USDC", "chainline", false}, {"avalanche", "USDC", "chainline", false},
	{"solana", "USDC", "chainline", false}, {"stellar", "USDC", "chainline", false},
	{"ethereum", "USDT", "chainline", false}, {"tron", "USDT", "chainline", false},
	{"ethereum", "EURC", "chainline", false}, {"base", "EURC", "chainline", false},
	{"ethereum", "PYUSD", "chainline", false}, {"ethereum", "ETH", "chainline", false}, {"bitcoin", "BTC", "chainline", false},
}

func (e end) chain() bool { return e.provider == "chainline" }
func (e end) sepa() bool  { return strings.HasPrefix(e.rail, "sepa") }
func (e end) is(name string) bool {
	return e.rail+":"+e.currency == name
}

// flow is the kind of flow between two ends; empty when there is no route.
func flow(from, to end) payments.FlowType {
	if from.onlyDestination {
		return ""
	}
	switch {
	case !from.chain() && to.chain():
		achOrWire := from.rail == "ach" || from.rail == "wire"
		if to.currency == "USDC" || from.sepa() && to.currency == "EURC" || achOrWire && to.currency != "EURC" {
			return payments.FlowTypeOnramp
		}
	case from.chain() && !to.chain():
		dollars := (from.currency == "USDT" || from.currency == "PYUSD") && to.currency == "USD"
		if from.currency == "USDC" || dollars || from.currency == "EURC" && to.sepa() {
			return payments.FlowTypeOfframp
		}
	case from.chain():
		switch {
		case from.currency != to.currency:
			return payments.FlowTypeSwap
		case from.rail != to.rail:
			return payments.FlowTypeBridge
		}
		return payments.FlowTypeTransfer
	case from.is("sepa:EUR") && to.is("wire:USD"), from.is("wire:USD") && to.is("sepa:EUR"),
		from.is("sepa:EUR") && to.is("faster_payments:GBP"), from.is("faster_payments:GBP") && to.is("sepa:EUR"):
		return payments.FlowTypeFx
	}
	return ""
}

func (e end) fits(wanted *payments.RouteEndpoint) bool {
	if wanted == nil {
		return true
	}
	for _, pair := range [][2]*string{{wanted.PaymentRail, &e.rail}, {wanted.Currency, &e.currency}, {wanted.Provider, &e.provider}} {
		if pair[0] != nil && *pair[0] != *pair[1] {
			return false
		}
	}
	return true
}

// expectation is what a selection must lead to.
type expectation struct {
	routes                []payments.TransferRoute
	sources, destinations []string // rail:currency
}

func expect(s payments.RouteSelection) expectation {
	x := expectation{routes: []payments.TransferRoute{}, sources: []string{}, destinations: []string{}}
	for _, from := range ends {
		for _, to := range ends {
			kind := flow(from, to)
			if kind == "" || !from.fits(s.SelectedSource) || !to.fits(s.SelectedDestination) {
				continue
			}
			provider := "chainline"
			if !from.chain() {
				provider = from.provider
			} else if !to.chain() {
				provider = to.provider
			}
			x.routes = append(x.routes, payments.TransferRoute{
				RouteKey: from.rail + ":" + from.currency + "->" + to.rail + ":" + to.currency, FlowType: kind, Provider: provider,
			})
		}
	}
	for _, one := range ends {
		var leads, reached bool
		for _, other := range ends {
			leads = leads || other.fits(s.SelectedDestination) && flow(one, other) != ""
			reached = reached || other.fits(s.SelectedSource) && flow(other, one) != ""
		}
		if leads {
			x.sources = append(x.sources, one.rail+":"+one.currency)
		}
		if reached {
			x.destinations = append(x.destinations, one.rail+":"+one.currency)
		}
	}
	return x
}
