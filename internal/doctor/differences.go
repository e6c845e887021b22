package doctor

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/payctl/payctl/internal/contract"
)

// Bounds of a comparison with a document that may be anything.
const (
	deepest     = 10
	mostVisited = 5000
)

// differences collects how an operation of another document differs from ours.
type differences struct {
	ours, theirs *document
	breaking     []string // calls fail, or their answers lack what is read
	other        []string // some calls or answers are not understood
	visited      int
}

func (d *differences) operation(ours, theirs map[string]any, op *contract.Operation) {
	for _, p := range parametersOf(d.theirs, theirs) {
		if p.required && !p.sent && !slices.ContainsFunc(parametersOf(d.ours, ours), func(own parameterOf) bool { return own.in == p.in && own.name == p.name }) {
			d.breaking = append(d.breaking, fmt.Sprintf("the %s parameter %s is required, and payctl does not send it", p.in, p.name))
		}
	}
	ourBody, theirBody := d.ours.body(ours), d.theirs.body(theirs)
	switch {
	case ourBody != nil && theirBody != nil:
		d.request("", ourBody, theirBody, 0)
	case ourBody == nil && theirBody != nil && d.theirs.object(theirs["requestBody"])["required"] == true:
		d.breaking = append(d.breaking, "a body is required, and payctl sends none")
	}
	ourAnswer, theirAnswer := d.ours.answer(ours, op.Success), d.theirs.answer(theirs, op.Success)
	if ourAnswer != nil && theirAnswer != nil {
		d.answer("", ourAnswer, theirAnswer, 0)
	}
}

type parameterOf struct {
	in, name string
	required bool
	sent     bool // of the path, whatever it is called
}

func parametersOf(in *document, operation map[string]any) (found []parameterOf) {
	list, _ := operation["parameters"].([]any)
	for _, element := range list {
		p := in.object(element)
		where, _ := p["in"].(string)
		name, _ := p["name"].(string)
		if where == "header" {
			name = strings.ToLower(name)
		}
		found = append(found, parameterOf{in: where, name: name, required: p["required"] == true, sent: where == "path"})
	}
	return found
}

// body is the schema of an operation's JSON request body; nil when it has none.
func (d *document) body(operation map[string]any) any {
	return d.content(d.object(operation["requestBody"]))
}

// answer is the schema of an operation's JSON answer with a status; nil when it has none.
func (d *document) answer(operation map[string]any, status int) any {
	responses, _ := operation["responses"].(map[string]any)
	for _, name := range []string{strconv.Itoa(status), "200", "201", "2XX"} {
		if schema := d.content(d.object(responses[name])); schema != nil {
			return schema
		}
	}
	return nil
}

func (d *document) content(of map[string]any) any {
	content, _ := of["content"].(map[string]any)
	for _, media := range slices.Sorted(maps.Keys(content)) {
		if media == "application/json" || strings.HasPrefix(media, "application/json;") {
			return d.object(content[media])["schema"]
		}
	}
	return nil
}

// enough ends a comparison that goes on for too long: documents may refer to themselves.
func (d *differences) enough(depth int) bool {
	d.visited++
	return depth > deepest || d.visited > mostVisited
}

// request compares what is sent: they must not ask for more, and must take what we may send.
func (d *differences) request(at string, ours, theirs any, depth int) {
	if d.enough(depth) {
		return
	}
	a, b := d.ours.shape(ours, 0), d.theirs.shape(theirs, 0)
	for _, name := range unique(b.required) {
		_, known := a.members[name]
		switch {
		case slices.Contains(a.required, name), a.open, a.choice && known:
		case known:
			d.other = append(d.other, fmt.Sprintf("the member %s of the request is required now", below(at, name)))
		default:
			d.breaking = append(d.breaking, fmt.Sprintf("the member %s of the request is required, and payctl does not know it", below(at, name)))
		}
	}
	if len(b.values) > 0 {
		d.unknown(at, "the request's "+subject(at)+" does not take %s", a.values, b.values)
	}
	d.into(at, a, b, depth, d.request)
}

// answer compares what comes back: what we read must be there, and have values that we know.
func (d *differences) answer(at string, ours, theirs any, depth int) {
	if d.enough(depth) {
		return
	}
	a, b := d.ours.shape(ours, 0), d.theirs.shape(theirs, 0)
	for _, name := range unique(a.required) {
		if _, there := b.members[name]; !there && !b.open {
			d.breaking = append(d.breaking, fmt.Sprintf("the member %s of the answer is gone", below(at, name)))
		}
	}
	if len(a.values) > 0 {
		d.unknown(at, "the answer's "+subject(at)+" may be %s, which payctl does not know", b.values, a.values)
	}
	d.into(at, a, b, depth, d.answer)
}

// unknown tells of the values that stand in one enumeration and not in the other.
func (d *differences) unknown(at, format string, values, known []string) {
	var strange []string
	for _, value := range unique(values) {
		if !slices.Contains(known, value) {
			strange = append(strange, value)
		}
	}
	if len(strange) > 0 && at != "" {
		d.other = append(d.other, fmt.Sprintf(format, strings.Join(strange, ", ")))
	}
}

// into goes on with the members and elements that both have.
func (d *differences) into(at string, a, b shape, depth int, compare func(string, any, any, int)) {
	for _, name := range slices.Sorted(maps.Keys(a.members)) {
		if theirs, both := b.members[name]; both {
			compare(below(at, name), a.members[name], theirs, depth+1)
		}
	}
	if a.items != nil && b.items != nil {
		compare(at+"[]", a.items, b.items, depth+1)
	}
}

func below(at, name string) string {
	if at == "" {
		return name
	}
	return at + "." + name
}

func subject(at string) string { return strings.TrimSuffix(at, "[]") }

func unique(names []string) []string { return slices.Compact(slices.Sorted(slices.Values(names))) }
