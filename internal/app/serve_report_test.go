package app

import (
	"bufio"
	"context"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/refserver"
	"github.com/payctl/payctl/internal/server"
	"github.com/payctl/payctl/internal/server/coverage"
	"github.com/payctl/payctl/internal/ui"
)

// wrong lets anybody in, to a world whose answers break the contract.
type wrong struct {
	server.Identity
	server.World
}

func (w wrong) OpenSession(context.Context, string) (server.Session, error) {
	return server.Session{World: w, Scopes: []string{"accounts:read"}}, nil
}

func (wrong) NewRequestID() string { return "req_1" }
func (wrong) Instance() string     { return "wld_1" }
func (wrong) Now() time.Time       { return time.Time{} }

func (wrong) NextFault(context.Context, string, bool) (time.Duration, *payments.SandboxFault, error) {
	return 0, nil, nil
}

func (wrong) LogRequest(string, payments.SandboxRequest, string) {}

func (wrong) GetAccount(context.Context, string, payments.ReadOptions) (payments.ReadResult[payments.Account], error) {
	account := payments.Account{ID: "acc_1", Type: "robot", Email: "ada@example.com", Country: "GB", KYCStatus: payments.KYCStatusApproved}
	return payments.ReadResult[payments.Account]{Value: account, ETag: `"1"`}, nil
}

// A service that broke the contract ends with an exit code of its own, whatever signal ends it.
func TestServeEndsWithAFailedCheck(t *testing.T) {
	t.Parallel()
	for path, code := range map[string]int{"/accounts/acc_1/v1": cmdutil.ExitCheckFailed, "/healthz": cmdutil.ExitDone} {
		c := cmdutil.ServeConfig{Addr: "127.0.0.1:0", Check: true, Report: filepath.Join(t.TempDir(), "report.json")}
		taken, err := newRecord(c)
		require.NoError(t, err)
		handler := server.New(server.Config{Identity: wrong{}, Check: true, OnResponse: taken.onResponse()})
		service := &refserver.Server{Handler: handler, HTTP: handler}
		lines, out := io.Pipe()
		d, _ := wire(func(string) string { return "" }, &ui.Streams{Out: out, Err: io.Discard, In: strings.NewReader("")}, time.Now)
		ctx, end := context.WithCancelCause(t.Context())
		ended := make(chan error, 1)
		go func() {
			ended <- answer(ctx, d, c, service, serveOptions{log: slog.New(slog.DiscardHandler), record: taken})
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
		var written coverage.Report
		require.NoError(t, json.Unmarshal(text, &written))
		require.Equal(t, 1, written.Requests)
		require.Equal(t, code == cmdutil.ExitCheckFailed, len(written.Violations) == 1)
		if code == cmdutil.ExitCheckFailed {
			require.Equal(t, "/body/type", written.Violations[0].Pointer)
		}
	}
}

// A report that cannot be written is an error of its own.
func TestReportThatCannotBeWritten(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "gone")
	require.NoError(t, os.Mkdir(folder, 0o700))
	taken, err := newRecord(cmdutil.ServeConfig{Check: true, Report: filepath.Join(folder, "report.json")})
	require.NoError(t, err)
	require.NoError(t, os.Remove(folder))
	err = taken.end(io.Discard)
	require.ErrorContains(t, err, "the report cannot be written")
	require.Equal(t, cmdutil.ExitUnexpected, exitCode(err))
	require.ErrorIs(t, err, os.ErrNotExist)
}
