package app

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/audit"
	"github.com/payctl/payctl/internal/cli/deps"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/reference"
	"github.com/payctl/payctl/internal/server"
	"github.com/payctl/payctl/internal/term"
)

// wrong lets anybody in, to a service whose answers break the contract.
type wrong struct {
	payments.Tokens
	payments.Service
}

func (w wrong) OpenSession(context.Context, string) (server.Session, error) {
	return server.Session{Service: w, Scopes: []string{"accounts:read"}}, nil
}

func (wrong) CheckAccessTokenRequest(payments.AccessTokenRequest) payments.FieldErrors { return nil }

func (wrong) WatchClient(context.Context, string) (server.Watch, error) { return nil, nil }

func (wrong) GetAccount(context.Context, string) (payments.Account, error) {
	return payments.Account{ID: "acc_1", Type: "robot", Email: "ada@example.com", Country: "GB", KYCStatus: payments.KYCStatusApproved}, nil
}

// A service that broke the contract ends with an exit code of its own, however it is told to end.
func TestServeEndsWithAFailedCheck(t *testing.T) {
	t.Parallel()
	for path, code := range map[string]int{"/accounts/acc_1/v1": exitCheckFailed, "/healthz": exitDone} {
		c := deps.ServeConfig{Addr: "127.0.0.1:0", Check: true, Report: filepath.Join(t.TempDir(), "report.json")}
		taken, err := newAudit(c)
		require.NoError(t, err)
		handler := server.New(server.Config{Identity: wrong{}, Check: true, Audit: taken.watching()})
		service := &reference.Service{Handler: handler, Server: handler}
		lines, out := io.Pipe()
		d := wire(func(string) string { return "" }, &term.Streams{Out: out, Err: io.Discard, In: strings.NewReader("")})
		ctx, end := context.WithCancelCause(t.Context())
		ended := make(chan error, 1)
		go func() {
			ended <- answer(ctx, d, c, service, offer{log: slog.New(slog.DiscardHandler), audit: taken})
		}()
		line, err := bufio.NewReader(lines).ReadBytes('\n')
		require.NoError(t, err)
		var at ready
		require.NoError(t, json.Unmarshal(line, &at))
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, at.URL+path, nil)
		require.NoError(t, err)
		r.Header.Set("Authorization", "Bearer x")
		response, err := http.DefaultClient.Do(r)
		require.NoError(t, err)
		require.NoError(t, response.Body.Close())
		require.Equal(t, http.StatusOK, response.StatusCode)

		cause := &Signalled{Signal: syscall.SIGTERM}
		end(cause)
		err = <-ended
		if err != nil {
			err = cause.with(err)
		}
		require.Equal(t, code, exitCode(err), "%s: %v", path, err)
		text, err := os.ReadFile(c.Report)
		require.NoError(t, err)
		var written audit.Report
		require.NoError(t, json.Unmarshal(text, &written))
		require.Equal(t, 1, written.Requests)
		require.Equal(t, code == exitCheckFailed, len(written.Violations) == 1)
		if code == exitCheckFailed {
			require.Equal(t, "/body/type", written.Violations[0].Pointer)
		}
	}
}

// A report that cannot be written is an error of its own, beside a failed check.
func TestReportThatCannotBeWritten(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "gone")
	require.NoError(t, os.Mkdir(folder, 0o700))
	taken, err := newAudit(deps.ServeConfig{Check: true, Report: filepath.Join(folder, "report.json")})
	require.NoError(t, err)
	require.NoError(t, os.Remove(folder))
	err = taken.end(io.Discard)
	require.ErrorContains(t, err, "the report cannot be written")
	require.Equal(t, exitUnexpected, exitCode(err))
	require.ErrorIs(t, err, os.ErrNotExist)
}

func TestRateLimitFlag(t *testing.T) {
	t.Parallel()
	for text, wanted := range map[string]string{"100/s": "100 1s", "1000/m": "1000 1m0s", "5/h": "5 1h0m0s", "50/10s": "50 10s", "1/90s": "1 1m30s"} {
		limit, err := rateLimit(text)
		require.NoError(t, err, text)
		require.Equal(t, wanted, fmt.Sprint(limit.Requests, " ", limit.Window))
	}
	for _, text := range []string{"100", "/s", "s/100", "0/s", "-1/s", "1.5/s", "1/0s", "1/500ms", "1/1.5s", "1/2h", "1/d", "9999999999/s", "1/s/s"} {
		_, err := rateLimit(text)
		require.ErrorIs(t, err, deps.ErrUsage, text)
	}
}
