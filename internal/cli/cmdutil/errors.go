package cmdutil

import (
	"errors"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/securefile"
	"github.com/payctl/payctl/internal/shell"
	"github.com/payctl/payctl/internal/textutil"
)

// The exit codes; `payctl help exit-codes` explains them.
const (
	ExitDone           = 0
	ExitUnexpected     = 1
	ExitUsage          = 2
	ExitInvalid        = 3
	ExitCredential     = 4
	ExitNotFound       = 5
	ExitConflict       = 6
	ExitRateLimited    = 7
	ExitReadFailed     = 8
	ExitUnreachable    = 9
	ExitOutcomeUnknown = 10
	ExitWatchFailed    = 11
	ExitWaitTimeout    = 12
	ExitRowsRefused    = 13
	ExitDeclined       = 14
	ExitCheckFailed    = 15
	ExitHeldBack       = 16
	ExitHungUp         = 129
	ExitInterrupted    = 130
	ExitTerminated     = 143
)

// The kinds of an Error that are asked for by name.
const (
	kindUsage          = "usage"
	ProblemBatchFailed = "batch-ended"  // some rows of a file are not done
	ProblemWatchFailed = "watch-failed" // some subjects ended in a status other than the goal
	ProblemWaitTimeout = "wait-timeout" // --timeout ended a wait
)

// An Error is a failure that a command explains itself: the program prints it and exits with its code.
// Errors of other types get their explanation in package app.
type Error struct {
	// Code is the exit code; zero means the exit code of the cause.
	Code int
	// ProblemType is that of the problem document, without "payctl:". Empty means that the cause is explained, with Next
	// instead of its own next steps.
	ProblemType string
	// Title and Detail are those of the problem document. Detail is printed as a sentence. Empty means the text of the
	// cause.
	Title, Detail string
	// Next are the steps to try next.
	Next []shell.Hint
	// Cause is the error behind this one, if any.
	Cause error
	// Rows are the errors of a file, for programs.
	Rows []RowError
	// Printed reports that the command has already shown all of this to a person.
	Printed bool
}

// A RowError is an error of a row of a file: where it is, or the flag that has given the value.
type RowError struct {
	Line   int    `json:"line,omitzero"`
	Column int    `json:"column,omitzero"`
	Flag   string `json:"flag,omitzero"`
	Member string `json:"member,omitzero"`
	Detail string `json:"detail"`
}

// Error implements error.
func (e *Error) Error() string {
	if e.Detail == "" && e.Cause != nil {
		return e.Cause.Error()
	}
	return e.Detail
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Cause }

// Is makes an error of Usage match ErrUsage.
func (e *Error) Is(target error) bool { return target == ErrUsage && e.ProblemType == kindUsage }

// WithHint replaces the next steps. An empty one changes nothing.
func (e *Error) WithHint(next ...shell.Hint) *Error {
	if !next[0].IsZero() {
		e.Next = next
	}
	return e
}

// WithNote is WithHint for a step without a command.
func (e *Error) WithNote(note string) *Error { return e.WithHint(shell.Hint{Note: note}) }

// IsProblem reports whether err is an Error with this type of problem.
func IsProblem(err error, kind string) bool {
	e, ok := errors.AsType[*Error](err)
	return ok && e.ProblemType == kind
}

// ErrUsage matches every error of Usage.
var ErrUsage = errors.New("usage")

// Usage returns the error of a mistake on the command line or in an input file, before which nothing was done.
// An unsafe file among args has its own next step.
func Usage(format string, args ...any) *Error {
	e := &Error{Code: ExitUsage, ProblemType: kindUsage, Title: "The command cannot be run."}
	e.Detail = fmt.Sprintf(format, args...)
	for _, arg := range args {
		cause, _ := arg.(error)
		if unsafe, ok := errors.AsType[*securefile.Error](cause); ok {
			e.Next = []shell.Hint{unsafe.Next}
		}
	}
	return e
}

// Hint returns err with next steps that follow from the command and not from the error.
func Hint(err error, next ...shell.Hint) *Error {
	return (&Error{Cause: err}).WithHint(next...)
}

// ErrDeclined is the error after the person at the terminal has answered no.
var ErrDeclined error = &Error{
	Code: ExitUnexpected, ProblemType: "not-confirmed", Title: "Not confirmed.", Detail: "Nothing was changed.",
}

// OutputFailed returns the error of a result that could not be printed. Done says what has been done nevertheless,
// such as "the transfer trf_… was created". A nil error stays nil.
func OutputFailed(err error, done string) error {
	if err == nil {
		return nil
	}
	return &Error{
		Code: ExitUnexpected, ProblemType: "unprintable-result", Title: "The result could not be printed.",
		Detail: payments.Sentence(err.Error()) + " But " + done + ".", Cause: err,
	}
}

// A Subject is an account or a transfer in the error of a watch.
type Subject struct{ ID, Status, Reason string }

// WatchFailed returns the error of a watch some of whose subjects ended in a status other than the goal.
func WatchFailed(goal string, failed []Subject) *Error {
	detail := failedLines(goal, failed)
	return &Error{Code: ExitWatchFailed, ProblemType: ProblemWatchFailed, Title: "The watch failed.", Detail: detail}
}

func failedLines(goal string, failed []Subject) string {
	return lines(failed, func(s Subject) string {
		text := fmt.Sprintf("%s failed: ended in %s, not in %s", s.ID, s.Status, goal)
		switch {
		case len(failed) > 1 && len(s.Reason) > longestReason:
			text += ": " + strings.ToValidUTF8(s.Reason[:longestReason], "") + " ..."
		case s.Reason != "":
			text += ": " + s.Reason
		}
		return text
	})
}

// TransferFailed returns the error of a transfer that was made and does not deliver its money.
func TransferFailed(id, state string) *Error {
	return &Error{
		Code: ExitWatchFailed, ProblemType: "transfer-failed", Title: "The transfer does not deliver its money.",
		Detail: fmt.Sprintf("%s is %s. To pay again takes another reference", id, state),
	}
}

// WaitTimedOut returns the error of a wait that --timeout ended. Failed are the subjects that had already failed to
// reach the goal.
func WaitTimedOut(timeout time.Duration, waiting []Subject, goal string, failed []Subject) *Error {
	still := lines(waiting, func(s Subject) string { return s.ID + " is still " + s.Status })
	text := fmt.Sprintf("after %s %s", timeout, still)
	if len(failed) > 0 {
		text += "\n" + failedLines(goal, failed)
	}
	return &Error{
		Code: ExitWaitTimeout, ProblemType: ProblemWaitTimeout, Title: "The time to wait ran out.",
		Detail: text, Next: []shell.Hint{shell.Note("run the command again to go on waiting")},
	}
}

// mostLines is how many subjects an error names, and longestReason bounds the reason of one, in bytes.
const (
	mostLines     = 3
	longestReason = 100
)

// lines puts each subject on a line of its own, up to mostLines.
func lines(subjects []Subject, line func(Subject) string) string {
	var all []string
	for _, subject := range subjects[:min(mostLines, len(subjects))] {
		all = append(all, line(subject))
	}
	if left := len(subjects) - mostLines; left > 0 {
		all = append(all, fmt.Sprintf("and %d more", left))
	}
	return strings.Join(all, "\n")
}

// Unwritable is the usage error of a file that cannot be written; what is its name in a sentence, such as "the report".
func Unwritable(what string, err error) *Error { return Usage("%s cannot be written: %v", what, err) }

// CheckValue refuses a value that is none of the known ones, with a hint if it is nearly the same as one of them. Name
// is that of the flag or argument that has the value.
func CheckValue[V ~string](name string, value V, known []string) *Error {
	if slices.Contains(known, string(value)) {
		return nil
	}
	err := Usage("%s does not take %q. Its values are %s", name, string(value), strings.Join(known, ", "))
	if guess := textutil.Guess(string(value), known); guess != "" {
		return err.WithHint(shell.Note("did you mean %s?", guess))
	}
	return err
}

// Signalled is the error of a program that a signal ended.
type Signalled struct {
	Signal syscall.Signal
	// During is the error of what the signal interrupted. It is nil unless that must be reported: a write that is
	// unknown or was not sent, or rows of a batch.
	During error
}

// Error implements error.
func (s *Signalled) Error() string {
	switch s.Signal {
	case syscall.SIGTERM:
		return "terminated"
	case syscall.SIGHUP:
		return "the terminal was closed"
	}
	return "interrupted"
}

// Unwrap returns the error of what was interrupted.
func (s *Signalled) Unwrap() error { return s.During }

// ExitCode is the exit code that a shell reports for a program that a signal ended.
func (s *Signalled) ExitCode() int { return 128 + int(s.Signal) }

// allEndSignals are the signals that end the program: Ctrl-C, a supervisor's, and that of a closed terminal.
var allEndSignals = []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP}

// EndSignals are the signals that end the program and that the program handles. Under nohup SIGHUP is ignored, and
// stays so.
func EndSignals() []os.Signal {
	if signal.Ignored(syscall.SIGHUP) {
		return allEndSignals[:len(allEndSignals)-1]
	}
	return allEndSignals
}

// Trouble warns that the service does not do what it should, and is asked again. Nil means that it answers again.
func (d *Deps) Trouble(err error) {
	if err == nil {
		d.Notef("The service answers again.")
		return
	}
	what, why := Trouble(err)
	d.Warnf("The service %s; trying again: %s", what, why)
}

// Trouble describes an error after which the program goes on trying. What is what the service does, such as "does not
// answer". Why is a clause.
func Trouble(err error) (what, why string) {
	problem, ok := errors.AsType[*payments.ProblemError](err)
	switch {
	case !ok:
	case problem.Status == 429:
		return "asks to wait", Reason(err)
	case problem.Status != 0:
		return "fails", Reason(err)
	}
	return "does not answer", Reason(err)
}

// Reason is an error as a clause. It leaves out advice such as to check the base URL, which is of no use while the
// program goes on trying.
func Reason(err error) string {
	problem, ok := errors.AsType[*payments.ProblemError](err)
	switch {
	case !ok:
		return err.Error()
	case problem.Status >= 500 && problem.ProblemType() == payments.ProblemUnusable: // of a proxy, mostly
		return fmt.Sprintf("status %d", problem.Status)
	case problem.Reason != "":
		return problem.Reason
	case problem.Status != 0:
		return fmt.Sprintf("status %d, %s", problem.Status, strings.TrimSuffix(problem.Title, "."))
	}
	return problem.Error()
}
