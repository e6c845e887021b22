package server_test

import (
	"bytes"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/paytest"
	"github.com/payctl/payctl/internal/reference"
	"github.com/payctl/payctl/internal/server"
)

// logged is what was written to a log.
type logged struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// Each request is told of at the level debug: what was asked and what came of it, and nothing that is a secret.
func TestRequestsAreLoggedWithoutSecrets(t *testing.T) {
	t.Parallel()
	for name, handler := range map[string]func(*logged) slog.Handler{
		"json": func(l *logged) slog.Handler {
			return slog.NewJSONHandler(l, &slog.HandlerOptions{Level: slog.LevelDebug})
		},
		"text": func(l *logged) slog.Handler {
			return slog.NewTextHandler(l, &slog.HandlerOptions{Level: slog.LevelDebug})
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			log := &logged{}
			a := run(t, reference.Config{Log: slog.New(handler(log)), Check: true})
			account := a.approved()
			a.do("POST", accountsPath, `{"email":"hush-body@example.com"`)
			a.do("GET", accountsPath+"?email=hush-query@example.com", "")
			a.do("POST", tokenPath, "", "Authorization", basic("hush-id", "hush-secret"))
			a.do("POST", tokenPath, `grant_type=hush-form`, "Authorization", basic(paytest.ClientID, "hush-wrong"), "Content-Type", "application/x-www-form-urlencoded")
			a.do("GET", accountsPath, "", "Authorization", "Bearer hush-token")
			a.do("GET", accountsPath, "", "Authorization", "hush-scheme hush")
			a.do("POST", contactsPath, contactBody(t, "sepa", "EUR"), "Idempotency-Key", "hush-key")
			a.do("GET", contract.Expand(contract.GetKYCStatus.Path, account), "", "Cookie", "hush-cookie=1")
			a.fault("listAccounts=status:503")
			a.do("GET", accountsPath, "")
			a.do("GET", "/line%0abreak", "")
			a.do("GET", "/accounts/"+a.token, "")
			a.do("GET", "/accounts/"+a.token+"/v1", "")
			text := log.String()
			require.NotContains(t, text, "hush")
			for _, secret := range []string{a.token, paytest.ClientSecret, paytest.Coordinates("sepa")["iban"], "Lovelace", "ada@example.com", "Bearer ", "Basic "} {
				require.NotContains(t, text, secret)
			}
			for _, told := range []string{"createAccessToken", "listAccounts=status:503", "getKycStatus", "malformed-request", "req_", "wld_"} {
				require.Contains(t, text, told)
			}
			for line := range strings.Lines(text) {
				require.Contains(t, line, "request")
				require.True(t, strings.HasPrefix(line, "{") || strings.HasPrefix(line, "time="), line)
			}
		})
	}
}

// At the level info nothing is said while all goes well, and a refusal is well enough.
func TestTheLogIsQuiet(t *testing.T) {
	t.Parallel()
	log := &logged{}
	a := run(t, reference.Config{Log: slog.New(slog.NewJSONHandler(log, nil))})
	a.approved()
	requireProblem(t, a.do("GET", "/nowhere", ""), payments.KindNotFound)
	a.fault("listAccounts=status:503")
	require.Equal(t, http.StatusServiceUnavailable, a.do("GET", accountsPath, "").status)
	require.Empty(t, log.String())
}

// refusing is a listener that fails so often, and then is closed.
type refusing struct {
	net.Listener
	left int
}

func (r *refusing) Accept() (net.Conn, error) {
	if r.left--; r.left < 0 {
		return nil, net.ErrClosed
	}
	return nil, &net.OpError{Op: "accept", Err: syscall.EMFILE}
}

// A service on which clients wait, as it has too many files open, says so, and not each time that it tries again.
func TestConnectionsThatCannotBeAcceptedAreLogged(t *testing.T) {
	t.Parallel()
	log := &logged{}
	s := server.New(server.Config{Log: slog.New(slog.NewJSONHandler(log, nil))})
	listener := s.Guard(&http.Server{ReadHeaderTimeout: time.Second}, &refusing{left: 3}, nil)
	for range 4 {
		_, err := listener.Accept()
		require.Error(t, err)
	}
	require.Equal(t, 1, strings.Count(log.String(), "\n"), log.String())
	require.Contains(t, log.String(), "too many open files")

	log = &logged{}
	s = server.New(server.Config{Log: slog.New(slog.NewJSONHandler(log, nil))})
	_, err := s.Guard(&http.Server{ReadHeaderTimeout: time.Second}, &refusing{}, nil).Accept()
	require.ErrorIs(t, err, net.ErrClosed)
	require.Empty(t, log.String(), "the end is no failure")
}
