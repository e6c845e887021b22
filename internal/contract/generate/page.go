package main

import (
	"bytes"
	_ "embed"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/payments"
)

//go:embed CONTRACT.md
var pageIntroduction []byte

// renderContractPage generates docs/CONTRACT.md: the introduction, the operations with their origin, the published
// members, and the states.
func renderContractPage(d *document) ([]byte, error) {
	b := bytes.NewBuffer(slices.Clone(pageIntroduction))
	b.WriteString("\n## Operations\n\n| operation | request | access | origin | assumed in it |\n| --- | --- | --- | " +
		"--- | --- |\n")
	for _, op := range d.operations() {
		var assumed []string
		if parts, ok := op.Extensions["x-assumed"].([]any); ok {
			for _, part := range parts {
				assumed = append(assumed, fmt.Sprint(part))
			}
		}
		scope := [...]string{contract.Open: "Open", contract.Basic: "Basic", contract.Bearer: "Bearer"}[access(op)]
		if name := op.text("x-scope"); name != "" {
			scope += ", `" + name + "`"
		}
		fmt.Fprintf(b, "| `%s` | `%s %s` | %s | %s | %s |\n",
			op.OperationID, op.method, op.path, scope, op.Extensions["x-origin"], strings.Join(assumed, ", "))
	}
	b.WriteString("\n## Published members\n\nAll other members are assumed.\n")
	b.WriteString("\n| object | published | assumed |\n| --- | --- | --- |\n")
	for _, name := range slices.Sorted(maps.Keys(d.Components.Schemas)) {
		members := map[string][]string{}
		collectOrigins(d.Components.Schemas[name].Value, members)
		if len(members["published"]) > 0 {
			fmt.Fprintf(b, "| %s | %s | %s |\n", name, strings.Join(members["published"], " "),
				strings.Join(members["assumed"], " "))
		}
	}
	b.WriteString("\n## States\n\nNo other transitions exist; the sandbox refuses them with 409 `invalid-state`.\n")
	checks, transfers := payments.Transitions()
	writeStates(b, d.Components.Schemas["KYCStatus"].Value, checks)
	writeStates(b, d.Components.Schemas["TransferState"].Value, transfers)
	return b.Bytes(), nil
}

// writeStates writes what the states of a schema mean, and a table of those that can follow each.
func writeStates[S ~string](b *bytes.Buffer, schema *openapi3.Schema, next map[S][]S) {
	fmt.Fprintf(b, "\n%s\n\n| state | can become |\n| --- | --- |\n", strings.TrimSpace(schema.Description))
	for _, value := range schema.Enum {
		state := S(fmt.Sprint(value))
		follow := "nothing: it is final"
		if len(next[state]) > 0 {
			follow = ""
			for _, s := range next[state] {
				follow += " `" + string(s) + "`"
			}
		}
		fmt.Fprintf(b, "| `%s` | %s |\n", state, strings.TrimSpace(follow))
	}
}

// collectOrigins adds the members of a schema by their origins, which every member has.
func collectOrigins(s *openapi3.Schema, members map[string][]string) {
	for _, branch := range s.AllOf {
		if branch.Ref == "" {
			collectOrigins(branch.Value, members)
		} else {
			members["assumed"] = append(members["assumed"], "those of "+refName(branch.Ref))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		origin, _ := s.Properties[name].Value.Extensions["x-origin"].(string)
		members[origin] = append(members[origin], "`"+name+"`")
	}
}
