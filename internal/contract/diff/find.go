package diff

import (
	"slices"
	"strings"
	"unicode"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/contract/servicemap"
	"github.com/payctl/payctl/internal/textutil"
)

// operations are those that commands use.
func operations() []*contract.Operation {
	return slices.DeleteFunc(slices.Clone(contract.Operations), func(op *contract.Operation) bool {
		return op.Access == contract.Open || op.IsSandbox()
	})
}

// nouns replaces the words that paths, ids and members have for kinds of resource by that of the contract.
var nouns = strings.NewReplacer("customer", "account", "applicant", "account", "enduser", "account",
	"verification", "kyc", "onboarding", "kyc", "savedcontact", "contact", "beneficiary", "contact", "recipient", "contact",
	"payee", "contact", "counterparty", "contact", "payment", "transfer", "payout", "transfer", "remittance", "transfer")

// find looks for an operation: where the contract has it, by its id, by the words of paths, or by the shape of what is
// sent and received. Why is the reason why that is not sure; the path is empty if nothing is like it.
func (d *Document) find(op *contract.Operation) (best place, why string) {
	score := 0.0
	for _, p := range d.places {
		at := p.method + " " + p.path
		if isAt(at, op.Method+" "+op.Path) {
			return p, ""
		}
		if servicemap.CheckRoute(op, at) != nil {
			continue
		}
		switch s, reason := likelihood(op, p); {
		case s > score:
			best, score, why = p, s, reason
		case s == score:
			why = "another operation is as likely"
		}
	}
	return best, why
}

// likelihood returns how likely an operation of a service is one of the contract, from zero, and why that is not sure.
func likelihood(op *contract.Operation, p place) (score float64, unsure string) {
	if plain(p.id) == plain(op.ID) {
		return 100, ""
	}
	if op.Origin == contract.Published { // it is at its path, perhaps with another method
		if p.path == op.Path && p.method != "DELETE" {
			return 50, ""
		}
		return 0, ""
	}
	last := ""
	for _, word := range p.words {
		if r := contract.ResourceNamed(nouns.Replace(word)); r.Get != nil || r.List != nil {
			last = r.Name
		}
	}
	kind, likeness := op.Resource().Name, likeness(op, p)
	switch {
	case kind == "", last != "" && last != kind, !does(op, p):
		return 0, ""
	case last == kind:
		return 10 + likeness, ""
	case likeness >= 0.5:
		return 1 + likeness, "by the shape of its documents alone"
	}
	return 0, ""
}

// does reports whether an operation of a service may do what one of the contract does, by its method and its path.
func does(op *contract.Operation, p place) bool {
	var action *contract.Operation // which the path names
	for _, word := range p.words {
		for _, r := range contract.Resources {
			for _, use := range r.Uses {
				if slices.Contains(use.Words, word) {
					action = use.Op
				}
			}
		}
	}
	isItem := textutil.Regexp(`\}(/v[0-9.]+)?/?$`).MatchString(p.path)
	switch {
	case action != nil || op.Use().Words != nil:
		return action == op && p.method != "GET"
	case op == &contract.GetKYCStatus:
		return p.method == "GET" && !isItem
	case op.Method == "POST":
		return p.method == "POST" || p.method == "PUT"
	case op.Method == "PATCH":
		return (p.method == "PATCH" || p.method == "PUT" || p.method == "POST") && isItem
	}
	_, isList := op.Shown()
	return p.method == op.Method && (!isList || p.shown(op) != nil)
}

// likeness is the part of the contract's members, of a request or else of a response, that a service has too.
func likeness(op *contract.Operation, p place) float64 {
	ours, theirs := op.Body, p.request
	if ours == nil || theirs == nil {
		theirs = p.shown(op)
		ours, _ = op.Shown()
	}
	if len(ours.Members) == 0 || theirs == nil {
		return 0
	}
	common := 0
	for name := range theirs.members {
		if slices.ContainsFunc(ours.Members, func(m contract.Member) bool { return plain(m.Name) == plain(name) }) {
			common++
		}
	}
	return float64(common) / float64(len(ours.Members))
}

// shown is the service's schema of what an operation shows, of a list that of its rows, or nil.
func (p place) shown(op *contract.Operation) *schema {
	if _, isList := op.Shown(); isList {
		return p.rows
	}
	return p.response
}

// plain is a name without its separators, in lower case, in which each word for a kind of resource is that of the contract.
func plain(name string) string {
	return nouns.Replace(strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, name))
}

// wordsOf are the words of a path in the singular, without parameters.
func wordsOf(path string) (words []string) {
	for segment := range strings.SplitSeq(strings.ToLower(path), "/") {
		if strings.HasPrefix(segment, "{") {
			continue
		}
		for word := range strings.FieldsFuncSeq(segment, func(r rune) bool { return !unicode.IsLetter(r) }) {
			if stem, ok := strings.CutSuffix(word, "ies"); ok {
				word = stem + "y"
			}
			words = append(words, strings.TrimSuffix(word, "s"))
		}
	}
	return words
}

// isAt reports whether a "METHOD /path" is another one, whatever the names of parameters.
func isAt(one, other string) bool {
	parameter := textutil.Regexp(`\{[^{}/]*\}`)
	return parameter.ReplaceAllString(one, "{}") == parameter.ReplaceAllString(other, "{}")
}
