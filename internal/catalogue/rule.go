package catalogue

import (
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/payctl/payctl/internal/payments"
)

// A rule makes a route of every pair of endpoints that fits it.
type rule struct {
	flow     payments.FlowType
	from, to pattern
	// same and different name the parts that both sides share, and that differ.
	same, different []part
	bothWays        bool
	node            *yaml.Node
}

// A part is one of the names that make up an endpoint.
type part string

const (
	partRail     part = "rail"
	partCurrency part = "currency"
	partProvider part = "provider"
)

func (p part) of(e endpoint) string {
	switch p {
	case partRail:
		return e.Rail
	case partCurrency:
		return e.Currency
	default:
		return e.Provider
	}
}

// A pattern says what an endpoint may be; what is empty allows everything.
type pattern struct {
	kind                         Kind
	rails, currencies, providers names
}

type names map[string]bool

func (n names) allow(name string) bool { return len(n) == 0 || n[name] }

func (p pattern) fits(e endpoint) bool {
	return (p.kind == "" || p.kind == e.Kind) && p.rails.allow(e.Rail) && p.currencies.allow(e.Currency) && p.providers.allow(e.Provider)
}

// fits says whether the rule makes a route from one endpoint, which fits its pattern, to the other.
func (r rule) fits(from, to endpoint) bool {
	for _, p := range r.same {
		if p.of(from) != p.of(to) {
			return false
		}
	}
	for _, p := range r.different {
		if p.of(from) == p.of(to) {
			return false
		}
	}
	return true
}

func readRules(n *yaml.Node, d *document) error {
	return readItems(n, "routes", func(item *yaml.Node) error {
		r := rule{node: item}
		err := readFields(item, "a route rule",
			field{"flow", true, func(n *yaml.Node) (err error) {
				r.flow, err = readFlow(n)
				return err
			}},
			field{"from", false, func(n *yaml.Node) error { return readPattern(n, d, &r.from) }},
			field{"to", false, func(n *yaml.Node) error { return readPattern(n, d, &r.to) }},
			field{"same", false, partsInto(&r.same, "same")},
			field{"different", false, partsInto(&r.different, "different")},
			field{"bothWays", false, boolInto(&r.bothWays, "bothWays")},
		)
		d.rules = append(d.rules, r)
		return err
	})
}

func readFlow(n *yaml.Node) (payments.FlowType, error) {
	word, err := text(n, "flow")
	if err == nil && !payments.FlowType(word).Valid() {
		err = unknown(n, "flow", word, []string{
			string(payments.FlowTypeOnramp), string(payments.FlowTypeOfframp), string(payments.FlowTypeBridge),
			string(payments.FlowTypeSwap), string(payments.FlowTypeTransfer), string(payments.FlowTypeFx),
		})
	}
	return payments.FlowType(word), err
}

func readPattern(n *yaml.Node, d *document, p *pattern) error {
	return readFields(n, "a pattern",
		field{"kind", false, func(n *yaml.Node) (err error) {
			p.kind, err = readKind(n)
			return err
		}},
		field{"rail", false, namesInto(&p.rails, "rail", d.railNames)},
		field{"currency", false, namesInto(&p.currencies, "currency", d.currencyNames)},
		field{"provider", false, namesInto(&p.providers, "provider", d.providerNames)},
	)
}

// namesInto reads one or more declared names; a rail's may end in a star.
func namesInto(into *names, what string, declared []string) func(*yaml.Node) error {
	return func(n *yaml.Node) error {
		items, err := words(n, what)
		if err != nil {
			return err
		}
		*into = names{}
		for _, item := range items {
			prefix, star := strings.CutSuffix(item.Value, "*")
			found := false
			for _, name := range declared {
				if name == item.Value || star && part(what) == partRail && strings.HasPrefix(name, prefix) {
					(*into)[name], found = true, true
				}
			}
			if !found {
				return unknown(item, what, item.Value, declared)
			}
		}
		return nil
	}
}

func partsInto(into *[]part, what string) func(*yaml.Node) error {
	return func(n *yaml.Node) error {
		items, err := words(n, what)
		if err != nil {
			return err
		}
		for _, item := range items {
			switch p := part(item.Value); p {
			case partRail, partCurrency, partProvider:
				*into = append(*into, p)
			default:
				return at(item, "%s names %s; it can name rail, currency and provider", what, quote(item.Value))
			}
		}
		return nil
	}
}
