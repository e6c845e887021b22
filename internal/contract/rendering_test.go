package contract

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

func eachNode(n *yaml.Node, visit func(*yaml.Node)) {
	visit(n)
	for _, child := range n.Content {
		eachNode(child, visit)
	}
}

// A schema that only adds a description to a nullable one repeats its type and nullable: some generators, such as
// openapi-zod-client, do not look for them in allOf.
func TestReferencesToNullableSchemasAreNullable(t *testing.T) {
	t.Parallel()
	schemas := at(root(t), "components", "schemas")
	found := 0
	eachNode(root(t), func(n *yaml.Node) {
		parts := at(n, "allOf")
		if parts == nil || len(parts.Content) != 1 || at(parts.Content[0], "$ref") == nil {
			return
		}
		target := at(schemas, strings.TrimPrefix(at(parts.Content[0], "$ref").Value, "#/components/schemas/"))
		if at(target, "nullable") != nil {
			found++
			require.NotNil(t, at(n, "nullable"), "line %d", n.Line)
			require.Equal(t, at(target, "type").Value, at(n, "type").Value, "line %d", n.Line)
		}
	})
	require.Positive(t, found)
}

// Renderers show descriptions, and some show badges, but not x-origin.
func TestOriginsAreShown(t *testing.T) {
	t.Parallel()
	shown := map[string]int{}
	var walk func(n *yaml.Node)
	walk = func(n *yaml.Node) {
		if mark := at(n, "x-origin"); mark != nil {
			description := at(n, "description").Value
			if id := at(n, "operationId"); id != nil {
				require.Equal(t, mark.Value, at(n, "x-badges").Content[0].Content[1].Value, id.Value)
				require.Regexp(t, "\n\n`"+mark.Value+"` [^\n]+\n$", description)
				for _, assumed := range publishedOperations[id.Value] {
					require.Contains(t, description, assumed)
				}
				shown[mark.Value+" operations"]++
			} else {
				require.Equal(t, mark.Value == Published, strings.HasSuffix(description, " `published`"), description)
				shown[mark.Value]++
			}
		}
		for _, child := range n.Content {
			walk(child)
		}
	}
	walk(root(t))
	require.Equal(t, len(publishedOperations), shown["published operations"])
	require.Equal(t, len(Operations)-len(publishedOperations), shown["assumed operations"])
	require.Greater(t, shown[Published], 10) // some members have the mark of the schema that they refer to
	require.Greater(t, shown[Assumed], 100)
}
