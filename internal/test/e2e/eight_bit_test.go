//go:build !windows

package e2e

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// On a terminal whose locale is not UTF-8 the bytes 0x80 to 0x9f are control characters: "ě" would begin an escape
// sequence. None is written, in any form of output, in an error, and in the live view.
func TestATerminalWithoutUTF8(t *testing.T) {
	t.Parallel()
	s := newSession(t, serve(t))
	out, err := s.command(nil, "accounts", "create", "--type", "individual", "--first-name", "ě2J", "--last-name", "Öz 田",
		"--email", "a@example.com", "--country", "CZ", "--jq", ".id").Output()
	require.NoError(t, err)
	id := strings.TrimSpace(string(out))
	for _, c := range []struct {
		text, keys string
		args       []string
		want       string
	}{
		{"", "", []string{"accounts", "list"}, `\u011b*** \u00d6***`},
		{"", "", []string{"accounts", "get", id}, `\u011b***`},
		{"", "", []string{"accounts", "get", id, "-o", "json"}, `"firstName": "\u011b`},
		{"", "", []string{"accounts", "get", id, "-o", "yaml"}, `firstName: `},
		{"", "", []string{"accounts", "get", "ě2J"}, `\u011b2J`},
		{`\u011b*** \u00d6***`, "q", []string{"kyc", "watch", "--all"}, `\u011b*** \u00d6***`},
	} {
		s.columns = 160
		shown, _ := s.terminal([]string{"LC_ALL=C"}, c.text, press(c.keys), c.args...)
		require.Contains(t, shown, c.want, c.args)
		for i := range len(shown) {
			require.False(t, shown[i] >= 0x80 && shown[i] <= 0x9F, "%v: %q", c.args, shown)
		}
	}
}
