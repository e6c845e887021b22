package diff

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/contract/dialect"
)

// A Guess is one thing that a profile may say of a service, as its OpenAPI document suggests.
type Guess struct {
	// Name is that of an operation, or of a member with its kind, such as transfer.id; Value is where the service has it.
	Name   string `json:"name"`
	Value  string `json:"value"`
	Unsure string `json:"unsure,omitempty"` // why a person has to look at it; empty if it is sure
}

// An Adoption is what an OpenAPI document suggests for a profile. What the service has where the contract has it is left out.
type Adoption struct {
	BaseURL    string              `json:"baseUrl,omitempty"` // of the document's first server, which may be relative
	Operations []Guess             `json:"operations"`
	Members    []Guess             `json:"members"`
	KeyHeader  *Guess              `json:"idempotencyHeader,omitempty"`
	Words      map[string][]string `json:"words"`   // by status, such as kyc.approved: what the service's words may be; by kyc., the others
	Missing    []string            `json:"missing"` // operations that the document does not seem to have
	NoKeys     bool                `json:"noKeys"`  // no creation takes a header of idempotency keys
}

// nouns are words of paths and operation ids by the kind of resource that they mean. After a bar they have other meanings
// too, so that what they suggest is not sure.
var nouns = map[string]string{
	"account":  "account customer applicant enduser | user client person party member holder",
	"kyc":      "kyc verification kycstatus onboarding | identity check compliance status",
	"contact":  "contact beneficiary recipient payee counterparty | destination receiver",
	"transfer": "transfer payment payout remittance | transaction order",
	"event":    "event | notification activity",
}

// actions are what the operations do to their kind of resource, apart from those that the contract calls create, list, get,
// update and delete.
var actions = map[string]string{
	contract.SubmitKYC.ID:      "submission submit answer document",
	contract.CancelTransfer.ID: "cancel cancellation void abort",
}

// A place is an operation of a service.
type place struct {
	method, path, id string
	operation        map[string]any
	parameters       []any    // with those of the path
	words            []string // of the path, without parameters and versions
}

// Adopt guesses from the OpenAPI document of a service what a profile has to say of it.
func Adopt(theirs *Document) Adoption {
	a := &adopting{theirs: theirs, places: map[*contract.Operation]place{}}
	a.found.Words = map[string][]string{}
	for _, op := range contract.Operations {
		if op.Access != contract.Open && !op.IsSandbox() {
			a.operation(op)
		}
	}
	a.members()
	a.keyHeader()
	if servers, _ := theirs.root["servers"].([]any); len(servers) > 0 {
		a.found.BaseURL, _ = theirs.object(servers[0])["url"].(string)
	}
	return a.found
}

type adopting struct {
	theirs *Document
	places map[*contract.Operation]place // where the service has the operations that were found
	found  Adoption
}

// operation looks for an operation: where the contract has it, by its id, by the words of paths, or by the shape of what is
// sent and received.
func (a *adopting) operation(op *contract.Operation) {
	where := op.Method + " " + op.Path
	best, score, isTie, why := place{}, 0.0, false, ""
	for _, p := range a.theirs.places {
		at := p.method + " " + p.path
		if withoutNames(at) == withoutNames(where) {
			a.places[op] = p
			return
		}
		if dialect.Check("operations", op.ID, at) != nil {
			continue
		}
		s, reason := a.score(op, p)
		switch {
		case s > score:
			best, score, isTie, why = p, s, false, reason
		case s == score:
			isTie = true
		}
	}
	const least = 1
	if score < least {
		a.found.Missing = append(a.found.Missing, op.ID)
		return
	}
	if isTie {
		why = "another operation is as likely"
	}
	a.places[op] = best
	a.found.Operations = append(a.found.Operations, Guess{op.ID, best.method + " " + best.path, why})
}

// score returns how likely an operation of the service is one of the contract, and why that is not sure.
func (a *adopting) score(op *contract.Operation, p place) (score float64, unsure string) {
	if plain(p.id) == plain(op.ID) {
		return 100, ""
	}
	if op.Origin == contract.Published { // it is at its path, perhaps with another method
		if p.path == op.Path && p.method != "DELETE" {
			return 50, ""
		}
		return 0, ""
	}
	kind, last, isWeak := dialect.ResourceOf(op), "", false
	for _, word := range p.words {
		for k, list := range nouns {
			sure, weak, _ := strings.Cut(list, "|")
			switch {
			case slices.Contains(strings.Fields(sure), word):
				last, isWeak = k, false
			case slices.Contains(strings.Fields(weak), word) && (last == "" || k == kind):
				last, isWeak = k, true
			}
		}
	}
	if kind == "" || last != "" && last != kind || !a.does(op, p) {
		return 0, ""
	}
	likeness := a.likeness(op, p)
	switch {
	case last == kind && !isWeak:
		return 10 + likeness, ""
	case last == kind:
		return 5 + likeness, "the word of its path has other meanings too"
	case likeness >= 0.5:
		return 1 + likeness, "by the shape of its documents alone"
	}
	return 0, ""
}

// does reports whether an operation of a service may do what one of the contract does, by its method and its path.
func (a *adopting) does(op *contract.Operation, p place) bool {
	special := ""
	for id, words := range actions {
		for _, word := range p.words {
			if slices.Contains(strings.Fields(words), word) {
				special = id
			}
		}
	}
	if special != "" || actions[op.ID] != "" {
		return special == op.ID && p.method != "GET"
	}
	isItem := strings.HasSuffix(strings.TrimRight(versionless(p.path), "/"), "}")
	switch {
	case op == &contract.GetKYCStatus:
		return p.method == "GET" && !isItem
	case op.Method == "POST":
		return p.method == "POST" || p.method == "PUT"
	case op.Method == "PATCH":
		return (p.method == "PATCH" || p.method == "PUT" || p.method == "POST") && isItem
	case p.method != op.Method:
		return false
	case op.SuccessSchema().Has("data"):
		return a.rowsOf(p) != nil
	}
	return true
}

// likeness is the part of the contract's members, of a request or else of a response, that a service has too.
func (a *adopting) likeness(op *contract.Operation, p place) float64 {
	ours, theirs := op.Body, a.theirs.requestSchema(p.operation)
	if ours == nil || theirs == nil {
		ours, theirs = schemaOf(op), a.schemaAt(op, p)
	}
	if ours == nil || len(ours.Members) == 0 || theirs == nil {
		return 0
	}
	var names []string
	for name := range a.theirs.shape(theirs, 0).members {
		names = append(names, plain(name))
	}
	common := 0
	for _, m := range ours.Members {
		if slices.Contains(names, plain(m.Name)) {
			common++
		}
	}
	return float64(common) / float64(len(ours.Members))
}

// schemaOf is the contract's schema of a resource that an operation shows.
func schemaOf(op *contract.Operation) *contract.Schema {
	schema := op.SuccessSchema()
	for _, m := range schema.Members {
		if m.Name == "data" && m.Schema.Items != nil {
			return m.Schema.Items
		}
	}
	return schema
}

// schemaAt is the service's schema of such a resource, or nil.
func (a *adopting) schemaAt(op *contract.Operation, p place) any {
	if op.SuccessSchema().Has("data") {
		return a.rowsOf(p)
	}
	return a.theirs.responseSchema(p.operation, op.Success)
}

// rowsOf is the schema of the rows of a list, or nil if an operation shows none.
func (a *adopting) rowsOf(p place) any {
	_, rows := a.rowsIn(a.theirs.responseSchema(p.operation, 200), "", 0)
	return rows
}

// rowsIn looks for an array of objects in a schema, and returns its place.
func (a *adopting) rowsIn(schema any, at string, depth int) (pointer string, rows any) {
	s := a.theirs.shape(schema, 0)
	if s.items != nil {
		if len(a.theirs.shape(s.items, 0).members) > 0 {
			return at, s.items
		}
		return "", nil
	}
	const deepest = 2 // as in {"result": {"items": []}}
	for _, name := range slices.Sorted(maps.Keys(s.members)) {
		if depth == deepest {
			break
		}
		if pointer, rows = a.rowsIn(s.members[name], at+"/"+escape(name), depth+1); rows != nil {
			return pointer, rows
		}
	}
	return "", nil
}

// keyHeader looks for the header of idempotency keys.
func (a *adopting) keyHeader() {
	a.found.NoKeys = true
	for op, p := range a.places {
		if !op.TakesIdempotencyKey {
			continue
		}
		for _, name := range a.theirs.parameters(p, "header") {
			switch word := plain(name); {
			case word == "idempotencykey" && strings.EqualFold(name, "Idempotency-Key"):
				a.found.NoKeys = false
			case strings.Contains(word, "idempoten"):
				a.found.KeyHeader, a.found.NoKeys = &Guess{Name: "idempotency_header", Value: name}, false
			case a.found.KeyHeader == nil && slices.Contains([]string{"requestkey", "xrequestkey", "xrequestid", "requestid"}, word):
				a.found.KeyHeader = &Guess{"idempotency_header", name, "it may be something else"}
			}
		}
	}
}

// plain is a name without its separators, in lower case.
func plain(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, name)
}

// wordsOf are the words of a path in the singular, without parameters and versions.
func wordsOf(path string) (words []string) {
	for segment := range strings.SplitSeq(versionless(path), "/") {
		if strings.HasPrefix(segment, "{") {
			continue
		}
		for word := range strings.FieldsFuncSeq(strings.ToLower(segment), func(r rune) bool { return !unicode.IsLetter(r) }) {
			if stem, ok := strings.CutSuffix(word, "ies"); ok {
				word = stem + "y"
			}
			words = append(words, cmp.Or(strings.TrimSuffix(word, "s"), word))
		}
		words = append(words, plain(segment))
	}
	return words
}

// versionless removes a segment such as v1 from a path.
func versionless(path string) string {
	isVersion := func(s string) bool { return len(s) > 1 && s[0] == 'v' && strings.Trim(s[1:], "0123456789.") == "" }
	return strings.Join(slices.DeleteFunc(strings.Split(path, "/"), isVersion), "/")
}

func escape(name string) string { return strings.NewReplacer("~", "~0", "/", "~1").Replace(name) }
