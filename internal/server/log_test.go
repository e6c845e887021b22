package server_test

import (
	"bytes"
	"context"
	"io/fs"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/refserver"
	"github.com/payctl/payctl/internal/test/paytest"
)

// A fullListener has no file left for a connection.
type fullListener struct {
	net.Listener
	full func()
}

func (l fullListener) Accept() (net.Conn, error) {
	l.full()
	return nil, syscall.EMFILE
}

// Why no connection is accepted is logged at the level info.
func TestAcceptErrorsAreLogged(t *testing.T) {
	t.Parallel()
	listener := must(net.Listen("tcp", "127.0.0.1:0"))
	var log bytes.Buffer
	service := must(refserver.New(refserver.Config{Log: slog.New(slog.NewTextHandler(&log, nil))}))
	ctx, stop := context.WithCancel(t.Context())
	accepts := 0
	require.NoError(t, service.Serve(ctx, fullListener{listener, func() {
		if accepts++; accepts == 2 { // the first error is logged by now
			stop()
		}
	}}, nil))
	require.Contains(t, log.String(), syscall.EMFILE.Error())
}

// At the level debug each request and its outcome are logged, without secrets. At the level info nothing is unless the
// service fails; refused requests are not failures.
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

// Neither a folder that keeps everything, nor a snapshot, nor the log of requests holds a token, a secret or what would
// do in their place.
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
