package diff

import (
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/payctl/payctl/internal/contract"
)

// A Member is one member of a schema of the contract.
type Member struct {
	In          string `json:"in"`   // request, response, or the name of the schema
	Name        string `json:"name"` // with those of the objects around it, as in destination.amount
	Type        string `json:"type"`
	Required    bool   `json:"required"`
	Origin      string `json:"origin,omitempty"` // published or assumed
	Example     any    `json:"example,omitempty"`
	Description string `json:"description,omitempty"` // its first sentence
}

// Describe lists the members of an operation's request and of its usual response, or those of a schema of the contract; it
// is empty if there is neither of the name.
func Describe(name string) (all []Member) {
	var d Document
	if err := json.Unmarshal(contract.JSON, &d.root); err != nil {
		panic(err) // the document is part of the program
	}
	op := contract.Find(name)
	if op == nil {
		return d.describe(name, "", map[string]any{"$ref": "#/components/schemas/" + name})
	}
	paths, _ := d.root["paths"].(map[string]any)
	methods, _ := paths[op.Path].(map[string]any)
	operation, _ := methods[strings.ToLower(op.Method)].(map[string]any)
	return append(d.describe("request", "", d.requestSchema(operation)), d.describe("response", "", d.responseSchema(operation, op.Success))...)
}

// describe lists the members of a schema, and of the objects and rows within it.
func (d *Document) describe(in, at string, schema any) (all []Member) {
	const deepest = 2
	s := d.shape(schema, 0)
	for _, name := range slices.Sorted(maps.Keys(s.members)) {
		inner, o := d.shape(s.members[name], 0), d.object(s.members[name])
		m := Member{In: in, Name: join(at, name), Type: inner.kind, Required: slices.Contains(s.required, name), Example: o["example"]}
		m.Origin, _ = o["x-origin"].(string)
		text, _ := o["description"].(string)
		m.Description, _, _ = strings.Cut(strings.TrimSuffix(strings.ReplaceAll(text, "\n", " "), " `published`"), ". ")
		all = append(all, m)
		if strings.Count(m.Name, ".") < deepest {
			all = append(all, d.describe(in, m.Name, s.members[name])...)
			all = append(all, d.describe(in, m.Name+"[]", inner.items)...)
		}
	}
	return all
}
