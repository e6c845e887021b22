package routes

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/payctl/payctl/internal/money"
)

// The characters of names. A routeKey of the longest names is shorter than the contract allows.
const (
	digits          = "0123456789"
	lowerCase       = "abcdefghijklmnopqrstuvwxyz"
	upperCase       = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	longestRail     = 40
	longestCurrency = 12
)

// isName reports whether a text consists of the first and other characters, and begins with a first one.
func isName(text, first, others string, longest int) bool {
	return text != "" && len(text) <= longest && strings.Contains(first, text[:1]) &&
		strings.Trim(text, first+others) == ""
}

// check checks the names and numbers of a document, and completes its bounds. It checks a section before the sections
// that refer to it.
func (d *document) check() error {
	for _, check := range []func() error{d.checkRails, d.checkCurrencies, d.checkFees, d.checkOffers, d.checkRules} {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

func (d *document) checkRails() error {
	for name, r := range d.Rails {
		switch {
		case !isName(name, lowerCase, digits+"_", longestRail):
			return wrong("rails", name, "the name must be lower-case letters, digits and _, at most %d", longestRail)
		case r.Kind != RailFiat && r.Kind != RailChain:
			return wrong("rails", name, "kind must be %s or %s", RailFiat, RailChain)
		case r.Settlement < 0 || r.Settlement > maxSeconds:
			return wrong("rails", name, "settlement must be seconds from 0 to %d", maxSeconds)
		}
	}
	for i, name := range d.Providers {
		if !isName(name, lowerCase, digits+"_", longestRail) {
			return wrong("providers", i, "the name must be lower-case letters, digits and _, at most %d", longestRail)
		}
	}
	return nil
}

func (d *document) checkCurrencies() error {
	if d.Bounds.Min.Decimal == nil || d.Bounds.Max.Decimal == nil {
		return errors.New("bounds must have min and max")
	}
	for name, c := range d.Currencies {
		if c.Bounds.Min.Decimal == nil {
			c.Bounds.Min = d.Bounds.Min
		}
		if c.Bounds.Max.Decimal == nil {
			c.Bounds.Max = d.Bounds.Max
		}
		d.Currencies[name] = c
		switch {
		case !isName(name, upperCase, digits, longestCurrency):
			return wrong("currencies", name, "the name must be upper-case letters and digits, at most %d", longestCurrency)
		case c.Decimals == nil || *c.Decimals < 0 || *c.Decimals > maxPlaces:
			return wrong("currencies", name, "decimals must be from 0 to %d", maxPlaces)
		case c.Bounds.Min.Cmp(*c.Bounds.Max.Decimal) > 0:
			return wrong("currencies", name, "the bounds are reversed: the least amount %s is above the greatest amount %s",
				c.Bounds.Min, c.Bounds.Max)
		}
		for on, decimals := range c.DecimalsOn {
			if _, known := d.Rails[on]; !known {
				return wrong("currencies", name, "%s", unknown("rail", on, slices.Collect(maps.Keys(d.Rails))))
			}
			if decimals < 0 || decimals > maxPlaces {
				return wrong("currencies", name, "decimalsOn %s must be from 0 to %d", on, maxPlaces)
			}
		}
	}
	return nil
}

func (d *document) checkFees() error {
	f := d.Fees
	switch _, known := d.Currencies[f.Currency]; {
	case !known:
		return wrong("fees", "currency", "%s", unknown("currency", f.Currency, slices.Collect(maps.Keys(d.Currencies))))
	case f.Bank.Decimal == nil || f.Network.Decimal == nil || f.Conversion.Decimal == nil:
		return errors.New("fees must have bank, network and conversion")
	case f.Conversion.Cmp(money.Unit(0)) >= 0:
		return wrong("fees", "conversion", "it is a share of the amount and must be below 1; 0.0025 is 0.25 %%")
	}
	return nil
}

func (d *document) checkOffers() error {
	if len(d.Endpoints) == 0 || len(d.Endpoints) > maxNames {
		return fmt.Errorf("a catalogue has from 1 to %d endpoints", maxNames)
	}
	seen := map[string]bool{}
	for i, o := range d.Endpoints {
		named := pattern{Rail: words{o.Rail}, Currency: words{o.Currency}, Provider: words{o.Provider}}
		if err := d.checkPattern(named); err != nil {
			return wrong("endpoints", i, "%w", err)
		}
		name := o.Rail + ":" + o.Currency
		switch known := money.Rails(); {
		case seen[name]:
			return wrong("endpoints", i, "%s appears twice; a rail and currency have one provider", name)
		case (o.Destination == nil || *o.Destination) && !slices.Contains(known, o.Rail):
			return wrong("endpoints", i, "transfers cannot be sent to %s: contacts can only be on the rails %s; "+
				"write destination: false", name, strings.Join(known, ", "))
		}
		seen[name] = true
	}
	return nil
}

func (d *document) checkRules() error {
	if len(d.Routes) == 0 {
		return errors.New("a catalogue needs routes")
	}
	for i, r := range d.Routes {
		if !r.Flow.Valid() {
			return wrong("routes", i, "%q is not a flow", r.Flow)
		}
		for _, part := range slices.Concat(r.Same, r.Different) {
			if !slices.Contains([]string{partRail, partCurrency, partProvider}, part) {
				return wrong("routes", i, "same and different can name rail, currency and provider, not %q", part)
			}
		}
		if err := errors.Join(d.checkPattern(r.From), d.checkPattern(r.To)); err != nil {
			return wrong("routes", i, "%w", err)
		}
	}
	return nil
}

// checkPattern checks that the document declares the names of a pattern.
func (d *document) checkPattern(p pattern) error {
	if p.Kind != "" && p.Kind != RailFiat && p.Kind != RailChain {
		return fmt.Errorf("kind must be %s or %s", RailFiat, RailChain)
	}
	for _, part := range []struct {
		what            string
		names, declared []string
	}{
		{"rail", p.Rail, slices.Collect(maps.Keys(d.Rails))},
		{"currency", p.Currency, slices.Collect(maps.Keys(d.Currencies))},
		{"provider", p.Provider, d.Providers},
	} {
		for _, name := range part.names {
			if !slices.Contains(part.declared, name) {
				return errors.New(unknown(part.what, name, part.declared))
			}
		}
	}
	return nil
}

// unknown is the message for a name that the file does not declare.
func unknown(what, name string, declared []string) string {
	slices.Sort(declared)
	return fmt.Sprintf("unknown %s %.40q; known are %s", what, name, strings.Join(declared, ", "))
}
