package client

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/payments"
)

// askRelease asks a server for the latest release.
func askRelease(t *testing.T, timeout time.Duration, handle http.HandlerFunc) (Release, error) {
	t.Helper()
	server := httptest.NewServer(handle)
	t.Cleanup(server.Close)
	t.Cleanup(server.CloseClientConnections)
	base, err := url.Parse(server.URL + "/payctl/payctl/releases")
	require.NoError(t, err)
	c, err := New(Config{BaseURL: base, UserAgent: "payctl/0.1.0", Timeout: timeout, Traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"})
	require.NoError(t, err)
	t.Cleanup(c.CloseIdleConnections)
	return c.latestRelease(t.Context())
}

// TestLatestRelease: one request without anything but the program's name, to whose redirect the tag belongs.
func TestLatestRelease(t *testing.T) {
	t.Parallel()
	for location, version := range map[string]string{
		"/payctl/payctl/releases/tag/v0.2.0":      "0.2.0",
		"/payctl/payctl/releases/tag/v0.2.0-rc.1": "0.2.0-rc.1",
		"/other/name/releases/tag/v10.0.0":        "10.0.0",
	} {
		requests := make(chan *http.Request, 9)
		found, err := askRelease(t, 0, func(w http.ResponseWriter, r *http.Request) {
			requests <- r
			w.Header().Set("Location", location)
			w.WriteHeader(http.StatusFound)
		})
		require.NoError(t, err)
		require.Equal(t, version, found.Version)
		require.Contains(t, found.URL, location)
		require.Len(t, requests, 1)
		sent := <-requests
		require.Equal(t, http.MethodHead, sent.Method)
		require.Equal(t, "/payctl/payctl/releases/latest", sent.URL.String())
		require.Equal(t, http.Header{"User-Agent": {"payctl/0.1.0"}}, sent.Header)
	}
}

// TestLatestReleaseOfARenamedRepository: a repository that has another name redirects to its own page first.
func TestLatestReleaseOfARenamedRepository(t *testing.T) {
	t.Parallel()
	found, err := askRelease(t, 0, func(w http.ResponseWriter, r *http.Request) {
		to := "/new/payctl/releases/latest"
		if r.URL.Path == to {
			to = "/new/payctl/releases/tag/v1.0.0"
		}
		http.Redirect(w, r, to, http.StatusMovedPermanently)
	})
	require.NoError(t, err)
	require.Equal(t, "1.0.0", found.Version)
}

func TestLatestReleaseThatIsNotKnown(t *testing.T) {
	t.Parallel()
	redirect := func(to string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", to)
			w.WriteHeader(http.StatusFound)
		}
	}
	for name, c := range map[string]struct {
		handle http.HandlerFunc
		kind   payments.Kind
		says   string
	}{
		"none yet":       {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNotFound) }, payments.KindUnusable, "it names no release"},
		"a page":         {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) }, payments.KindUnusable, "it names no release"},
		"a failure":      {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) }, payments.KindUnusable, "HTTP status 502 (Bad Gateway)"},
		"a limit":        {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTooManyRequests) }, payments.KindUnusable, "429"},
		"no version":     {redirect("/payctl/payctl/releases/tag/nightly"), payments.KindUnusable, "named by no version"},
		"a control code": {redirect("/payctl/payctl/releases/tag/v1.0.0%1b"), payments.KindUnusable, "named by no version"},
		"another host":   {redirect("https://evil.test/payctl/payctl/releases/tag/v9.9.9"), payments.KindUnusable, "where no release can be"},
		"plain http":     {redirect("http://github.test/releases/tag/v9.9.9"), payments.KindUnusable, "where no release can be"},
		"no location":    {redirect(""), payments.KindUnusable, "where no release can be"},
		"a loop":         {redirect("/payctl/payctl/releases/latest"), payments.KindUnusable, "where no release can be"},
		"a broken one":   {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, payments.KindUnusable, "closed"},
	} {
		_, err := askRelease(t, 0, c.handle)
		require.True(t, payments.IsKind(err, c.kind), "%s: %v", name, err)
		require.ErrorContains(t, err, c.says, name)
		require.ErrorContains(t, err, "The latest version is not known", name)
	}
}

// TestLatestReleaseHasADeadline: a server that never answers is not waited for, and one that is not there is unreachable.
func TestLatestReleaseHasADeadline(t *testing.T) {
	t.Parallel()
	_, err := askRelease(t, 50*time.Millisecond, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	require.True(t, payments.IsKind(err, payments.KindTimeout), "%v", err)

	base, err := url.Parse("http://127.0.0.1:1/releases")
	require.NoError(t, err)
	c, err := New(Config{BaseURL: base})
	require.NoError(t, err)
	_, err = c.latestRelease(t.Context())
	require.True(t, payments.IsKind(err, payments.KindUnreachable), "%v", err)

	ended, end := context.WithCancel(t.Context())
	end()
	_, err = c.latestRelease(ended)
	require.ErrorIs(t, err, context.Canceled)
}
