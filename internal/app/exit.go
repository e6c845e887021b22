package app

import (
	"context"
	"errors"
	"os/exec"
	"strings"

	"github.com/payctl/payctl/internal/cli/deps"
	"github.com/payctl/payctl/internal/config"
	"github.com/payctl/payctl/internal/credential"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/session"
	"github.com/payctl/payctl/internal/term"
)

// Exit codes. This is their only table: the help and the documentation are made from it.
const (
	exitDone           = 0
	exitUnexpected     = 1
	exitUsage          = 2
	exitInvalid        = 3
	exitCredential     = 4
	exitNotFound       = 5
	exitConflict       = 6
	exitRateLimited    = 7
	exitReadFailed     = 8
	exitUnreachable    = 9
	exitOutcomeUnknown = 10
	exitEndedBadly     = 11
	exitWaitTimeout    = 12
	exitRowsRefused    = 13
	exitDeclined       = 14
	exitCheckFailed    = 15
	exitHungUp         = 129
	exitInterrupted    = 130
	exitTerminated     = 143
)

var exitCodes = []deps.ExitCode{
	{Code: exitDone, Meaning: "done"},
	{Code: exitUnexpected, Meaning: "unexpected failure"},
	{Code: exitUsage, Meaning: "usage: bad flag, argument or input file, settings that contradict each other, or a base URL from which a write is redirected: nothing was done"},
	{Code: exitInvalid, Meaning: "the service found the request invalid (400, or a 4xx that stands nowhere else here)"},
	{Code: exitCredential, Meaning: "no usable credential, or not allowed (401, 403); keyring locked or absent"},
	{Code: exitNotFound, Meaning: "not found (404, 410)"},
	{Code: exitConflict, Meaning: "conflict: key or reference reused with other content, or a state that forbids it (409, 412, 422)"},
	{Code: exitRateLimited, Meaning: "rate limited, and retries used up (429)"},
	{Code: exitReadFailed, Meaning: "a read failed at the service (5xx, 408, or an answer that cannot be used)"},
	{Code: exitUnreachable, Meaning: "the service could not be reached: nothing was sent"},
	{Code: exitOutcomeUnknown, Meaning: "outcome unknown: a write may have taken effect"},
	{Code: exitEndedBadly, Meaning: "what was watched ended badly: identity check rejected, transfer failed"},
	{Code: exitWaitTimeout, Meaning: "--timeout ran out while waiting"},
	{Code: exitRowsRefused, Meaning: "a batch finished with some rows refused"},
	{Code: exitDeclined, Meaning: "declined by a rule of the service: identity check required, limit exceeded, route and contact differ"},
	{Code: exitCheckFailed, Meaning: "serve --check found answers that break the contract"},
	{Code: exitHungUp, Meaning: "its terminal was closed"},
	{Code: exitInterrupted, Meaning: "interrupted (Ctrl-C)"},
	{Code: exitTerminated, Meaning: "terminated"},
}

// byKind says how the program exits for a kind of problem. A kind decides before a status.
var byKind = map[payments.Kind]int{
	payments.KindKYCRequired:   exitDeclined,
	payments.KindLimitExceeded: exitDeclined,
	payments.KindRouteMismatch: exitDeclined,

	payments.KindUnreachable:     exitUnreachable,
	payments.KindUnusable:        exitReadFailed,
	payments.KindTimeout:         exitReadFailed,
	payments.KindRedirect:        exitReadFailed,
	payments.KindOutcomeUnknown:  exitOutcomeUnknown,
	payments.KindMoved:           exitUsage, // answered and not done: the base URL is what has to change
	payments.KindBeingSent:       exitConflict,
	payments.KindAlreadySent:     exitConflict,
	payments.KindInsecure:        exitUsage,
	payments.KindInvalidRequest:  exitUsage,
	payments.KindInvalidSettings: exitUsage,
	payments.KindNoSandbox:       exitUsage,
	payments.KindCredential:      exitCredential,
}

// exitCode is the only place where an error becomes an exit code.
func exitCode(err error) int {
	var (
		refusal   *payments.Refusal
		failed    *exec.ExitError
		badly     *deps.EndedBadly
		timedOut  *deps.WaitTimeout
		differs   *deps.Differs
		open      *deps.StillOpen
		rows      *deps.BatchEnded
		state     *deps.CredentialState
		keyring   *credential.Error
		signalled *Signalled
		filter    *term.JQError
		unprinted *deps.Unprinted
		check     *deps.CheckFailed
		unwell    *deps.Unwell
	)
	switch {
	case err == nil:
		return exitDone
	case errors.As(err, &signalled):
		return signalled.code()
	case errors.As(err, &failed):
		return childCode(failed)
	case errors.As(err, &check):
		return exitCheckFailed
	case errors.As(err, &unwell):
		return unwellCode(unwell)
	case errors.As(err, &badly):
		return exitEndedBadly
	case errors.As(err, &timedOut):
		return exitWaitTimeout
	case errors.As(err, &differs):
		return exitConflict
	case errors.As(err, &open):
		return exitOutcomeUnknown
	case errors.As(err, &rows):
		return batchCode(rows)
	case errors.As(err, &unprinted): // it was done, whatever kept it from being shown
		return exitUnexpected
	case errors.Is(err, deps.ErrUsage), errors.Is(err, config.ErrUsage), errors.Is(err, credential.ErrKind), errors.As(err, &filter):
		return exitUsage
	case errors.Is(err, term.ErrInterrupted), errors.Is(err, context.Canceled):
		return exitInterrupted
	case errors.As(err, &state), errors.As(err, &keyring),
		errors.Is(err, session.ErrNoCredential), errors.Is(err, session.ErrExpired):
		return exitCredential
	case errors.As(err, &refusal):
		return refusalCode(refusal)
	case errors.Is(err, payments.ErrEndless):
		return exitReadFailed
	}
	return exitUnexpected
}

// batchCode is that of the worst that became of a row.
func batchCode(e *deps.BatchEnded) int {
	switch {
	case e.Unknown > 0:
		return exitOutcomeUnknown
	case e.Err != nil:
		return exitCode(e.Err)
	}
	return exitRowsRefused
}

func refusalCode(r *payments.Refusal) int {
	local := strings.HasPrefix(r.Type, payments.LocalPrefix)
	if code, ok := byKind[r.Kind()]; ok && (local || r.Status < 500) { // a service that fails has not declined
		return code
	}
	switch {
	case r.Status == 401 || r.Status == 403:
		return exitCredential
	case r.Status == 404 || r.Status == 410:
		return exitNotFound
	case r.Status == 409 || r.Status == 412 || r.Status == 422:
		return exitConflict
	case r.Status == 429:
		return exitRateLimited
	case r.Status >= 500 || payments.GaveUp(r.Status): // of a write the outcome is unknown, which is a kind
		return exitReadFailed
	case r.Status >= 400:
		return exitInvalid
	}
	return exitUnexpected
}
