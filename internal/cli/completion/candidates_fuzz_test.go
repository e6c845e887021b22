package completion

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/payments"
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
		found := candidates([]string{value}, func(v string) (string, []string) { return v, []string{text, "", text} })
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
		for _, c := range labelled([]payments.SavedContact{{ID: text, Label: value}}) {
			require.Equal(t, value, c.Value)
			require.Regexp(t, `^[\p{L}\p{Nd}_.:@+,/][\p{L}\p{Nd} _.:@+,/-]*$`, c.Value)
			require.Equal(t, ui.Sanitize(c.Description), c.Description)
		}
	})
}

// FuzzCache holds the cache of candidates to be read or not, whatever its file holds; and what it kept to come back.
func FuzzCache(f *testing.F) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, seed := range []string{
		`{"at":"2026-01-02T03:04:05Z","candidates":[{"value":"acc_1","description":"Ada"}]}`,
		`{"at":"2027-01-02T03:04:05Z","candidates":[]}`,
		"{\"at\":\"2026-01-02T03:04:05Z\",\"candidates\":[{\"value\":\"acc_1\\nx\",\"description\":\"\\u001b[2J\"}]}",
		"null", `{"at":"2026-01-02T03:04:00Z"}`,
		`{"at":"2020-01-02T03:04:05Z","candidates":[{"value":"acc_1"}]}`, `{"at":"2026-01-02`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		c := newCache(t.TempDir(), now, "id", "accounts")
		require.NoError(t, os.MkdirAll(filepath.Dir(c.path), 0o700))
		require.NoError(t, os.WriteFile(c.path, content, 0o600))
		found, ok := c.read()
		if !ok {
			require.Empty(t, found)
			return
		}
		for _, candidate := range found {
			require.Equal(t, ui.Sanitize(candidate.Value+candidate.Description), candidate.Value+candidate.Description)
		}
		c.write(found)
		again, ok := c.read()
		require.True(t, ok || len(found) > 100, "%d", len(found))
		if ok && len(found) > 0 {
			require.Equal(t, found, again)
		}
	})
}
