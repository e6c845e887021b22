package server_test

import (
	"bytes"
	"context"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/money"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/refserver"
	"github.com/payctl/payctl/internal/server"
	"github.com/payctl/payctl/internal/service"
	"github.com/payctl/payctl/internal/test/paytest"
)

// A fullListener has no file descriptors left for connections.
type fullListener struct {
	net.Listener
	full func()
}

func (l fullListener) Accept() (net.Conn, error) {
	l.full()
	return nil, syscall.EMFILE
}

// Errors of accepting connections are logged at level info.
func TestAcceptErrorsAreLogged(t *testing.T) {
	t.Parallel()
	listener := must(net.Listen("tcp", "127.0.0.1:0"))
	var log bytes.Buffer
	service := must(refserver.New(refserver.Config{Log: slog.New(slog.NewTextHandler(&log, nil))}))
	ctx, stop := context.WithCancel(t.Context())
	accepts := 0
	require.NoError(t, service.Serve(ctx, fullListener{listener, func() {
		if accepts++; accepts == 2 { // the first error has been logged
			stop()
		}
	}}, nil))
	require.Contains(t, log.String(), syscall.EMFILE.Error())
}

// At level debug, each request and its outcome are logged, without secrets. At level info, nothing is logged unless the
// service fails. A refused request is not a failure.
func TestRequestsAreLoggedWithoutSecrets(t *testing.T) {
	t.Parallel()
	for _, level := range []slog.Level{slog.LevelDebug, slog.LevelInfo} {
		var log bytes.Buffer
		handler := slog.NewTextHandler(&log, &slog.HandlerOptions{Level: level})
		a, stop := unchecked(t, refserver.Config{Log: slog.New(handler), Check: true})
		account := a.approved()
		a.do("POST", accountsPath, `{"email":"hush-body@example.com"`)
		a.do("GET", accountsPath+"?email=hush-query@example.com", "")
		a.do("POST", tokenPath, "", "Authorization", basic("hush-id", "hush-secret"))
		a.do("POST", tokenPath, `grant_type=hush-form`, "Authorization", basic(paytest.ClientID, "hush-wrong"),
			"Content-Type", form)
		a.do("GET", accountsPath, "", "Authorization", "Bearer hush-token")
		a.do("GET", accountsPath, "", "Authorization", "hush-scheme hush")
		a.do("POST", contactsPath, contactBody(t, "sepa", "EUR"), "Idempotency-Key", "hush-key")
		a.do("GET", contract.Expand(contract.GetKYCStatus.Path, account), "", "Cookie", "hush-cookie=1")
		a.fault("listAccounts=status:503")
		a.do("GET", accountsPath, "")
		a.do("GET", "/line%0abreak", "")
		a.do("GET", "/accounts/"+a.token, "")
		a.do("GET", "/accounts/"+a.token+"/v1", "")
		stop()
		text := log.String()
		if level == slog.LevelInfo {
			require.Empty(t, text)
			continue
		}
		for _, secret := range []string{
			"hush", a.token, paytest.ClientSecret, paytest.Coordinates("sepa")["iban"], "Lovelace", "ada@example.com",
			"Bearer ", "Basic ",
		} {
			require.NotContains(t, text, secret)
		}
		for _, part := range []string{
			"createAccessToken", "listAccounts=status:503", "getKycStatus", "malformed-request", "req_", "wld_",
		} {
			require.Contains(t, text, part)
		}
		for line := range strings.Lines(text) {
			require.True(t, strings.HasPrefix(line, "time="), line)
		}
	}
}

// Neither the data folder, nor a snapshot, nor the request log has a token, a secret or anything that can replace one.
func TestTokensAreNotKept(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	a := run(t, refserver.Config{Data: folder})
	other := a.as("somebody")
	other.do("POST", accountsPath, adaBody)
	other.do("GET", accountsPath+"?access_token="+other.token, "")
	requests := other.do("GET", requestsPath, "").body
	snapshot := a.do("GET", snapshotPath, "").body
	credentials := strings.TrimPrefix(basic("somebody", "secret-of-somebody"), "Basic ")
	secrets := []string{a.token, other.token, paytest.ClientSecret, "secret-of-somebody", credentials}
	files := 0
	require.NoError(t, filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		files++
		content, err := os.ReadFile(path)
		for _, secret := range secrets {
			require.False(t, bytes.Contains(content, []byte(secret)), path)
		}
		return err
	}))
	require.NotZero(t, files)
	for _, secret := range append(secrets, paytest.ClientID+`"`) {
		require.NotContains(t, snapshot, secret)
		require.NotContains(t, requests, secret)
	}
	require.NotContains(t, strings.ToLower(snapshot), "token")
	require.NotContains(t, strings.ToLower(snapshot), "secrethash")
}

// wrongIdentity accepts any token.
type wrongIdentity struct {
	server.Identity
	world server.World
}

func (i wrongIdentity) OpenSession(context.Context, string) (server.Session, error) {
	scopes := []string{"accounts:read", "kyc:read", "contacts:read", "transfers:read"}
	return server.Session{World: i.world, Scopes: scopes, Instance: "wld_1"}, nil
}

// corrupted is a world that returns corrupted transfers.
type corrupted struct {
	server.World
	corrupt func(*payments.Transfer)
}

func (s corrupted) GetTransfer(
	ctx context.Context, id string, condition service.ReadOptions,
) (service.State[payments.Transfer], error) {
	reading, err := s.World.GetTransfer(ctx, id, condition)
	s.corrupt(&reading.Value)
	return reading, err
}

// A response that breaks the contract or an invariant is logged, reported and still sent.
func TestCheckFindsAWrongAnswer(t *testing.T) {
	t.Parallel()
	a := run(t, refserver.Config{})
	a.approved()
	id := a.newTransfer(a.saved("base", "USDC"))
	a.Advance(t, time.Minute) // the deposit arrives
	world := must(a.Worlds.Of(t.Context(), paytest.ClientID))
	one, two := money.MustDecimal("1"), money.MustDecimal("2")
	for name, test := range map[string]struct {
		corrupt func(*payments.Transfer)
		place   string // of the violation
		status  int
	}{
		"nothing":            {func(*payments.Transfer) {}, "", 200},
		"a state of no kind": {func(t *payments.Transfer) { t.State = "robot" }, "body.state", 200},
		"money that is gone": {func(t *payments.Transfer) { t.Source.Amount = &two }, "body", 200},
		"money from nowhere": {func(t *payments.Transfer) { t.Destination.Amount = &one }, "body", 200},
		"another rate":       {func(t *payments.Transfer) { t.ExchangeRate = two }, "body", 200},
		"no source":          {func(t *payments.Transfer) { t.Source.Amount = nil }, "body", 200},
		"no residue":         {func(t *payments.Transfer) { t.RoundingResidue = nil }, "body", 200},
		"a failure":          {func(*payments.Transfer) { panic("no such thing") }, "", 500},
	} {
		var log bytes.Buffer
		var got server.ResponseSummary
		handler := server.New(server.Config{
			Identity: wrongIdentity{world: corrupted{world, test.corrupt}}, Check: true,
			OnResponse: func(r server.ResponseSummary) { got = r },
			Log:        slog.New(slog.NewJSONHandler(&log, nil)),
		})
		r, w := httptest.NewRequestWithContext(t.Context(), "GET", "/transfers/"+id+"/v1", nil), httptest.NewRecorder()
		r.Header = http.Header{"Authorization": {"Bearer x"}}
		handler.ServeHTTP(w, r)
		require.Equal(t, test.status, w.Code, name)
		require.Equal(t, test.place == "", len(got.Violations) == 0, name)
		if test.place == "" {
			require.NotContains(t, log.String(), "breaks the contract", name)
			continue
		}
		require.Contains(t, got.Violations[0].Place, test.place, name)
		for _, part := range []string{`"operation":"getTransfer"`, `"place":"` + got.Violations[0].Place, `"status":200`} {
			require.Contains(t, log.String(), part, name)
		}
	}
}
