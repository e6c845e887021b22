package e2e

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/test/testkit"
)

// A between is a proxy between the program and a service. It counts requests, and makes trouble when told to.
type between struct {
	url    string
	sent   atomic.Int32 // requests
	tokens atomic.Int32 // requests for a token
	short  atomic.Int32 // how many of the first tokens expire after a second
	down   atomic.Bool  // answers nothing
	hold   atomic.Pointer[held]
}

// held is a request for a token that does not reach the service yet.
type held struct{ arrived, released chan struct{} }

// holdNext makes the next request for a token wait until release is called.
func (b *between) holdNext() (arrived <-chan struct{}, release func()) {
	h := &held{make(chan struct{}), make(chan struct{})}
	b.hold.Store(h)
	return h.arrived, func() { close(h.released) }
}

func newBetween(t *testing.T, service string) *between {
	t.Helper()
	target, err := url.Parse(service)
	require.NoError(t, err)
	b := &between{}
	proxy := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(target) },
		ModifyResponse: func(r *http.Response) error {
			if !asksForToken(r.Request) || b.tokens.Load() > b.short.Load() {
				return nil
			}
			body, err := io.ReadAll(r.Body)
			if err != nil {
				return err
			}
			body = bytes.Replace(body, []byte(`"expires_in":3600`), []byte(`"expires_in":1`), 1)
			r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
			r.Header.Set("Content-Length", strconv.Itoa(len(body)))
			return nil
		},
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, _ error) { w.WriteHeader(http.StatusBadGateway) },
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b.sent.Add(1)
		if b.down.Load() {
			panic(http.ErrAbortHandler)
		}
		if asksForToken(r) {
			b.tokens.Add(1)
			if h := b.hold.Swap(nil); h != nil {
				close(h.arrived)
				<-h.released
			}
		}
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	b.url = server.URL
	return b
}

func asksForToken(r *http.Request) bool {
	return r.Method == http.MethodPost && strings.HasPrefix(r.URL.Path, "/identity/auth/tokens")
}

// A keeper is a machine with the keyring of a bus as its credential store.
type keeper struct {
	machine

	service *between
}

// newKeeper returns a keeper that uses a service and a bus. An empty bus means none.
func newKeeper(t *testing.T, service, bus string) *keeper {
	t.Helper()
	home, b := t.TempDir(), newBetween(t, service)
	return &keeper{machine{t: t, dir: home, env: inherited(
		"HOME="+home, "XDG_RUNTIME_DIR="+home, "PAYCTL_CONFIG_DIR="+filepath.Join(home, "config"),
		"PAYCTL_BASE_URL="+b.url, testkit.BusVariable+"="+bus,
	)}, b}
}

// logIn is the command line that logs in, with the secret on standard input.
var logIn = []string{"auth", "login", "--client-id", "desk", "--secret-stdin", "-o", "json"}

const deskSecret = "secret-of-the-desk"

// nothingStored requires that no file holds a login.
func (k *keeper) nothingStored() {
	k.t.Helper()
	_, err := os.Stat(filepath.Join(k.dir, "config", "state", "credentials.json"))
	require.ErrorIs(k.t, err, os.ErrNotExist, "no file may replace the keyring")
	require.Empty(k.t, k.filesWith(deskSecret))
}

// refuses runs commands at once, which must fail because they have no keyring: with exit code 4 and a message that
// names the cause and the way out. They must not send or store anything.
func (k *keeper) refuses(calls [][]string, problem, cause, way string) {
	k.t.Helper()
	before := k.service.sent.Load()
	var all []*run
	for _, args := range calls {
		all = append(all, k.typing(deskSecret).start(args...))
	}
	for i, r := range all {
		e, line := r.end(), strings.Join(calls[i], " ")
		require.Equal(k.t, 4, e.code, "%s: %s", line, e.stderr)
		require.Contains(k.t, e.stderr, cause, line)
		require.Contains(k.t, e.stderr, way, line)
		require.NotContains(k.t, e.stderr+e.stdout, deskSecret, line)
		told := `"type": "payctl:` + problem + `"`
		if strings.HasPrefix(line, "auth status") { // it has its own form
			told = way
		}
		require.Contains(k.t, e.stdout, told, line)
		require.Contains(k.t, e.stdout, cause, line)
	}
	require.Equal(k.t, before, k.service.sent.Load(), "something was sent without the intended credential")
	k.nothingStored()
}
