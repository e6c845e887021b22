// Package contract has the OpenAPI document of the payments API and code generated from it: the table of operations,
// and schemas to validate requests and responses. The document is never parsed at run time.
package contract

import (
	"bytes"
	"cmp"
	_ "embed"
	"net/url"
	"slices"
	"strings"
)

//go:generate sh -c "cd ../.. && go run ./internal/contract/generate"

// YAML is the OpenAPI document, as the service serves it.
//
//go:embed openapi.yaml
var YAML []byte

// JSON is the same document in JSON.
//
//go:embed openapi.gen.json
var JSON []byte

// WithoutUniqueMembers returns the document, in YAML or JSON, without the extension x-unique-members. It is for a
// service that does not keep references unique. A test checks that nothing else differs.
func WithoutUniqueMembers(document []byte) []byte {
	document = bytes.Replace(document, []byte("      x-unique-members: [reference]\n"), nil, 1)
	return bytes.Replace(document, []byte(`,"x-unique-members":["reference"]`), nil, 1)
}

// WithServer returns a document, in YAML or JSON, with another URL of the service. Tools take the base URL from there.
// The original is the default address of `payctl serve`.
func WithServer(document []byte, baseURL string) []byte {
	return bytes.ReplaceAll(document, []byte("http://127.0.0.1:8700"), []byte(baseURL))
}

// Access is the authentication that an operation needs.
type Access uint8

// The kinds of Access.
const (
	Open   Access = iota // nothing
	Basic                // Basic credentials (RFC 7617)
	Bearer               // a Bearer token (RFC 6750)
)

// The origins of an operation or member.
const (
	Published = "published" // the service's published interface contains it
	Assumed   = "assumed"   // it fills a gap of the published interface
)

// An Operation is one method of one path.
type Operation struct {
	ID      string
	Method  string
	Path    string // a template, such as /accounts/{accountId}/v1
	Access  Access
	Scope   string // the scope that a token needs, or empty
	Success int    // HTTP status
	Origin  string
	Summary string

	Body         *Schema // of the JSON request body, or nil
	BodyMedia    string  // its media type: application/json, or application/merge-patch+json
	BodyRequired bool
	Form         bool // the body may be application/x-www-form-urlencoded
	Query        []Member
	Responses    []StatusResponse

	TakesIdempotencyKey bool
	TakesPreferWait     bool
}

// Find returns the operation with an operationId, or nil.
func Find(id string) *Operation {
	for _, op := range Operations {
		if op.ID == id {
			return op
		}
	}
	return nil
}

// Mappable lists the operations that a profile can map.
func Mappable() []*Operation {
	return slices.DeleteFunc(slices.Clone(Operations), func(op *Operation) bool {
		return op.Origin != Assumed || op.Access != Bearer || op.IsSandbox()
	})
}

// Enum lists the values of a member of the query or body. Nil means any value.
func (op *Operation) Enum(member string) []string {
	for _, m := range slices.Concat(op.Query, cmp.Or(op.Body, &Schema{}).Members) {
		if m.Name == member {
			return cmp.Or(m.Schema.Items, m.Schema).Enum
		}
	}
	return nil
}

// Missing lists the required members of the body without a value, sorted by name.
func (op *Operation) Missing(value func(member string) string) (missing []string) {
	for _, m := range cmp.Or(op.Body, &Schema{}).Members {
		isRequired := m.Required || m.RequiredWhen != nil && value(m.RequiredWhen.Member) == m.RequiredWhen.Value
		if isRequired && value(m.Name) == "" {
			missing = append(missing, m.Name)
		}
	}
	return missing
}

// Parameters returns the names of the {parameters} of a path template.
func Parameters(template string) (names []string) {
	for {
		_, rest, found := strings.Cut(template, "{")
		if !found {
			return names
		}
		name, after, _ := strings.Cut(rest, "}")
		names, template = append(names, name), after
	}
}

// Expand replaces the parameters of a path template by values, in order, each escaped as one path segment. It ignores
// surplus values.
func Expand(template string, values ...string) string {
	for _, value := range values {
		before, rest, found := strings.Cut(template, "{")
		if !found {
			break
		}
		_, after, _ := strings.Cut(rest, "}")
		template = before + url.PathEscape(value) + after // an escaped value has no braces
	}
	return template
}

// Source returns the lines of the document about an operation or a schema, or "".
func Source(name string) string {
	const indent = "    "
	lines := strings.SplitAfter(string(YAML), "\n")
	at := slices.Index(lines, indent+"  operationId: "+name+"\n") - 1 // the line of its method
	if at < 0 {
		lines = lines[slices.Index(lines, "  schemas:\n"):]
		at = slices.Index(lines, indent+name+":\n")
	}
	if at < 0 {
		return ""
	}
	end := at + 1
	for end < len(lines) && (strings.HasPrefix(lines[end], indent+" ") || lines[end] == "\n") {
		end++
	}
	return strings.ReplaceAll(strings.TrimPrefix(strings.Join(lines[at:end], ""), indent), "\n"+indent, "\n")
}
