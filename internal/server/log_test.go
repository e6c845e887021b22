package server_test

import (
	"bytes"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/refserver"
	"github.com/payctl/payctl/internal/test/paytest"
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

// At the level debug each request and its outcome are logged, without secrets.
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
			a := run(t, refserver.Config{Log: slog.New(handler(log)), Check: true})
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
			for _, part := range []string{"createAccessToken", "listAccounts=status:503", "getKycStatus", "malformed-request", "req_", "wld_"} {
				require.Contains(t, text, part)
			}
			for line := range strings.Lines(text) {
				require.Contains(t, line, "request")
				require.True(t, strings.HasPrefix(line, "{") || strings.HasPrefix(line, "time="), line)
			}
		})
	}
}

// At the level info nothing is logged unless the service fails; refused requests are not failures.
func TestTheLogIsQuiet(t *testing.T) {
	t.Parallel()
	log := &logged{}
	a := run(t, refserver.Config{Log: slog.New(slog.NewJSONHandler(log, nil))})
	a.approved()
	requireProblem(t, a.do("GET", "/nowhere", ""), payments.KindNotFound)
	a.fault("listAccounts=status:503")
	require.Equal(t, http.StatusServiceUnavailable, a.do("GET", accountsPath, "").status)
	require.Empty(t, log.String())
}
