package contract

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

// Renderers show operations, tags and members in the order of the document, which is the one in which they were written.
func TestServedDocumentsKeepTheOrder(t *testing.T) {
	t.Parallel()
	source, err := os.ReadFile("openapi.yaml")
	require.NoError(t, err)
	written := orderOf(t, source)
	require.Contains(t, written, "createAccessToken")
	for name, document := range map[string][]byte{"YAML": YAML, "JSON": JSON, "YAML 3.1": YAML31} {
		require.Equal(t, written, orderOf(t, document), name)
	}
}

// orderOf lists the tags, operationIds and names of members of a document as they follow each other.
func orderOf(t *testing.T, document []byte) (order []string) {
	t.Helper()
	var file yaml.Node
	require.NoError(t, yaml.Unmarshal(document, &file)) // JSON is YAML
	for _, tag := range at(file.Content[0], "tags").Content {
		order = append(order, at(tag, "name").Value)
	}
	var walk func(n *yaml.Node)
	walk = func(n *yaml.Node) {
		if id := at(n, "operationId"); id != nil {
			order = append(order, id.Value)
		}
		for _, member := range pairs(at(n, "properties")) {
			order = append(order, member[0].Value)
		}
		for _, child := range n.Content {
			walk(child)
		}
	}
	walk(file.Content[0])
	return order
}
