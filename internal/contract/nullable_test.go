package contract

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

// A schema that only describes a nullable one has its type and nullable itself: some generators, such as
// openapi-zod-client, do not look for them in allOf.
func TestReferencesToNullableSchemasAreNullable(t *testing.T) {
	t.Parallel()
	schemas := at(root(t), "components", "schemas")
	found := 0
	var walk func(n *yaml.Node)
	walk = func(n *yaml.Node) {
		if parts := at(n, "allOf"); parts != nil && len(parts.Content) == 1 {
			if reference := at(parts.Content[0], "$ref"); reference != nil {
				target := at(schemas, strings.TrimPrefix(reference.Value, "#/components/schemas/"))
				if at(target, "nullable") != nil {
					found++
					require.NotNil(t, at(n, "nullable"), "line %d", n.Line)
					require.Equal(t, at(target, "type").Value, at(n, "type").Value, "line %d", n.Line)
				}
			}
		}
		for _, child := range n.Content {
			walk(child)
		}
	}
	walk(root(t))
	require.Positive(t, found)
}
