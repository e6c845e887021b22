package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/cli/deps"
	"github.com/payctl/payctl/internal/client"
	"github.com/payctl/payctl/internal/config"
	"github.com/payctl/payctl/internal/credential"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/session"
	"github.com/payctl/payctl/internal/term"
)

func TestExitCodes(t *testing.T) {
	t.Parallel()
	refusal := func(kind payments.Kind) error { return payments.Refuse(kind, "") }
	local := func(kind payments.Kind) error {
		return &client.Failure{Refusal: payments.Refusal{Problem: payments.Problem{Type: string(kind)}}}
	}
	for _, c := range []struct {
		name string
		err  error
		code int
	}{
		{"done", nil, 0},
		{"unexpected", errors.New("what"), 1},
		{"bad flag", deps.Usage("bad"), 2},
		{"bad settings", &config.UsageError{}, 2},
		{"plain http off this machine", local(payments.KindInsecure), 2},
		{"a write that was redirected", local(payments.KindMoved), 2},
		{"a read that was redirected", local(payments.KindRedirect), 8},
		{"a folder that cannot be read", &config.FolderError{Err: errors.New("no")}, 2},
		{"check failed", errors.Join(nil, &deps.CheckFailed{Violations: 1}), 15},
		{"validation", refusal(payments.KindValidation), 3},
		{"malformed", refusal(payments.KindMalformed), 3},
		{"unauthenticated", refusal(payments.KindUnauthenticated), 4},
		{"insufficient scope", refusal(payments.KindInsufficientScope), 4},
		{"not logged in", fmt.Errorf("to that: %w", session.ErrNoCredential), 4},
		{"login expired", session.ErrExpired, 4},
		{"keyring locked", &credential.Error{Kind: credential.ErrLocked}, 4},
		{"keyring absent", &credential.Error{Kind: credential.ErrAbsent}, 4},
		{"status finds nothing usable", &deps.CredentialState{State: "expired"}, 4},
		{"not found", refusal(payments.KindNotFound), 5},
		{"gone", refusal(payments.KindGone), 5},
		{"conflict", refusal(payments.KindConflict), 6},
		{"invalid state", refusal(payments.KindInvalidState), 6},
		{"precondition", refusal(payments.KindPreconditionFailed), 6},
		{"key reused", refusal(payments.KindKeyReuse), 6},
		{"reference reused", &deps.Differs{}, 6},
		{"rate limited", refusal(payments.KindRateLimited), 7},
		{"internal error", refusal(payments.KindInternal), 8},
		{"unusable answer", local(payments.KindUnusable), 8},
		{"a list without an end", &deps.Partial{Err: payments.ErrEndless}, 8},
		{"read out of time", local(payments.KindTimeout), 8},
		{"unreachable", local(payments.KindUnreachable), 9},
		{"outcome unknown", local(payments.KindOutcomeUnknown), 10},
		{"ended badly", &deps.EndedBadly{}, 11},
		{"wait timed out", &deps.WaitTimeout{}, 12},
		{"kyc required", refusal(payments.KindKYCRequired), 14},
		{"limit exceeded", refusal(payments.KindLimitExceeded), 14},
		{"route mismatch", refusal(payments.KindRouteMismatch), 14},
		{"done, and its --jq failed", &deps.Unprinted{Err: &term.JQError{}}, 1},
		{"read, and its --jq failed", &term.JQError{}, 2},
		{"interrupted", &Signalled{Signal: syscall.SIGINT}, 130},
		{"context ended", context.Canceled, 130},
		{"hung up", &Signalled{Signal: syscall.SIGHUP}, 129},
		{"terminated", &Signalled{Signal: syscall.SIGTERM}, 143},
	} {
		require.Equal(t, c.code, exitCode(c.err), c.name)
	}
}

// TestKindDecidesBeforeStatus holds the rule that makes exit codes worth branching on: a refusal by a rule of the service
// is not a conflict or a missing permission, whatever its status.
func TestKindDecidesBeforeStatus(t *testing.T) {
	t.Parallel()
	for kind := range byKind {
		if description := payments.Describe(kind); description.Type == string(kind) {
			refusal := payments.Refuse(kind, "")
			require.Equal(t, exitDeclined, refusalCode(refusal), "%s with status %d", kind, refusal.Status)
		}
	}
	foreign := &payments.Refusal{Problem: payments.Problem{Type: "https://elsewhere.example/problems/limit-exceeded", Status: 400}}
	require.Equal(t, exitDeclined, refusalCode(foreign))
	foreign.Status = 503
	require.Equal(t, exitReadFailed, refusalCode(foreign), "a service that fails has not declined")
}

// A read that somebody gave up on is not a request that has to be mended, whether a problem document came with it or not.
func TestWhoGivesUpHasNotFoundTheRequestInvalid(t *testing.T) {
	t.Parallel()
	for _, status := range []int{408, 460, 499} {
		refusal := &payments.Refusal{Problem: payments.Problem{Type: "about:blank", Status: status}}
		require.Equal(t, exitReadFailed, refusalCode(refusal), "%d", status)
	}
	for _, status := range []int{400, 405, 406, 413, 415, 421} {
		refusal := &payments.Refusal{Problem: payments.Problem{Type: "about:blank", Status: status}}
		require.Equal(t, exitInvalid, refusalCode(refusal), "%d", status)
	}
}

func TestEveryExitCodeIsExplained(t *testing.T) {
	t.Parallel()
	explained := map[int]bool{}
	for _, row := range exitCodes {
		require.False(t, explained[row.Code], "%d stands in the table twice", row.Code)
		require.NotEmpty(t, row.Meaning)
		explained[row.Code] = true
	}
	told := map[os.Signal]string{os.Interrupt: "Interrupted.", syscall.SIGTERM: "Terminated.", syscall.SIGHUP: "The terminal was closed."}
	for _, ending := range endings {
		signalled := &Signalled{Signal: ending.(syscall.Signal)}
		require.True(t, explained[signalled.code()], "%v", ending)
		problem, _, _ := describe(signalled)
		require.Equal(t, "payctl:interrupted", problem.Type, "%v is no fault", ending)
		require.Equal(t, told[ending], problem.Title)
	}
	for kind, code := range byKind {
		require.True(t, explained[code], "%s exits with %d, which the table does not explain", kind, code)
	}
}
