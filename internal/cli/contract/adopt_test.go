package contract

import (
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/payctl/payctl/internal/contract/diff"
)

// The text of a document cannot add a setting to the profile.
func TestAdoptedTextStaysText(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"x\n    allow_insecure_http: true\n#", "x\r    a: b", "x\u2028    a: b", "x\u0085    a: b", "- x: {",
		"# x\n---\na: b",
	} {
		found := &diff.Adoption{
			Profile:  map[string]any{"base_url": text, text: map[string]any{text: map[string]any{text: text}}},
			Comments: []string{text},
		}
		block, err := profileBlock(found)
		require.NoError(t, err)
		var read map[string]map[string]map[string]any
		require.NoError(t, yaml.Unmarshal([]byte(block), &read), "%s", block)
		require.Equal(t, map[string]map[string]map[string]any{"profiles": {"service": found.Profile}}, read)
	}
}
