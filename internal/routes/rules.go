package routes

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/payctl/payctl/internal/payments"
)

// A rule makes a route of every pair of endpoints that fits it.
type rule struct {
	flow     payments.FlowType
	from, to pattern
	// same and different name the parts that both sides must share, and in which they must differ.
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
	}
	return e.Provider
}

// A pattern describes endpoints. What is empty fits all.
type pattern struct {
	kind                         Kind
	rails, currencies, providers []string
}

func (p pattern) fits(e endpoint) bool {
	allows := func(names []string, name string) bool { return len(names) == 0 || slices.Contains(names, name) }
	return (p.kind == "" || p.kind == e.Kind) &&
		allows(p.rails, e.Rail) && allows(p.currencies, e.Currency) && allows(p.providers, e.Provider)
}

// fits reports whether two endpoints, each of which fits its pattern, share and differ as the rule wants.
func (r rule) fits(from, to endpoint) bool {
	equal := func(p part) bool { return p.of(from) == p.of(to) }
	return !slices.ContainsFunc(r.different, equal) && !slices.ContainsFunc(r.same, func(p part) bool { return !equal(p) })
}

func (d *document) readRules(n *yaml.Node) error {
	return readItems(n, "routes", func(item *yaml.Node) error {
		r := rule{node: item}
		err := readFields(item, "a route rule",
			field{"flow", true, flowInto(&r.flow)},
			field{"from", false, patternInto(&r.from, d)},
			field{"to", false, patternInto(&r.to, d)},
			field{"same", false, partsInto(&r.same, "same")},
			field{"different", false, partsInto(&r.different, "different")},
			field{"bothWays", false, boolInto(&r.bothWays, "bothWays")},
		)
		d.rules = append(d.rules, r)
		return err
	})
}

func flowInto(into *payments.FlowType) func(*yaml.Node) error {
	return func(n *yaml.Node) error {
		word, err := text(n, "flow")
		if *into = payments.FlowType(word); err == nil && !into.Valid() {
			err = unknown(n, "flow", word, []string{
				string(payments.FlowTypeOnramp), string(payments.FlowTypeOfframp), string(payments.FlowTypeBridge),
				string(payments.FlowTypeSwap), string(payments.FlowTypeTransfer), string(payments.FlowTypeFx),
			})
		}
		return err
	}
}

func patternInto(p *pattern, d *document) func(*yaml.Node) error {
	return func(n *yaml.Node) error {
		return readFields(n, "a pattern",
			field{"kind", false, kindInto(&p.kind)},
			field{"rail", false, namesInto(&p.rails, "rail", d.railNames)},
			field{"currency", false, namesInto(&p.currencies, "currency", d.currencyNames)},
			field{"provider", false, namesInto(&p.providers, "provider", d.providerNames)},
		)
	}
}

// namesInto reads one or more declared names; a rail's may end in a star.
func namesInto(into *[]string, what string, declared []string) func(*yaml.Node) error {
	return func(n *yaml.Node) error {
		items, err := words(n, what)
		if err != nil {
			return err
		}
		for _, item := range items {
			prefix, star := strings.CutSuffix(item.Value, "*")
			found := false
			for _, name := range declared {
				if name == item.Value || star && part(what) == partRail && strings.HasPrefix(name, prefix) {
					*into, found = append(*into, name), true
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
				return at(item, "%s names %.40q; it can name rail, currency and provider", what, item.Value)
			}
		}
		return nil
	}
}
