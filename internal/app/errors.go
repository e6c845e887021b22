package app

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/payctl/payctl/internal/auth"
	"github.com/payctl/payctl/internal/auth/keystore"
	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/client"
	"github.com/payctl/payctl/internal/outbox/journal"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/refserver"
	"github.com/payctl/payctl/internal/routes"
	"github.com/payctl/payctl/internal/securefile"
	"github.com/payctl/payctl/internal/serve"
	"github.com/payctl/payctl/internal/settings"
	"github.com/payctl/payctl/internal/shell"
	"github.com/payctl/payctl/internal/ui"
)

// An explanation is the exit code of an error, the problem to print, and the steps to try next.
type explanation struct {
	code     int
	problem  payments.Problem
	next     []shell.Hint
	document []byte // the service's problem document; nil means a local problem
}

func exitCode(err error) int {
	if err == nil {
		return cmdutil.ExitDone
	}
	return explain(err, os.Getenv).code
}

// explain is the only place where an error becomes an exit code and a problem to print.
func explain(err error, getenv func(string) string) explanation {
	signalled, ok := errors.AsType[*cmdutil.Signalled](err)
	if !ok {
		return explainFailure(err, getenv)
	}
	x := local(0, "interrupted", payments.Sentence(signalled.Error()), "")
	if signalled.During != nil {
		x = explainFailure(signalled.During, getenv)
	}
	if x.code != cmdutil.ExitOutcomeUnknown { // that is more important than the signal
		x.code = signalled.ExitCode()
	}
	return x
}

// explainFailure explains an error without regard to a signal.
func explainFailure(err error, getenv func(string) string) explanation {
	if failed, ok := errors.AsType[*exec.ExitError](err); ok { // the command of serve has printed why
		return explanation{code: serve.ExitCode(failed)}
	}
	if own, ok := errors.AsType[*cmdutil.Error](err); ok {
		return explainOwn(own, getenv)
	}
	x := explainOther(err, getenv)
	_, isStore := errors.AsType[*keystore.Error](err)
	other := map[string]string{settings.EnvClientID: settings.EnvSecret, settings.EnvSecret: settings.EnvClientID}
	for set, missing := range other {
		if getenv(set) != "" && getenv(missing) == "" && (isStore || errors.Is(err, auth.ErrNoCredential)) {
			x.next = append([]shell.Hint{shell.Note("set " + missing + " too: " + set + " alone is not enough")}, x.next...)
		}
	}
	if x.code != cmdutil.ExitUsage && x.code != cmdutil.ExitOutcomeUnknown && isInterrupt(err) {
		x.code = cmdutil.ExitInterrupted
	}
	return x
}

func isInterrupt(err error) bool {
	return errors.Is(err, ui.ErrInterrupted) || errors.Is(err, context.Canceled)
}

// explainOwn explains an error that a command has made.
func explainOwn(e *cmdutil.Error, getenv func(string) string) explanation {
	if e.ProblemType == "" {
		x := explainFailure(e.Cause, getenv)
		x.next = e.Next
		return x
	}
	x := local(e.Code, e.ProblemType, e.Title, e.Error(), append(nextForJournal(e), e.Next...)...)
	if e.Code == 0 {
		x.code = exitCode(e.Cause)
	}
	return x
}

// explainOther explains the errors of lower packages, the more specific ones first.
func explainOther(err error, getenv func(string) string) explanation {
	if bad, ok := errors.AsType[*settings.Error](err); ok {
		return local(cmdutil.ExitUsage, "usage", "The settings cannot be used.", bad.Problem(), bad.Next)
	}
	const noCredential = "There is no usable credential." //nolint:gosec // a message
	if keyring, ok := errors.AsType[*keystore.Error](err); ok {
		return local(cmdutil.ExitCredential, keyring.ProblemType(), "The credential store cannot be used.", err.Error(),
			keyring.Next())
	}
	if filter, ok := errors.AsType[*ui.JQError](err); ok {
		return local(cmdutil.ExitUsage, "jq", "The --jq expression failed.", filter.Error(),
			shell.Note("run the same line with -o json instead of --jq, and try the expression on its output; "+
				"a list is an array, so begin with .[]"))
	}
	if problem, ok := errors.AsType[*payments.ProblemError](err); ok {
		next := append(nextForProblem(problem, getenv), nextForJournal(err)...)
		return explanation{problemCode(problem), problem.Problem, next, problem.Document}
	}
	switch {
	case errors.Is(err, ui.ErrNoTable):
		return local(cmdutil.ExitUsage, "usage", "This form of the output is not available.", err.Error())
	case errors.Is(err, ui.ErrTooLongForJQ):
		return local(cmdutil.ExitUsage, "jq", "The list is too long for --jq.", err.Error(),
			shell.Note("add -o ndjson: the expression then gets one row at a time"))
	case journal.IsFailure(err):
		const title = "The journal cannot be used."
		return local(cmdutil.ExitUnexpected, "journal-unusable", title, err.Error(), nextForJournal(err)...)
	case errors.Is(err, auth.ErrNoCredential):
		return local(cmdutil.ExitCredential, "not-logged-in", noCredential, err.Error(), shell.Payctl("auth login"))
	case errors.Is(err, payments.ErrEndless), errors.Is(err, payments.ErrCut):
		return local(cmdutil.ExitReadFailed, "unexpected", "Something went wrong.", err.Error())
	case isInterrupt(err):
		return local(cmdutil.ExitInterrupted, "interrupted", "Interrupted.", "")
	}
	return explainFile(err)
}

// explainFile explains errors of files, a catalogue and a database.
func explainFile(err error) explanation {
	const title = "The command cannot be run."
	unsafe, isUnsafe := errors.AsType[*securefile.Error](err)
	database, isDatabase := errors.AsType[*refserver.DatabaseError](err)
	_, isCatalogue := errors.AsType[*routes.Error](err)
	_, isData := errors.AsType[*refserver.DataError](err)
	switch {
	case isDatabase:
		return local(codesByProblem[database.ProblemType], "database-unusable",
			"The database cannot be used.", database.Error(),
			shell.Hint{Note: database.Next})
	case isCatalogue:
		return local(cmdutil.ExitUsage, "usage", title, err.Error(), shell.Note("correct the file, or leave --catalogue out"))
	case isUnsafe:
		return local(cmdutil.ExitUsage, "usage", title, err.Error(), unsafe.Next)
	case isData:
		return local(cmdutil.ExitUsage, "usage", title, err.Error(),
			shell.Note("name another folder with --data, or leave it out to keep everything in memory"))
	}
	return local(cmdutil.ExitUnexpected, "unexpected", "Something went wrong.", err.Error())
}

// local explains a problem that the program found itself, without a response.
func local(code int, kind, title, detail string, next ...shell.Hint) explanation {
	problem := payments.Problem{Type: payments.LocalPrefix + kind, Title: title, Detail: payments.Sentence(detail)}
	return explanation{code: code, problem: problem, next: slices.DeleteFunc(next, shell.Hint.IsZero)}
}

// codesByProblem has the exit codes of problems whose type decides, not the status.
var codesByProblem = map[payments.ProblemType]int{
	payments.ProblemKYCRequired:   cmdutil.ExitDeclined,
	payments.ProblemLimitExceeded: cmdutil.ExitDeclined,
	payments.ProblemRouteMismatch: cmdutil.ExitDeclined,

	payments.ProblemUnreachable:     cmdutil.ExitUnreachable,
	payments.ProblemUnusable:        cmdutil.ExitReadFailed,
	payments.ProblemTimeout:         cmdutil.ExitReadFailed,
	payments.ProblemOutcomeUnknown:  cmdutil.ExitOutcomeUnknown,
	payments.ProblemMoved:           cmdutil.ExitUsage, // nothing was done, and the base URL must change
	payments.ProblemBeingSent:       cmdutil.ExitOutcomeUnknown,
	payments.ProblemAlreadySent:     cmdutil.ExitConflict,
	payments.ProblemClosed:          cmdutil.ExitConflict,
	payments.ProblemReferenceReused: cmdutil.ExitConflict,
	payments.ProblemExternalIDUsed:  cmdutil.ExitConflict,
	payments.ProblemPaidTwice:       cmdutil.ExitOutcomeUnknown,
	payments.ProblemInsecure:        cmdutil.ExitUsage,
	payments.ProblemInvalidRequest:  cmdutil.ExitUsage,
	payments.ProblemInvalidSettings: cmdutil.ExitUsage,
	payments.ProblemHeldBack:        cmdutil.ExitHeldBack,
	payments.ProblemAboveLimit:      cmdutil.ExitHeldBack,
	payments.ProblemPayeeChanged:    cmdutil.ExitConflict,
	payments.ProblemNoSandbox:       cmdutil.ExitUsage,
	payments.ProblemCredential:      cmdutil.ExitCredential,
}

// problemCode is the exit code of a problem. The kind decides before the status, unless the status is 500 or more: then
// the service has failed, not declined.
func problemCode(p *payments.ProblemError) int {
	code, ok := codesByProblem[p.ProblemType()]
	if ok && (strings.HasPrefix(p.Type, payments.LocalPrefix) || p.Status < 500) {
		return code
	}
	switch {
	case p.Status == 401 || p.Status == 403:
		return cmdutil.ExitCredential
	case p.Status == 404 || p.Status == 410:
		return cmdutil.ExitNotFound
	case p.Status == 409 || p.Status == 412 || p.Status == 422:
		return cmdutil.ExitConflict
	case p.Status == 429:
		return cmdutil.ExitRateLimited
	case p.Status >= 500 || payments.GaveUp(p.Status): // of a read; a write has the type ProblemOutcomeUnknown
		return cmdutil.ExitReadFailed
	case p.Status >= 400:
		return cmdutil.ExitInvalid
	}
	return cmdutil.ExitUnexpected
}

// nextForProblem returns the steps to try after a problem of the service.
func nextForProblem(p *payments.ProblemError, getenv func(string) string) []shell.Hint {
	if p.Next != nil {
		return slices.Clone(p.Next)
	}
	if p.Errors["accountId"] != nil {
		return []shell.Hint{shell.Payctl("accounts list").With("shows the accounts; give one with --account")}
	}
	if p.Errors["route"] != nil {
		return []shell.Hint{shell.Payctl("routes list")}
	}
	if p.ProblemType() == payments.ProblemUnauthenticated {
		return nextForCredential(p, getenv)
	}
	if none, ok := errors.AsType[*client.NoLocalServiceError](p.Cause); ok {
		start := shell.Payctl("serve --addr", none.Address).With("starts a service there, in another terminal")
		return append([]shell.Hint{start}, nextByProblem()[p.ProblemType()]...)
	}
	return slices.Clone(nextByProblem()[p.ProblemType()])
}

// nextByProblem has the steps to try, by type of problem.
var nextByProblem = sync.OnceValue(func() map[payments.ProblemType][]shell.Hint {
	selectRoute := []shell.Hint{shell.Payctl("routes list --source RAIL:CURRENCY --destination RAIL:CURRENCY")}
	return map[payments.ProblemType][]shell.Hint{
		payments.ProblemInsufficientScope: {shell.Payctl("auth status")},
		payments.ProblemKYCRequired: {
			shell.Payctl("kyc get ACCOUNT").With("what is missing"),
			shell.Payctl("kyc watch ACCOUNT").With("until it is approved"),
		},
		payments.ProblemRouteMismatch: selectRoute,
		payments.ProblemLimitExceeded: selectRoute,
		payments.ProblemKeyReuse:      {shell.Note("use another --reference for another payment, and no --idempotency-key")},
		payments.ProblemReferenceInUse: {
			shell.Payctl("transfer get TRANSFER"), shell.Note("use another --reference for another payment"),
		},
		payments.ProblemUnreachable: {shell.Payctl("profile show"), shell.Payctl("doctor")},
		payments.ProblemOutcomeUnknown: {
			shell.Payctl("transfer resolve"), shell.Note("run the same line again when it has a --reference"),
		},
		payments.ProblemBeingSent: {
			shell.Note("run the same line again when the other payctl has ended"), shell.Payctl("transfer resolve"),
		},
		payments.ProblemHeldBack: {
			shell.Payctl("transfer resolve --list --all").With("what was sent"), shell.Payctl("profile show").With("the limits"),
		},
		payments.ProblemMoved:    {shell.Payctl("profile show"), shell.Payctl("profile set PROFILE base_url URL")},
		payments.ProblemInsecure: {shell.Note("use an https URL")},
	}
})

// nextForCredential returns the steps to try after a 401. A credential in the environment overrides a login.
func nextForCredential(p *payments.ProblemError, getenv func(string) string) []shell.Hint {
	orLogIn := shell.Payctl("auth login").With("instead, when it is unset")
	if getenv(settings.EnvToken) != "" {
		return []shell.Hint{shell.Note("put a valid token into " + settings.EnvToken), orLogIn}
	}
	if strings.HasPrefix(p.Challenge, "Basic") && getenv(settings.EnvSecret) != "" {
		return []shell.Hint{shell.Note("put the client's secret into " + settings.EnvSecret), orLogIn}
	}
	return []shell.Hint{shell.Payctl("auth status"), shell.Payctl("auth login")}
}

// nextForJournal returns the steps to try if the journal is unsafe or cannot be written. Other failures of the journal
// have them in their text.
func nextForJournal(err error) []shell.Hint {
	unusable, ok := errors.AsType[*journal.UnusableError](err)
	unsafe, isUnsafe := errors.AsType[*securefile.Error](err)
	switch {
	case isUnsafe && errors.Is(err, journal.ErrUnsafe):
		return []shell.Hint{unsafe.Next}
	case !ok || errors.Is(err, journal.ErrUnsafe):
		return nil
	}
	return []shell.Hint{
		shell.Note("make sure that you may write to %s and that there is room, or set "+settings.EnvStateDir+
			" to another folder", filepath.Dir(unusable.Path)),
		shell.Payctl("doctor"),
	}
}
