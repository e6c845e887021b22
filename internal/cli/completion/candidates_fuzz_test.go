package completion

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/ui"
)

// FuzzCandidates holds what a shell is given to words that no shell and no terminal takes for anything else, one a line.
func FuzzCandidates(f *testing.F) {
	f.Add("acc_01kdwcj2m07dx6vaehz84r9gfw", "Ada Lovelace")
	f.Add("acc_1", "\x1b]0;x\x07\xe2\x80\xae")
	f.Add("_activeHelp_", "x")
	f.Add("acc_1\nacc_2", "x")
	f.Add("-rf", "x")
	f.Add("sepa:EUR->base:USDC", "onramp")
	f.Fuzz(func(t *testing.T, value, text string) {
		found := candidate(value, text, "", text)
		for _, c := range found {
			require.Equal(t, value, c.Value)
			require.Regexp(t, `^[A-Za-z0-9_.:>@+][A-Za-z0-9_.:>@+-]*$`, c.Value)
			require.Equal(t, ui.Sanitize(c.Description), c.Description)
			require.LessOrEqual(t, utf8.RuneCountInString(c.Description), longestText)
			lines, _ := (&completer{deps: &cmdutil.Deps{Options: &cmdutil.Options{}}}).find(func(place) []Candidate { return found }, place{begun: value[:len(value)/2]}, nil)
			require.Len(t, lines, 1)
			require.NotContains(t, lines[0], "\n")
			require.LessOrEqual(t, strings.Count(lines[0], "\t"), 1)
		}
		if isLabel(value) {
			require.Regexp(t, `^[\p{L}\p{Nd}_.:@+,/][\p{L}\p{Nd} _.:@+,/-]*$`, value)
		}
	})
}
