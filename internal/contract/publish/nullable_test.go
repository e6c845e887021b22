package main

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Only a member whose schema can be null is marked, and no schema of several parts.
func TestRepeatNullable(t *testing.T) {
	t.Chdir("../../..")
	document := readSource(t)
	require.NoError(t, repeatNullable(document.root))
	member := func(schema, member, key string) string {
		node := get(document.root, "components", "schemas", schema, "properties", member)
		require.NotNil(t, get(node, "allOf"), member)
		if found := get(node, key); found != nil {
			return found.Value
		}
		return ""
	}
	require.Equal(t, "object", member("AccountPatch", "address", "type"))
	require.Equal(t, "true", member("AccountPatch", "address", "nullable"))
	require.Equal(t, "string", member("TransferSide", "amount", "type"))
	require.Empty(t, member("Transfer", "exchangeRate", "nullable"))
	require.Nil(t, get(document.root, "components", "schemas", "SavedContactPatch", "nullable"))
}
