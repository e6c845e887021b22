package settings

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestNamesOfProfilesAndOperations(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]struct{ profile, operation bool }{
		"":                            {},
		"a":                           {true, true},
		"_Az09":                       {true, true},
		"a.b":                         {true, false},
		"-a":                          {false, true},
		".a":                          {},
		"a b":                         {},
		"a\n":                         {},
		"ä":                           {},
		"aä":                          {},
		"a/b":                         {},
		strings.Repeat("a", 64):       {true, true},
		strings.Repeat("a", 65):       {false, true},
		strings.Repeat("a", 128):      {false, true},
		strings.Repeat("a", 129):      {},
		strings.Repeat("a", 63) + "é": {},
	} {
		_, err := profileName(text)
		require.Equal(t, want.profile, err == nil, "profile %q", text)
		require.Equal(t, want.operation, operationID(text) == nil, "operation %q", text)
	}
}
