// Package contract is the OpenAPI document of the payments API and what is derived from it at build time: the table of
// operations and the schemas that request bodies are validated against. Nothing of it parses the document at run time.
package contract

import (
	_ "embed"
	"net/url"
	"strings"
)

//go:generate sh -c "cd ../.. && go run ./internal/contract/generate"

// YAML is the OpenAPI document as it is written.
//
//go:embed openapi.yaml
var YAML []byte

// JSON is the same document as JSON.
//
//go:embed openapi.json
var JSON []byte

// Access is what an operation asks of its caller.
type Access uint8

// The kinds of Access.
const (
	Open   Access = iota // nothing
	Basic                // Basic credentials (RFC 7617)
	Bearer               // a Bearer token (RFC 6750)
)

// Origins of an operation or member.
const (
	Published = "published" // it stands in the service's published interface
	Assumed   = "assumed"   // it fills a part that the published interface leaves open
)

// An Operation is one method of one path.
type Operation struct {
	ID      string
	Method  string
	Path    string // a template, such as /accounts/{accountId}/v1
	Access  Access
	Scope   string // the scope that a token needs; empty: any token
	Success int    // HTTP status
	Origin  string
	Summary string

	Body         *Schema // of the JSON request body; nil: it has none
	BodyRequired bool
	Form         bool // the body may be application/x-www-form-urlencoded
	Query        []Member
	Answers      []Answer

	TakesIdempotencyKey bool
	TakesPreferWait     bool
}

// Find returns the operation with an operationId; nil when there is none.
func Find(id string) *Operation {
	for _, op := range Operations {
		if op.ID == id {
			return op
		}
	}
	return nil
}

// Expand fills a path template with values in the order of its parameters, each escaped as one path segment. Values
// beyond the parameters count for nothing.
func Expand(template string, values ...string) string {
	var b strings.Builder
	b.Grow(2 * len(template)) // which is enough for most
	for _, value := range values {
		before, rest, found := strings.Cut(template, "{")
		if !found {
			break
		}
		_, after, _ := strings.Cut(rest, "}")
		b.WriteString(before)
		b.WriteString(url.PathEscape(value))
		template = after
	}
	b.WriteString(template)
	return b.String()
}
