// Package diff compares the OpenAPI document of a service with the contract, as far as a client relies on it: may it
// still send what it sends, and does it still find what it reads in the response. From such a document it also guesses
// what a profile has to say of the service.
package diff

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/contract/servicemap"
)

// A Difference is one thing in which a service's operation differs from the contract's.
type Difference struct {
	Operation string `json:"operation"`
	Breaks    bool   `json:"breaks"`     // calls fail, or a decision that depends on their response is impossible
	Text      string `json:"difference"` // a phrase for a person
	Commands  string `json:"commands"`
}

// A Comparison is how one operation of the contract is at a service.
type Comparison struct {
	*contract.Operation
	IsMissing bool   // the service's document does not have it there
	Elsewhere string // where the document seems to have one that is missing; may be empty
	Found     []Difference

	theirs  *Document
	service *servicemap.Map
}

// Compare compares the operations that commands use with those that a service's document has.
func Compare(theirs *Document, service *servicemap.Map) (all []Comparison) {
	found := theirs.find()
	for _, op := range operations() {
		route, _ := service.Route(op)
		if route.Method == "" { // the profile says that there is none
			continue
		}
		at := route.Method + " " + route.Path
		c := Comparison{Operation: op, theirs: theirs, service: service}
		own := theirs.byPath[route.Method+" "+bare(route.Path)]
		if c.IsMissing = own == nil; !c.IsMissing {
			c.compare(*own)
		} else if p := found[op]; p != nil {
			c.Elsewhere = p.method + " " + p.path
			c.note(true, "the document has no %s; it seems to be at %s", at, c.Elsewhere)
		} else {
			c.note(true, "the document has no %s", at)
		}
		all = append(all, c)
	}
	return all
}

func (c *Comparison) note(breaks bool, format string, args ...any) {
	c.Found = append(c.Found, Difference{c.ID, breaks, fmt.Sprintf(format, args...), c.Use().Commands})
}

func (c *Comparison) compare(theirs place) {
	r := c.Resource()
	if c.Body != nil && theirs.request != nil {
		c.request("", r.Name, c.Body, theirs.request)
	}
	hasKey := func(name string) bool {
		return isKeyHeader(name) || strings.EqualFold(name, c.service.KeyHeader)
	}
	if c.TakesIdempotencyKey && !slices.ContainsFunc(theirs.header, hasKey) {
		c.note(false, "it describes no header of idempotency keys, so it may have its effect twice if it is repeated")
	}
	ours, isList := c.Shown()
	page := c.theirs.follow(theirs.response, c.service.AnswerAt(c.Operation))
	if page != nil && isList && page.items == nil { // otherwise the rows alone are the page
		c.response("", contract.ResourceNamed("list"), c.SuccessSchema(), page)
		page = c.theirs.follow(page, "/data")
	}
	switch {
	case page == nil:
	case !isList:
		c.response("", r, ours, page)
	case page.items != nil:
		c.response("data[].", r, ours, c.theirs.schema(page.items))
	}
}

// request compares what is sent: the service must not require members that payctl does not send. at is the place in the
// body, with a full stop behind it; kind is that of the document, and empty within it.
func (c *Comparison) request(at, kind string, ours *contract.Schema, theirs *schema) {
	own := map[string]contract.Member{}
	for _, m := range ours.Members {
		name := c.service.NameOf(kind, m.Name)
		if own[name] = m; theirs.members[name] != nil {
			c.request(at+m.Name+".", "", m.Schema, c.theirs.schema(theirs.members[name]))
		}
	}
	for _, name := range unique(theirs.required) {
		switch m, isKnown := own[name]; {
		case len(own) == 0, isKnown && m.Required:
		case isKnown:
			c.note(false, "the member %s of the request is required now", at+name)
		default:
			c.note(true, "the member %s of the request is required, and payctl does not know it", at+name)
		}
	}
}

// response compares what is received: what payctl reads must be there, and a status must be one that payctl knows.
func (c *Comparison) response(at string, r *contract.Resource, ours *contract.Schema, theirs *schema) {
	var hidden []string
	for _, m := range ours.Members {
		there := c.theirs.follow(theirs, c.service.PlaceOf(r.Name, m.Name))
		switch {
		case there != nil && len(m.Schema.Enum) > 0:
			isKnown := func(word string) bool { return slices.Contains(m.Schema.Enum, c.service.Status(r.StatusOf, word)) }
			if added := slices.DeleteFunc(unique(there.values), isKnown); len(added) > 0 {
				c.note(false, "the response's %s may be %s, which payctl does not know", at+m.Name, strings.Join(added, ", "))
			}
		case there != nil, theirs.isOpen():
		case slices.Contains(r.Decisive, m.Name):
			c.note(true, "the member %s of the response is missing", at+m.Name)
		case m.Required:
			hidden = append(hidden, at+m.Name)
		}
	}
	if len(hidden) > 0 {
		c.note(false, "the response does not show %s", strings.Join(hidden, ", "))
	}
}

// follow returns the schema at a place in another one. Nil means that there is none.
func (d *Document) follow(s *schema, at jsontext.Pointer) *schema {
	for token := range at.Tokens() {
		if s == nil || s.members[token] == nil {
			return nil
		}
		s = d.schema(s.members[token])
	}
	return s
}

func unique(names []string) []string { return slices.Compact(slices.Sorted(slices.Values(names))) }
