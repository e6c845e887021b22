package completion

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/settings"
)

var now = time.Date(2026, time.March, 1, 12, 0, 0, 0, time.UTC)

// stub is a service that has accounts, or an error, and counts its calls.
type stub struct {
	payments.Reads
	ask   func(context.Context) ([]payments.Account, error)
	asked int
}

func (s *stub) ListAccounts(ctx context.Context, _ payments.AccountFilter) (payments.AccountPage, error) {
	s.asked++
	data, err := s.ask(ctx)
	return payments.AccountPage{Data: data}, err
}

func around(t *testing.T, at payments.Reads, identity string, clock *time.Time) *service {
	dir := t.TempDir()
	return &service{&cmdutil.Deps{
		Options: &cmdutil.Options{},
		Now:     func() time.Time { return *clock },
		Getenv:  func(name string) string { return map[string]string{settings.EnvConfigDir: dir}[name] },
		Quick:   func(context.Context) (payments.Reads, string, bool) { return at, identity, at != nil },
	}}
}

func TestTheServiceIsAskedOnceInAWhile(t *testing.T) {
	t.Parallel()
	clock := now
	at := &stub{ask: func(context.Context) ([]payments.Account, error) {
		return []payments.Account{{ID: "acc_1", Email: "ada@example.com"}}, nil
	}}
	s := around(t, at, "me", &clock)
	want := []Candidate{{"acc_1", "a***@example.com"}}
	require.Equal(t, want, s.accounts(place{}))
	clock = now.Add(cacheLife - 1)
	require.Equal(t, want, s.accounts(place{}))
	require.Equal(t, 1, at.asked)
	clock = now.Add(cacheLife)
	require.Equal(t, want, s.accounts(place{}))
	require.Equal(t, 2, at.asked)
	clock = now.Add(-time.Hour)
	require.Equal(t, want, s.accounts(place{}))
	require.Equal(t, 3, at.asked, "what is kept from the future is not believed")
}

func TestWhatCannotBeFoundOutIsLeftOut(t *testing.T) {
	t.Parallel()
	clock := now
	require.Empty(t, around(t, nil, "", &clock).accounts(place{}), "no credential")
	require.Empty(t, around(t, &stub{ask: func(context.Context) ([]payments.Account, error) { return nil, errors.New("down") }}, "me", &clock).accounts(place{}))
	// One that does not answer is given up.
	hanging := &stub{ask: func(ctx context.Context) ([]payments.Account, error) { <-ctx.Done(); return nil, ctx.Err() }}
	require.Empty(t, around(t, hanging, "me", &clock).accounts(place{}))
}

func TestTheCacheBelievesNothingForeign(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	c := newCache(dir, now, "me", "accounts")
	c.write([]Candidate{{"acc_1", "one"}})
	found, ok := c.read()
	require.True(t, ok)
	require.Equal(t, []Candidate{{"acc_1", "one"}}, found)
	for _, other := range []*cache{newCache(dir, now, "you", "accounts"), newCache(dir, now, "me", "contacts")} {
		_, ok = other.read()
		require.False(t, ok)
	}
	require.NoError(t, os.WriteFile(c.path, []byte("nonsense"), 0o600))
	_, ok = c.read()
	require.False(t, ok)
	require.NoError(t, os.WriteFile(c.path, make([]byte, cacheBytes+1), 0o600))
	_, ok = c.read()
	require.False(t, ok)
	target := filepath.Join(dir, "elsewhere.json")
	require.NoError(t, os.Rename(c.path, target))
	if os.Symlink(target, c.path) == nil {
		_, ok = c.read()
		require.False(t, ok, "a link is not followed")
	}
}

func TestTheCacheStaysSmall(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for i := range 3 * cacheFiles {
		newCache(dir, time.Now(), strings.Repeat("x", i), "accounts").write(nil)
	}
	entries, err := os.ReadDir(filepath.Join(dir, "completion"))
	require.NoError(t, err)
	require.LessOrEqual(t, len(entries), cacheFiles+2)
	newCache(dir, time.Now().Add(cacheLife), "me", "accounts").write(nil)
	entries, err = os.ReadDir(filepath.Join(dir, "completion"))
	require.NoError(t, err)
	require.Len(t, entries, 1, "what is old goes")
}

// Whatever a service sends, a shell is given words of harmless characters and descriptions of one line.
func TestCandidatesAreHarmlessProperty(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"acc_1", "$(id)", "a b", "-x", "a\tb", "a\nb", "`id`", "a;b", "\x1b[2J", ":4", "é"}))
		found := candidates([]string{text.Draw(t, "value")}, func(value string) (string, []string) { return value, []string{text.Draw(t, "description")} })
		for _, candidate := range found {
			require.Regexp(t, `^[A-Za-z0-9_.:>@+][A-Za-z0-9_.:>@+-]*$`, candidate.Value)
			require.NotContains(t, candidate.Description, "\n")
			require.NotContains(t, candidate.Description, "\t")
			require.NotContains(t, candidate.Description, "\x1b")
		}
	})
}

// A label that two contacts have, or that a shell or a terminal could take for anything else, is no candidate.
func TestLabels(t *testing.T) {
	t.Parallel()
	var found []string
	for _, c := range labelled([]payments.SavedContact{
		{ID: "1", Label: "Ada"}, {ID: "2", Label: "Ada"}, {ID: "3", Label: "Ada Lovelace"}, {ID: "4", Label: "Größe 1.5, b/c"},
		{ID: "5", Label: "$(touch x)"}, {ID: "6", Label: "a\"b"}, {ID: "7", Label: "it's"}, {ID: "8", Label: "-rf"},
		{ID: "9", Label: " a"}, {ID: "10", Label: "a\u202eb"}, {ID: "11"},
	}) {
		found = append(found, c.Value)
	}
	require.Equal(t, []string{"Ada Lovelace", "Größe 1.5, b/c"}, found)
}

// Behind NAME= stand the files of a folder, and folders with a slash.
func TestFilesBehindAName(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, name := range []string{"a.jpg", "ab.jpg", "b.jpg", ".hidden", "a\x1b[2J"} {
		if os.WriteFile(filepath.Join(dir, name), nil, 0o600) != nil {
			continue // Windows has no such names
		}
	}
	require.NoError(t, os.Mkdir(filepath.Join(dir, "album"), 0o700))
	found := func(begun string) (paths []string) {
		for _, c := range files("id=", filepath.Join(dir, "x")[:len(dir)+1]+begun) {
			paths = append(paths, strings.TrimPrefix(c.Value, "id="+dir)[1:])
		}
		return paths
	}
	require.ElementsMatch(t, []string{"a.jpg", "ab.jpg", "album/"}, found("a"))
	require.ElementsMatch(t, []string{"a.jpg", "ab.jpg", "b.jpg", "album/"}, found(""))
	require.Equal(t, []string{".hidden"}, found(".h"))
	require.Empty(t, files("id=", filepath.Join(dir, "absent", "a")))
}
