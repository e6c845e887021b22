package routes

import (
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/payments/coordinates"
	"github.com/payctl/payctl/internal/suggest"
)

// The forms of names. A routeKey of the longest names is shorter than the contract allows.
var (
	railForm     = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-z][a-z0-9_]{0,39}$`) })
	currencyForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Z][A-Z0-9]{0,11}$`) })
)

// check checks the names and numbers of a document, and completes its bounds and patterns. What other parts refer to is
// checked first.
func (d *document) check() error {
	for _, check := range []func() error{
		d.checkSizes, d.checkRails, d.checkProviders, d.checkCurrencies, d.checkFees, d.checkOffers, d.checkRules,
	} {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

func (d *document) checkSizes() error {
	for _, section := range []struct {
		name    string
		entries int
	}{
		{"rails", len(d.Rails)}, {"providers", len(d.Providers)}, {"currencies", len(d.Currencies)},
		{"endpoints", len(d.Endpoints)}, {"routes", len(d.Routes)}, {"rates", len(d.Rates)},
	} {
		switch {
		case section.entries == 0 && section.name != "rates":
			return d.at(section.name, "", "a catalogue needs %s", section.name)
		case section.entries > maxNames:
			return d.at(section.name, "", "%s has more than %d entries", section.name, maxNames)
		}
	}
	return nil
}

func (d *document) checkRails() error {
	for _, name := range slices.Sorted(maps.Keys(d.Rails)) {
		r := d.Rails[name]
		switch {
		case !railForm().MatchString(name):
			return d.at("rails", name, "a rail's name must be lower-case letters, digits and _, at most 40, not %.50q", name)
		case r.Kind != KindFiat && r.Kind != KindChain:
			return d.at("rails", name, "the kind of rail %s must be %s or %s", name, KindFiat, KindChain)
		case r.Settlement == nil || *r.Settlement < 0 || *r.Settlement > maxSeconds:
			return d.at("rails", name, "the settlement of rail %s must be seconds from 0 to %d", name, maxSeconds)
		}
	}
	return nil
}

func (d *document) checkProviders() error {
	for i, name := range d.Providers {
		if !railForm().MatchString(name) {
			return d.at("providers", strconv.Itoa(i),
				"a provider's name must be lower-case letters, digits and _, at most 40, not %.50q", name)
		}
	}
	return nil
}

func (d *document) checkCurrencies() error {
	if d.Bounds.Min == nil || d.Bounds.Max == nil {
		return d.at("bounds", "", "bounds must have min and max")
	}
	for _, name := range slices.Sorted(maps.Keys(d.Currencies)) {
		c := d.Currencies[name]
		c.Bounds = c.Bounds.within(d.Bounds)
		d.Currencies[name] = c
		switch {
		case !currencyForm().MatchString(name):
			return d.at("currencies", name,
				"a currency's name must be upper-case letters and digits, at most 12, not %.50q", name)
		case c.Decimals == nil || *c.Decimals < 0 || *c.Decimals > maxPlaces:
			return d.at("currencies", name, "the decimals of %s must be from 0 to %d", name, maxPlaces)
		case c.Bounds.Min.Cmp(*c.Bounds.Max) > 0:
			return d.at("currencies", name, "the bounds of %s are reversed: the least amount %s is above the greatest, %s",
				name, c.Bounds.Min, c.Bounds.Max)
		}
		for _, on := range slices.Sorted(maps.Keys(c.DecimalsOn)) {
			if _, known := d.Rails[on]; !known {
				return d.at("currencies", name, "%s", unknown("rail", on, slices.Sorted(maps.Keys(d.Rails))))
			}
			if decimals := c.DecimalsOn[on]; decimals < 0 || decimals > maxPlaces {
				return d.at("currencies", name, "the decimals of %s on %s must be from 0 to %d", name, on, maxPlaces)
			}
		}
	}
	return nil
}

// within returns the bounds with those of others for what is not set.
func (b bounds) within(others bounds) bounds {
	if b.Min == nil {
		b.Min = others.Min
	}
	if b.Max == nil {
		b.Max = others.Max
	}
	return b
}

func (d *document) checkFees() error {
	f := d.Fees
	switch _, known := d.Currencies[f.Currency]; {
	case !known:
		return d.at("fees", "currency", "%s", unknown("currency", f.Currency, slices.Sorted(maps.Keys(d.Currencies))))
	case f.Bank.Decimal == nil || f.Network.Decimal == nil || f.Conversion.Decimal == nil:
		return d.at("fees", "", "fees must have bank, network and conversion")
	case f.Conversion.Cmp(payments.Unit(0)) >= 0:
		return d.at("fees", "conversion", "conversion is a share of the amount and must be below 1; 0.0025 is 0.25 %%")
	}
	return nil
}

func (d *document) checkOffers() error {
	rails, currencies := slices.Sorted(maps.Keys(d.Rails)), slices.Sorted(maps.Keys(d.Currencies))
	seen := map[endpointKey]bool{}
	for i, o := range d.Endpoints {
		wrong, key := "", endpointKey{o.Rail, o.Currency}
		switch known := coordinates.Rails(); {
		case !slices.Contains(rails, o.Rail):
			wrong = unknown("rail", o.Rail, rails)
		case !slices.Contains(currencies, o.Currency):
			wrong = unknown("currency", o.Currency, currencies)
		case !slices.Contains(d.Providers, o.Provider):
			wrong = unknown("provider", o.Provider, d.Providers)
		case seen[key]:
			wrong = o.Rail + ":" + o.Currency + " is there twice; a rail and currency have one provider"
		case !o.Destination.excluded && !slices.Contains(known, o.Rail):
			wrong = "no transfer can be sent to " + o.Rail + ":" + o.Currency + ": contacts are saved on the rails " +
				strings.Join(known, ", ") + " alone; write destination: false"
		}
		if wrong != "" {
			return d.at("endpoints", strconv.Itoa(i), "%s", wrong)
		}
		seen[key] = true
	}
	return nil
}

func (d *document) checkRules() error {
	flows := []string{
		string(payments.FlowTypeOnramp), string(payments.FlowTypeOfframp), string(payments.FlowTypeBridge),
		string(payments.FlowTypeSwap), string(payments.FlowTypeTransfer), string(payments.FlowTypeFx),
	}
	for i := range d.Routes {
		r, wrong := &d.Routes[i], ""
		if !r.Flow.Valid() {
			wrong = unknown("flow", string(r.Flow), flows)
		}
		for _, part := range slices.Concat(r.Same, r.Different) {
			if !slices.Contains([]string{partRail, partCurrency, partProvider}, part) {
				wrong = "same and different can name rail, currency and provider, not " + strconv.Quote(part)
			}
		}
		for _, p := range []*pattern{&r.From, &r.To} {
			if wrong == "" {
				wrong = d.completePattern(p)
			}
		}
		if wrong != "" {
			return d.at("routes", strconv.Itoa(i), "%s", wrong)
		}
	}
	return nil
}

// completePattern replaces a rail that ends in a star by all that it stands for. It returns what is wrong.
func (d *document) completePattern(p *pattern) (wrong string) {
	if p.Kind != "" && p.Kind != KindFiat && p.Kind != KindChain {
		return "kind must be " + string(KindFiat) + " or " + string(KindChain)
	}
	rails := slices.Sorted(maps.Keys(d.Rails))
	var chosen words
	for _, name := range p.Rail {
		before := len(chosen)
		prefix, star := strings.CutSuffix(name, "*")
		for _, rail := range rails {
			if rail == name || star && strings.HasPrefix(rail, prefix) {
				chosen = append(chosen, rail)
			}
		}
		if len(chosen) == before {
			return unknown("rail", name, rails)
		}
	}
	p.Rail = chosen
	for _, name := range p.Currency {
		if _, known := d.Currencies[name]; !known {
			return unknown("currency", name, slices.Sorted(maps.Keys(d.Currencies)))
		}
	}
	for _, name := range p.Provider {
		if !slices.Contains(d.Providers, name) {
			return unknown("provider", name, d.Providers)
		}
	}
	return ""
}

// unknown says that a file does not declare a name.
func unknown(what, name string, declared []string) string {
	message := "there is no " + what + " " + strconv.Quote(name[:min(len(name), 40)])
	if guess := suggest.To(name, declared); guess != "" {
		message += "; did you mean " + strconv.Quote(guess) + "?"
	}
	return message
}
