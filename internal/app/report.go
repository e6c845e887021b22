package app

import (
	"errors"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/payctl/payctl/internal/cli/deps"
	"github.com/payctl/payctl/internal/config"
	"github.com/payctl/payctl/internal/credential"
	"github.com/payctl/payctl/internal/journal"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/safefile"
	"github.com/payctl/payctl/internal/session"
	"github.com/payctl/payctl/internal/term"
)

// report tells of an error: for people on standard error, and with a JSON output also as a problem document on standard
// output, so that what reads it always finds JSON; but not behind a result that was begun there.
func report(d *deps.Deps, args []string, err error, begun bool) {
	if _, ofChild := errors.AsType[*exec.ExitError](err); ofChild {
		if lost, ok := errors.AsType[*reportLost](err); ok {
			d.Warnf("%v", lost)
		}
		return // the command has told the rest
	}
	if unwell, ok := errors.AsType[*deps.Unwell](err); ok && unwell.Shown {
		return
	}
	problem, next, document := describe(err)
	if _, hinted := errors.AsType[*deps.Hinted](err); !hinted && payments.IsKind(err, payments.KindUnauthenticated) {
		next = credentialToMend(d, err, next)
	}
	for i := range next {
		next[i] = d.Addressed(next[i])
	}
	view := term.ProblemView{
		Title: problem.Title, Status: problem.Status, Detail: problem.Detail, RequestID: problem.RequestID, Next: next,
	}
	for _, name := range problem.Errors.Names() {
		view.Fields = append(view.Fields, term.ProblemField{Name: name, Messages: problem.Errors[name]})
	}
	d.Problem(view)
	format := wantedFormat(d, args)
	if begun || format != term.FormatJSON && format != term.FormatNDJSON {
		return
	}
	var value any = ownDocument{Problem: problem, Status: problem.Status}
	if document != nil {
		value = jsontext.Value(document)
	}
	layout := []json.Options{json.Deterministic(true)}
	if format == term.FormatJSON { // ndjson is one value a line, whatever became of the command
		layout = append(layout, jsontext.WithIndent("  "))
	}
	text, encoding := json.Marshal(value, layout...)
	if encoding != nil {
		return // the person has been told
	}
	_, _ = d.Out.Write(append(term.HarmlessJSON(text), '\n'))
}

// credentialToMend is what to do about a credential that was refused: one of the environment is used whoever logs in.
func credentialToMend(d *deps.Deps, err error, otherwise []string) []string {
	refusal, _ := errors.AsType[*payments.Refusal](err)
	switch ofClient := strings.HasPrefix(refusal.Challenge, "Basic"); {
	case d.Getenv(config.EnvToken) != "":
		return []string{"put a token that works into " + config.EnvToken + ", or unset it and log in with payctl auth login"}
	case ofClient && d.Getenv(config.EnvSecret) != "":
		return []string{"put the client's secret into " + config.EnvSecret + ", or unset it and log in with payctl auth login"}
	}
	return otherwise
}

// ownDocument is a problem that was made here: without a status where there was no answer that had one (RFC 9457 section
// 3.1.2).
type ownDocument struct {
	payments.Problem
	Status int `json:"status,omitzero"`
}

// wantedFormat looks for the output format also on a command line that could not be read to its end.
func wantedFormat(d *deps.Deps, args []string) term.Format {
	format := d.Options.Output
	if format == "" && d.Options.JQ == "" {
		format = outputArgument(args)
	}
	if format == "" && d.Options.JQ == "" {
		if settings, err := d.Settings(); err == nil {
			format = settings.Output
		} else {
			format = d.Getenv(config.EnvOutput)
		}
	}
	return term.Format(format)
}

func outputArgument(args []string) string {
	if end := slices.Index(args, "--"); end >= 0 {
		args = args[:end]
	}
	for i, arg := range args {
		if value, ok := strings.CutPrefix(arg, "--output="); ok {
			return value
		}
		if (arg == "-o" || arg == "--output") && i+1 < len(args) {
			return args[i+1]
		}
		if value, ok := strings.CutPrefix(arg, "-o"); ok && !strings.HasPrefix(arg, "--") {
			return strings.TrimPrefix(value, "=")
		}
	}
	return ""
}

// describe puts an error into the form of a problem, with the commands to try next. The document is the problem as the
// service sent it; nil for one made here.
func describe(err error) (problem payments.Problem, next []string, document []byte) {
	local := func(kind, title, detail string, hints ...string) (payments.Problem, []string, []byte) {
		return payments.Problem{Type: payments.LocalPrefix + kind, Title: title, Detail: detail}, hints, nil
	}
	if half, ok := errors.AsType[*session.HalfClientError](err); ok {
		problem, next, document := describe(half.Err)
		return problem, append([]string{"set " + half.Missing + " too: " + half.Set + " alone logs nobody in"}, next...), document
	}
	if hinted, ok := errors.AsType[*deps.Hinted](err); ok {
		problem, _, document := describe(hinted.Err)
		return problem, hint(hinted.Next), document
	}
	if usage, ok := errors.AsType[*deps.UsageError](err); ok {
		return local("usage", "The command cannot be run.", payments.Sentence(usage.Reason), hint(usage.Hint)...)
	}
	if errors.Is(err, config.ErrUsage) {
		return local("usage", "The settings cannot be used.", payments.Sentence(err.Error()))
	}
	if keyring, ok := errors.AsType[*credential.Error](err); ok {
		return local(credentialKind(err), "The credential store cannot be used.", payments.Sentence(err.Error()), keyring.Next())
	}
	if differs, ok := errors.AsType[*deps.Differs](err); ok {
		name, flag := "reference", "--reference"
		if differs.Reference == "" {
			name, flag = "idempotency key", "--idempotency-key"
		}
		return local("reference-reused", "The "+name+" was used for another transfer.",
			payments.Sentence(err.Error())+"\n"+strings.Join(differs.Differences, "\n"),
			"payctl transfer get "+differs.Existing.ID, "use another "+flag+" for another transfer")
	}
	if timedOut, ok := errors.AsType[*deps.WaitTimeout](err); ok {
		whom := timedOut.Subject
		if len(timedOut.Others) > 0 {
			whom = "them"
		}
		return local("wait-timeout", "The time to wait ran out.", payments.Sentence(err.Error()), "run the command again to go on waiting for "+whom)
	}
	if unwell, ok := errors.AsType[*deps.Unwell](err); ok {
		return local("unwell", "Something does not work.", payments.Sentence(unwell.Error()), hint(unwell.Mend)...)
	}
	if _, ok := errors.AsType[*deps.CheckFailed](err); ok {
		return local("check-failed", "The service broke the contract.", payments.Sentence(err.Error()))
	}
	if _, ok := errors.AsType[*deps.EndedBadly](err); ok {
		return local("ended-badly", "It ended otherwise than waited for.", payments.Sentence(err.Error()))
	}
	if open, ok := errors.AsType[*deps.StillOpen](err); ok {
		next := []string{"run payctl transfer settle again later"}
		switch {
		case open.Listed:
			next = []string{"payctl transfer settle"}
		case len(open.Hidden) == open.Count:
			next = []string{
				"run the line that sent it again with --idempotency-key " + open.Hidden[0],
				"payctl transfer settle --dismiss " + open.Hidden[0] + "   (when you have looked for it at the service)",
			}
		}
		return local("outcome-unknown", "Something is still open.", payments.Sentence(err.Error()), next...)
	}
	if rows, ok := errors.AsType[*deps.BatchEnded](err); ok {
		hints := journalToMend(rows.Err)
		if rows.Refused > 0 {
			hints = append(hints, "mend the refused rows; with the --batch-id of the first run they stay in its batch")
		}
		hints = append(hints, "run the same line again: what is done is not done twice")
		if rows.Unknown > 0 {
			hints = append(hints, "payctl transfer settle")
		}
		return local("batch-ended", "Not every row is a transfer.", payments.Sentence(err.Error()), hints...)
	}
	if state, ok := errors.AsType[*deps.CredentialState](err); ok {
		return local("credential-"+state.State, "There is no usable credential.", payments.Sentence(err.Error()), hint(state.Next)...)
	}
	if unprinted, ok := errors.AsType[*deps.Unprinted](err); ok {
		return local("unprintable-result", "The result could not be printed.", payments.Sentence(err.Error())+" But "+unprinted.Done+".")
	}
	if filter, ok := errors.AsType[*term.JQError](err); ok {
		return local("jq", "The --jq expression failed.", payments.Sentence(filter.Error()), "try the expression on the output of the same line with -o json in place of --jq")
	}
	if refusal, ok := errors.AsType[*payments.Refusal](err); ok {
		return refusal.Problem, append(nextFor(refusal), journalToMend(err)...), refusal.Document
	}
	switch {
	case journal.IsFailure(err):
		return local("journal-unusable", "The journal cannot be used.", payments.Sentence(err.Error()), journalToMend(err)...)
	case errors.Is(err, session.ErrNoCredential):
		return local("not-logged-in", "There is no usable credential.", payments.Sentence(err.Error()), "payctl auth login")
	case errors.Is(err, session.ErrExpired):
		return local("credential-expired", "There is no usable credential.", payments.Sentence(err.Error()), "payctl auth login")
	case errors.Is(err, deps.ErrDeclined):
		return local("not-confirmed", "Not confirmed.", "Nothing was changed.")
	case slices.Contains([]int{exitHungUp, exitInterrupted, exitTerminated}, exitCode(err)):
		return local("interrupted", endedBy(err), "")
	}
	return local("unexpected", "Something went wrong.", payments.Sentence(err.Error()))
}

// endedBy says what ended the program.
func endedBy(err error) string {
	if signalled, ok := errors.AsType[*Signalled](err); ok {
		return payments.Sentence(signalled.Error())
	}
	return "Interrupted."
}

func credentialKind(err error) string {
	for _, known := range []struct {
		err  error
		kind string
	}{
		{credential.ErrLocked, "keyring-locked"}, {credential.ErrAbsent, "keyring-absent"},
		{credential.ErrTimeout, "keyring-timeout"}, {credential.ErrNotFound, "not-logged-in"},
	} {
		if errors.Is(err, known.err) {
			return known.kind
		}
	}
	return "credential-store"
}

// nextFor names what to try after a refusal.
func nextFor(r *payments.Refusal) []string {
	if _, about := r.Errors["accountId"]; about { // which the flag is not called
		return []string{"give --account; payctl accounts list shows the accounts"}
	}
	if _, about := r.Errors["route"]; about {
		return []string{"payctl routes list"}
	}
	switch r.Kind() {
	case payments.KindUnauthenticated:
		return []string{"payctl auth status", "payctl auth login"}
	case payments.KindInsufficientScope:
		return []string{"payctl auth status"}
	case payments.KindKYCRequired:
		return []string{"payctl kyc get ACCOUNT   (what is missing)", "payctl kyc watch ACCOUNT   (until it is approved)"}
	case payments.KindRouteMismatch, payments.KindLimitExceeded:
		return []string{"payctl routes select --source RAIL:CURRENCY --destination RAIL:CURRENCY"}
	case payments.KindKeyReuse:
		return []string{"use another --idempotency-key, or none"}
	case payments.KindUnreachable:
		return []string{"payctl profile show", "payctl serve   (a service on this machine)", "payctl doctor"}
	case payments.KindOutcomeUnknown:
		if r.Repeat != "" {
			return []string{"run the same line again with --idempotency-key " + r.Repeat}
		}
		return []string{"payctl transfer settle", "run the same line again when it has a --reference"}
	case payments.KindMoved:
		return []string{"payctl profile show", "payctl profile set PROFILE base_url URL"}
	case payments.KindInsecure:
		return []string{"use an https URL"}
	}
	return nil
}

// journalToMend is what to do where the journal cannot be written; the other reasons say in their text what mends them.
func journalToMend(err error) []string {
	unusable, ok := errors.AsType[*journal.UnusableError](err)
	if !ok || errors.Is(err, journal.ErrUnsafe) {
		return nil
	}
	return []string{
		"make sure that you may write to " + safefile.Quote(filepath.Dir(unusable.Path)) + " and that there is room, or have another folder used with " + config.EnvConfigDir + " (or --journal, where it was given)",
		"payctl doctor",
	}
}

func hint(text string) []string {
	if text == "" {
		return nil
	}
	return []string{text}
}
