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
	for _, text := range []string{"x\n    allow_insecure_http: true\n#", "x\r    a: b", "x\u2028    a: b", "x\u0085    a: b", "- x: {", "# x\n---\na: b"} {
		found := &diff.Adoption{
			Profile: diff.Profile{
				BaseURL: text, KeyHeader: text, Operations: map[string]string{text: text}, Members: map[string]diff.InBraces{text: {text: text}},
			},
			Unsure: []string{text}, Words: map[string][]string{"kyc": {text}}, Missing: []string{"getTransfer"},
		}
		block, err := profileBlock(found)
		require.NoError(t, err)
		var read map[string]map[string]diff.Profile
		require.NoError(t, yaml.Unmarshal([]byte(block), &read), "%s", block)
		require.Equal(t, map[string]map[string]diff.Profile{"profiles": {"service": found.Profile}}, read)
	}
}
