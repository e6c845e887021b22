// Package diff compares the OpenAPI document of a service with the contract, as far as a client relies on it: may it
// still send what it sends, and does it still find what it reads in the response.
package diff

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/payctl/payctl/internal/contract"
)

// A Difference is how a service's operation differs from the contract's. Each entry is a phrase for a person.
type Difference struct {
	Missing  bool     // the service's document does not have the operation
	Breaking []string // calls fail, or their responses lack what is read
	Other    []string // some calls or responses are not understood
}

// Operation compares an operation of the contract, which is in the document ours, with the one that the document theirs
// has at the method and path.
func Operation(ours, theirs *Document, op *contract.Operation, method, path string) Difference {
	own := ours.operations[withoutNames(op.Method+" "+op.Path)]
	other := theirs.operations[withoutNames(method+" "+path)]
	if other == nil {
		return Difference{Missing: true}
	}
	c := &comparison{ours: ours, theirs: theirs}
	if a, b := ours.requestSchema(own), theirs.requestSchema(other); a != nil && b != nil {
		c.request("", a, b, 0)
	}
	if a, b := ours.responseSchema(own, op.Success), theirs.responseSchema(other, op.Success); a != nil && b != nil {
		c.response("", a, b, 0)
	}
	return c.found
}

// comparison collects the differences of one operation.
type comparison struct {
	ours, theirs *Document
	found        Difference
}

func (c *comparison) breaking(format string, args ...any) {
	c.found.Breaking = append(c.found.Breaking, fmt.Sprintf(format, args...))
}

func (c *comparison) other(format string, args ...any) {
	c.found.Other = append(c.found.Other, fmt.Sprintf(format, args...))
}

// request compares what is sent: the service must not require members that payctl does not send. at is the path of the
// schema in the body.
func (c *comparison) request(at string, ours, theirs any, depth int) {
	own, other := c.ours.shape(ours, 0), c.theirs.shape(theirs, 0)
	for _, name := range unique(other.required) {
		_, known := own.members[name]
		switch {
		case slices.Contains(own.required, name), own.open:
		case known:
			c.other("the member %s of the request is required now", join(at, name))
		default:
			c.breaking("the member %s of the request is required, and payctl does not know it", join(at, name))
		}
	}
	c.descend(at, own, other, depth, c.request)
}

// response compares what is received: what payctl reads must be there, and must have values that payctl knows.
func (c *comparison) response(at string, ours, theirs any, depth int) {
	own, other := c.ours.shape(ours, 0), c.theirs.shape(theirs, 0)
	for _, name := range unique(own.required) {
		if _, there := other.members[name]; !there && !other.open {
			c.breaking("the member %s of the response is missing", join(at, name))
		}
	}
	added := slices.DeleteFunc(unique(other.values), func(value string) bool { return slices.Contains(own.values, value) })
	if at != "" && len(own.values) > 0 && len(added) > 0 {
		values := strings.Join(added, ", ")
		c.other("the response's %s may be %s, which payctl does not know", strings.TrimSuffix(at, "[]"), values)
	}
	c.descend(at, own, other, depth, c.response)
}

// descend compares the members and elements that both schemas have.
func (c *comparison) descend(at string, own, other shape, depth int, compare func(string, any, any, int)) {
	if depth == maxDepth {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(own.members)) {
		if theirs, both := other.members[name]; both {
			compare(join(at, name), own.members[name], theirs, depth+1)
		}
	}
	if own.items != nil && other.items != nil {
		compare(at+"[]", own.items, other.items, depth+1)
	}
}

func join(at, name string) string { return strings.TrimPrefix(at+"."+name, ".") }

func unique(names []string) []string { return slices.Compact(slices.Sorted(slices.Values(names))) }
