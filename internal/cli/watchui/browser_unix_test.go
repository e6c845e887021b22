//go:build !windows

package watchui

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/ui/live"
)

// A host is confirmed once, but not for http if it was confirmed for https.
func TestConfirmedHosts(t *testing.T) {
	t.Parallel()
	a := testActions()
	a.deps.Getenv = func(name string) string { return map[string]string{"BROWSER": "true"}[name] }
	var link string
	a.Read = func(context.Context, string) (any, error) { return link, nil }
	a.Link = func(subject any) string { return subject.(string) }
	link = "https://verify.example/1"
	_, err := a.openLink(t.Context(), &scripted{answers: []any{true}}, testRows(1))
	require.NoError(t, err)
	link = "https://verify.example/2"
	_, err = a.openLink(t.Context(), &scripted{}, testRows(1))
	require.NoError(t, err)
	for _, link = range []string{"http://verify.example/2", "https://verify.example:8443/2", "https://other.example/"} {
		_, err = a.openLink(t.Context(), &scripted{}, testRows(1))
		require.ErrorIs(t, err, live.ErrCancelled, link)
	}
}
