package contract

import (
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

// The document in OpenAPI 3.1 is the one in 3.0, but for what the versions write in different ways.
func TestBothVersionsDescribeTheSame(t *testing.T) {
	t.Parallel()
	var old, current any
	require.NoError(t, yaml.Unmarshal(YAML, &old))
	require.NoError(t, yaml.Unmarshal(YAML31, &current))

	document := old.(map[string]any)
	document["openapi"] = "3.1.0"
	document["info"].(map[string]any)["license"] = map[string]any{"name": "Apache-2.0", "identifier": "Apache-2.0"}

	changed := map[string]int{}
	for _, schema := range schemasOf(old) {
		if schema["nullable"] == true {
			schema["type"] = []any{schema["type"], "null"}
			delete(schema, "nullable")
			changed["nullable"]++
		}
		if example, there := schema["example"]; there {
			schema["examples"] = []any{example}
			delete(schema, "example")
			changed["example"]++
		}
		if schema["format"] == "byte" {
			schema["contentEncoding"] = "base64"
			delete(schema, "format")
			changed["byte"]++
		}
		if names, there := schema["x-propertyNames"]; there {
			schema["propertyNames"] = names
			delete(schema, "x-propertyNames")
			changed["names"]++
		}
	}
	require.Equal(t, old, current)
	require.Greater(t, changed["nullable"], 30)
	require.Positive(t, changed["example"])
	require.Positive(t, changed["byte"])
	require.Positive(t, changed["names"])
	for _, schema := range schemasOf(current) {
		require.NotContains(t, schema, "nullable")
		require.NotContains(t, schema, "example")
	}
}

// schemasOf finds everything that looks like a schema: it has a type, or combines others. Other objects like that have
// none of the keywords that differ.
func schemasOf(value any) (all []map[string]any) {
	switch value := value.(type) {
	case map[string]any:
		for name, member := range value {
			if name == "type" || name == "allOf" || name == "oneOf" {
				all = append(all, value)
			}
			all = append(all, schemasOf(member)...)
		}
	case []any:
		for _, element := range value {
			all = append(all, schemasOf(element)...)
		}
	}
	return all
}
