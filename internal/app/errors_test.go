package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/auth"
	"github.com/payctl/payctl/internal/auth/keystore"
	"github.com/payctl/payctl/internal/cli"
	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/serve"
	"github.com/payctl/payctl/internal/settings"
	"github.com/payctl/payctl/internal/ui"
)

func TestExitCodes(t *testing.T) {
	t.Parallel()
	refusal := func(kind payments.ProblemType) error { return payments.NewProblem(kind, "") }
	local := func(kind payments.ProblemType) error {
		return payments.NewLocalProblem(kind, nil, "", "")
	}
	foreign := func(status int) error {
		return &payments.ProblemError{Problem: payments.Problem{Type: "https://a.test/problems/limit-exceeded", Status: status}}
	}
	checkFailed := &cmdutil.Error{Code: cmdutil.ExitCheckFailed, ProblemType: serve.ProblemCheckFailed}
	for _, c := range []struct {
		name string
		err  error
		code int
	}{
		{"done", nil, 0},
		{"unexpected", errors.New("what"), 1},
		{"bad flag", cmdutil.Usage("bad"), 2},
		{"bad settings", &settings.Error{}, 2},
		{"plain http off this machine", local(payments.ProblemInsecure), 2},
		{"a write that was redirected", local(payments.ProblemMoved), 2},
		{"a folder that cannot be read", &settings.Error{Cause: errors.New("no")}, 2},
		{"check failed", errors.Join(nil, checkFailed), 15},
		{"validation", refusal(payments.ProblemValidation), 3},
		{"malformed", refusal(payments.ProblemMalformed), 3},
		{"unauthenticated", refusal(payments.ProblemUnauthenticated), 4},
		{"insufficient scope", refusal(payments.ProblemInsufficientScope), 4},
		{"not logged in", fmt.Errorf("to that: %w", auth.ErrNoCredential), 4},
		{"keyring locked", &keystore.Error{Err: keystore.ErrLocked}, 4},
		{"keyring absent", &keystore.Error{Err: keystore.ErrAbsent}, 4},
		{"status finds nothing usable", &cmdutil.Error{Code: cmdutil.ExitCredential, ProblemType: "credential-expired"}, 4},
		{"not found", refusal(payments.ProblemNotFound), 5},
		{"gone", refusal(payments.ProblemGone), 5},
		{"conflict", refusal(payments.ProblemConflict), 6},
		{"invalid state", refusal(payments.ProblemInvalidState), 6},
		{"precondition", refusal(payments.ProblemPreconditionFailed), 6},
		{"key reused", refusal(payments.ProblemKeyReuse), 6},
		{"reference in use", refusal(payments.ProblemReferenceInUse), 6},
		{"reference reused", &cmdutil.Error{Code: cmdutil.ExitConflict, ProblemType: "reference-reused"}, 6},
		{"rate limited", refusal(payments.ProblemRateLimited), 7},
		{"internal error", refusal(payments.ProblemInternal), 8},
		{"unusable answer", local(payments.ProblemUnusable), 8},
		{"a list that is too long for --jq", ui.ErrTooLongForJQ, 2},
		{"a list that is cut", payments.ErrCut, 8},
		{"a list without an end", fmt.Errorf("list: %w", payments.ErrEndless), 8},
		{"read out of time", local(payments.ProblemTimeout), 8},
		{"unreachable", local(payments.ProblemUnreachable), 9},
		{"outcome unknown", local(payments.ProblemOutcomeUnknown), 10},
		{"another program is sending it", local(payments.ProblemBeingSent), 10},
		{"paid twice", local(payments.ProblemPaidTwice), 10},
		{"done before with other content", local(payments.ProblemAlreadySent), 6},
		{"closed by a person", local(payments.ProblemClosed), 6},
		{"watch failed", cmdutil.WatchFailed("approved", nil), 11},
		{"wait timed out", cmdutil.WaitTimedOut(time.Second, nil, "", nil), 12},
		{"kyc required", refusal(payments.ProblemKYCRequired), 14},
		{"limit exceeded", refusal(payments.ProblemLimitExceeded), 14},
		{"route mismatch", refusal(payments.ProblemRouteMismatch), 14},
		{"declined, whatever the status", foreign(400), 14},
		{"a service that fails has not declined", foreign(503), 8},
		{"done, and its --jq failed", cmdutil.OutputFailed(&ui.JQError{}, ""), 1},
		{"read, and its --jq failed", &ui.JQError{}, 2},
		{"interrupted", &cmdutil.Signalled{Signal: syscall.SIGINT}, 130},
		{"context ended", context.Canceled, 130},
		{"hung up", &cmdutil.Signalled{Signal: syscall.SIGHUP}, 129},
		{"terminated", &cmdutil.Signalled{Signal: syscall.SIGTERM}, 143},
	} {
		require.Equal(t, c.code, exitCode(c.err), c.name)
	}
	for status, code := range map[int]int{
		408: 8, 460: 8, 499: 8, // a proxy or the service gave up; the request is not invalid
		400: 3, 405: 3, 406: 3, 413: 3, 415: 3, 421: 3,
	} {
		refusal := &payments.ProblemError{Problem: payments.Problem{Type: "about:blank", Status: status}}
		require.Equal(t, code, exitCode(refusal), "%d", status)
	}
}

func TestEveryExitCodeIsExplained(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/OUTPUT.md")
	require.NoError(t, err)
	explained := map[int]bool{}
	for _, row := range cli.ExitCodes() {
		require.Contains(t, string(page), fmt.Sprintf("| %d | %s |", row.Code, row.Meaning))
		require.False(t, explained[row.Code], "%d is in the table twice", row.Code)
		explained[row.Code] = true
	}
	for signal, title := range map[syscall.Signal]string{
		syscall.SIGINT: "Interrupted.", syscall.SIGTERM: "Terminated.", syscall.SIGHUP: "The terminal was closed.",
	} {
		signalled := &cmdutil.Signalled{Signal: signal}
		require.True(t, explained[signalled.ExitCode()], "%v", signal)
		problem := explain(signalled, os.Getenv).problem
		require.Equal(t, "payctl:interrupted", problem.Type, "%v is not a fault", signal)
		require.Equal(t, title, problem.Title)
	}
	for kind, code := range codesByProblem {
		require.True(t, explained[code], "%s exits with %d, which the table does not explain", kind, code)
	}
}
