// Package diff compares the OpenAPI document of a service with the contract, as far as a client relies on it: may it
// still send what it sends, and does it still find what it reads in the response. From such a document it also guesses
// what a profile has to say of the service.
package diff

import (
	"fmt"
	"slices"
	"strings"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/contract/dialect"
)

// A Difference is one thing in which a service's operation differs from the contract's.
type Difference struct {
	Breaks   bool   // calls fail, or a decision that depends on their response is impossible
	IsHidden bool   // something is not shown, and no decision depends on it
	Text     string // a phrase for a person
}

// Commands are the commands that use an operation. What else uses it, such as a batch, is below one of these.
var Commands = map[string]string{
	contract.CreateAccessToken.ID: "auth login", contract.DescribeAccessToken.ID: "auth status", contract.RevokeAccessToken.ID: "auth logout",
	contract.CreateAccount.ID: "accounts create, accounts import", contract.ListAccounts.ID: "accounts list, kyc stats",
	contract.GetAccount.ID: "accounts get", contract.UpdateAccount.ID: "accounts update",
	contract.GetKYCStatus.ID: "kyc get, kyc watch", contract.SubmitKYC.ID: "kyc submit",
	contract.CreateSavedContact.ID: "contacts create, contacts import", contract.ListSavedContacts.ID: "contacts list",
	contract.GetSavedContact.ID: "contacts get", contract.UpdateSavedContact.ID: "contacts update",
	contract.DeleteSavedContact.ID: "contacts delete", contract.SelectRoutes.ID: "routes list",
	contract.CreateAutoTransfer.ID: "transfer auto, transfer batch", contract.GetTransfer.ID: "transfer get, transfer watch",
	contract.ListTransfers.ID: "transfer list, transfer report, transfer resolve", contract.CancelTransfer.ID: "transfer cancel",
	contract.ListEvents.ID: "events",
}

// decisive are the members of responses without which a decision is impossible, by the kind of document.
var decisive = map[string][]string{
	"account": {"id"}, "contact": {"id"}, "transfer": {"id", "state"}, "kyc": {"status"}, "token": {"access_token"}, "list": {"data"},
}

// A Comparison is how one operation of the contract is at a service.
type Comparison struct {
	*contract.Operation
	At        string // METHOD /path, as the service's terms have it
	IsMissing bool   // the service's document does not have it there
	Elsewhere string // where the document seems to have one that is missing; may be empty
	Found     []Difference
}

// Compare compares the operations that commands use with those that a service's document has.
func Compare(theirs *Document, terms *dialect.Dialect) (all []Comparison) {
	guesses := Adopt(theirs).Operations
	for _, op := range contract.Operations {
		if op.Access == contract.Open || op.IsSandbox() {
			continue
		}
		at, _ := terms.Route(op)
		one := Comparison{Operation: op, At: at.Method + " " + at.Path}
		if p, ok := theirs.find(at.Method, at.Path); ok {
			one.Found = compare(theirs, p, op, terms)
		} else {
			one.IsMissing = true
			text := "the document has no " + one.At
			if i := slices.IndexFunc(guesses, func(g Guess) bool { return g.Name == op.ID }); i >= 0 {
				one.Elsewhere = guesses[i].Value
				text += "; it seems to be at " + one.Elsewhere
			}
			one.Found = []Difference{{Breaks: true, Text: text}}
		}
		all = append(all, one)
	}
	return all
}

func compare(theirs *Document, other place, op *contract.Operation, terms *dialect.Dialect) []Difference {
	c := &comparison{theirs: theirs, terms: terms}
	kind := dialect.ResourceOf(op)
	if schema := theirs.requestSchema(other.operation); op.Body != nil && schema != nil {
		c.request("", kind, op.Body, schema, 0)
	}
	if schema := theirs.responseSchema(other.operation, op.Success); schema != nil {
		c.response("", kind, op.SuccessSchema(), schema, 0)
	}
	hasKey := func(name string) bool { return strings.Contains(plain(name), "idempoten") || terms.IsKeyHeader(name) }
	if op.TakesIdempotencyKey && !slices.ContainsFunc(theirs.parameters(other, "header"), hasKey) {
		c.note(false, "it describes no header of idempotency keys, so it may have its effect twice if it is repeated")
	}
	if len(c.hidden) > 0 {
		c.found = append(c.found, Difference{IsHidden: true, Text: "the response does not show " + strings.Join(c.hidden, ", ")})
	}
	return c.found
}

// comparison collects the differences of one operation.
type comparison struct {
	theirs *Document
	terms  *dialect.Dialect
	found  []Difference
	hidden []string
}

func (c *comparison) note(breaks bool, format string, args ...any) {
	c.found = append(c.found, Difference{Breaks: breaks, Text: fmt.Sprintf(format, args...)})
}

// request compares what is sent: the service must not require members that payctl does not send. at is the path of the
// schema in the body; kind is that of the document, and empty within it.
func (c *comparison) request(at, kind string, ours *contract.Schema, theirs any, depth int) {
	other, own := c.theirs.shape(theirs, 0), map[string]contract.Member{}
	for _, m := range ours.Members {
		own[c.terms.Name(kind, m.Name)] = m
	}
	for _, name := range unique(other.required) {
		switch m, isKnown := own[name]; {
		case len(own) == 0, isKnown && m.Required:
		case isKnown:
			c.note(false, "the member %s of the request is required now", join(at, name))
		default:
			c.note(true, "the member %s of the request is required, and payctl does not know it", join(at, name))
		}
	}
	if depth == maxDepth {
		return
	}
	for _, m := range ours.Members {
		if schema := other.members[c.terms.Name(kind, m.Name)]; schema != nil {
			c.request(join(at, m.Name), "", m.Schema, schema, depth+1)
		}
	}
	if ours.Items != nil && other.items != nil {
		c.request(at+"[]", "", ours.Items, other.items, depth+1)
	}
}

// response compares what is received: what payctl reads must be there, and must have values that payctl knows.
func (c *comparison) response(at, kind string, ours *contract.Schema, theirs any, depth int) {
	other, rows := c.theirs.shape(theirs, 0), ""
	if ours.Has("data") && at == "" {
		kind, rows = "list", kind
		if other.items != nil { // the rows alone are a page, too
			other = shape{members: map[string]any{"data": theirs}}
		}
	}
	added := slices.DeleteFunc(unique(other.values), func(word string) bool {
		return slices.Contains(ours.Enum, word)
	})
	if at != "" && len(ours.Enum) > 0 && len(added) > 0 {
		c.note(false, "the response's %s may be %s, which payctl does not know", strings.TrimSuffix(at, "[]"), strings.Join(added, ", "))
	}
	if depth == maxDepth {
		return
	}
	for _, m := range ours.Members {
		schema := other.members[m.Name]
		if pointer, isMapped := c.terms.Place(kind, m.Name); isMapped {
			schema = c.theirs.at(theirs, pointer)
		}
		isDecisive := slices.Contains(decisive[kind], m.Name)
		switch {
		case schema != nil && rows != "" && m.Name == "data" && m.Schema.Items != nil:
			c.response("data[]", rows, m.Schema.Items, c.theirs.shape(schema, 0).items, depth+1)
		case schema != nil:
			c.response(join(at, m.Name), "", m.Schema, c.translated(kind, m.Name, schema), depth+1)
		case other.open:
		case isDecisive:
			c.note(true, "the member %s of the response is missing", join(at, m.Name))
		case m.Required:
			c.hidden = append(c.hidden, join(at, m.Name))
		}
	}
	if ours.Items != nil && other.items != nil {
		c.response(at+"[]", "", ours.Items, other.items, depth+1)
	}
}

// translated returns the service's schema of a member, without the words for which the contract has its own.
func (c *comparison) translated(kind, member string, schema any) any {
	s := c.theirs.shape(schema, 0)
	if len(s.values) == 0 {
		return schema
	}
	var words []any
	for _, word := range s.values {
		words = append(words, c.terms.Word(kind, member, word))
	}
	return map[string]any{"enum": words}
}

func join(at, name string) string { return strings.TrimPrefix(at+"."+name, ".") }

func unique(names []string) []string { return slices.Compact(slices.Sorted(slices.Values(names))) }
