package cli

import (
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/ui"
)

// sinceBash4 matches what bash 3.2, the bash of macOS, does not support: a group after =~ that is not in a variable,
// associative arrays, name references, case changes, and newer ways to read lines and to redirect.
var sinceBash4 = regexp.MustCompile(
	`=~ [^$]\S*\(|\b(local|declare) -\w*[An]|\$\{\w+(,|\^)|\b(mapfile|readarray|coproc)\b|&>>|\|&[^\]\\]`)

// A single word that the bash of macOS does not know makes the whole script a syntax error.
func TestTheBashOfMacOS(t *testing.T) {
	t.Parallel()
	script, err := shells.ReadFile("shells/payctl.bash")
	require.NoError(t, err)
	require.NotRegexp(t, sinceBash4, string(script))
}

// FuzzCandidates checks that a shell gets only words that no shell and no terminal interprets.
func FuzzCandidates(f *testing.F) {
	f.Add("acc_01kdwcj2m07dx6vaehz84r9gfw", "Ada Lovelace")
	f.Add("acc_1", "\x1b]0;x\x07\xe2\x80\xae")
	f.Add("_activeHelp_", "x")
	f.Add("acc_1\nacc_2", "x")
	f.Add("-rf", "x")
	f.Add("sepa:EUR->base:USDC", "onramp")
	f.Fuzz(func(t *testing.T, value, text string) {
		for _, line := range candidate(value, text, "", text) {
			word, about, _ := strings.Cut(line, "\t")
			require.Equal(t, value, word)
			require.Regexp(t, `^[A-Za-z0-9_.:>@+][A-Za-z0-9_.:>@+-]*$`, word)
			require.Equal(t, ui.Sanitize(about), about)
			require.LessOrEqual(t, utf8.RuneCountInString(about), longestText)
			require.NotContains(t, line, "\n")
		}
	})
}
