// Package doctor checks everything that payctl depends on, from the configuration file to the service's contract. It
// reports faults and how to fix them. It changes nothing, never asks and always ends.
package doctor

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/payctl/payctl/internal/auth"
	"github.com/payctl/payctl/internal/auth/keystore"
	"github.com/payctl/payctl/internal/client"
	"github.com/payctl/payctl/internal/client/redact"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/settings"
	"github.com/payctl/payctl/internal/shell"
	"github.com/payctl/payctl/internal/wait"
)

// A Result is the result of a check.
type Result string

// The results of a check.
const (
	OK      Result = "ok"
	Warning Result = "warning" // works, but not always or not for long
	Failed  Result = "failed"
	Skipped Result = "skipped" // not checked; the message says why
)

// A Finding is one result of a check, which has at least one.
type Finding struct {
	Check   string `json:"check"`
	Result  Result `json:"result"`
	Message string `json:"message"`
	// Next is the next step. The command shows it as Fix, a command that fixes the fault, or else as Advice.
	Next   shell.Hint `json:"-"`
	Fix    string     `json:"fix,omitempty"`
	Advice string     `json:"advice,omitempty"`
	// ProblemType is, for a failed check, the type of problem of a command that needs it.
	ProblemType payments.ProblemType `json:"problem_type,omitempty"`
}

// findings are those of one check. Examine sets Check.
type findings []Finding

func found(f Finding, format string, args []any) findings {
	f.Message = fmt.Sprintf(format, args...)
	return findings{f}
}

func ok(format string, args ...any) findings   { return found(Finding{Result: OK}, format, args) }
func skip(format string, args ...any) findings { return found(Finding{Result: Skipped}, format, args) }

func warn(next shell.Hint, format string, args ...any) findings {
	return found(Finding{Result: Warning, Next: next}, format, args)
}

func fail(kind payments.ProblemType, next shell.Hint, format string, args ...any) findings {
	return found(Finding{Result: Failed, ProblemType: kind, Next: next}, format, args)
}

// A Subject is the input of an examination.
type Subject struct {
	Getenv  func(string) string
	Flags   settings.Flags
	Version string // of this program
	// Offline skips the checks that need the network.
	Offline bool
	// Log, if not nil, is called with the redacted lines of requests and responses.
	Log func(line string)
	// Secrets are the known credentials. Checks add those that they find.
	Secrets *redact.Secrets
	Now     func() time.Time
}

const (
	examinationTimeout = 14 * time.Second // the command's help says 15 seconds
	callTimeout        = 4 * time.Second
)

// A check checks one thing.
type check struct {
	title string
	run   func(context.Context) findings
}

// Examine runs all checks at once. It returns within 14 seconds, even if a check hangs, for example in a file system
// that ignores the context.
func Examine(ctx context.Context, subject Subject) []Finding {
	ctx, end := context.WithTimeout(ctx, examinationTimeout)
	defer end()
	e := newExamination(ctx, subject)
	checks := []check{
		{"config", e.config}, {"profile", e.profile}, {"files", e.files}, {"credentials", e.credentials},
		{"journal", e.journal}, {"service", e.service}, {"authentication", e.authentication},
		{"contract", e.contract},
	}
	results := make([]findings, len(checks))
	var running sync.WaitGroup
	for i, c := range checks {
		running.Go(func() { results[i] = c.examine(ctx) })
	}
	running.Wait()
	var all []Finding
	for i, c := range checks {
		for _, f := range results[i] {
			f.Check = c.title
			all = append(all, f)
		}
	}
	for i := range all { // at the end, since a service may repeat a credential that another check finds later
		f := &all[i]
		for j, word := range f.Next.Command {
			f.Next.Command[j] = subject.Secrets.Redact(word)
		}
		f.Message, f.Next.Note = subject.Secrets.Redact(f.Message), subject.Secrets.Redact(f.Next.Note)
	}
	return all
}

// examine runs a check until the context ends. It turns a panic into a finding, so that the findings of other checks
// are not lost.
func (c check) examine(ctx context.Context) findings {
	result, err := wait.For(ctx, func() (result findings, err error) {
		err = wait.CatchPanic(func() error {
			result = c.run(ctx)
			return nil
		})
		return result, err
	})
	if _, panicked := errors.AsType[*wait.PanicError](err); panicked {
		return fail(payments.ProblemInternal, shell.Payctl("version").With("report it with this output"),
			"The check itself failed. This is a bug in payctl.")
	}
	if err != nil {
		return fail(payments.ProblemTimeout, shell.Note("check whether a disk or a network folder hangs"),
			"The check did not end in time.")
	}
	return result
}

// An examination has the values that several checks need. Each is made once, when a check first needs it.
type examination struct {
	Subject
	file     func() (*settings.File, error)
	settings func() (settings.Settings, error)
	login    func() (keystore.Login, error)
	client   func() (*client.Client, error) // without a credential
	probe    func() (client.Probe, error)
}

// errUnknown means that a value is missing for a reason that another check reports.
var errUnknown = errors.New("not known")

func newExamination(ctx context.Context, subject Subject) *examination {
	e := &examination{Subject: subject}
	e.file = sync.OnceValues(func() (*settings.File, error) { return settings.Open(e.Getenv) })
	e.settings = sync.OnceValues(func() (settings.Settings, error) {
		file, err := e.file()
		if err != nil {
			return settings.Settings{}, errUnknown
		}
		return file.Resolve(e.Flags, e.Getenv)
	})
	e.login = sync.OnceValues(func() (keystore.Login, error) { return e.storedLogin(ctx) })
	e.client = sync.OnceValues(e.connect)
	e.probe = sync.OnceValues(func() (client.Probe, error) {
		c, err := e.client()
		if err != nil {
			return client.Probe{}, err
		}
		return c.Probe(ctx)
	})
	return e
}

// storedLogin reads the login of the settings.
func (e *examination) storedLogin(ctx context.Context) (keystore.Login, error) {
	resolved, err := e.settings()
	if err != nil {
		return keystore.Login{}, errUnknown
	}
	dir, err := settings.StateDir(e.Getenv)
	if err != nil {
		return keystore.Login{}, err
	}
	login, err := keystore.Open(resolved.CredentialStore, dir)[0].Get(ctx, auth.Key(resolved))
	e.Secrets.Add(login.AccessToken, login.ClientSecret)
	return login, err
}

func (e *examination) connect() (*client.Client, error) {
	resolved, err := e.settings()
	if err != nil {
		return nil, errUnknown
	}
	e.Secrets.Add(resolved.Token, resolved.ClientSecret)
	if e.Log != nil {
		_, _ = e.login() // adds its credentials to Secrets before the log shows a response that repeats them
	}
	c, err := client.ConfigFromSettings(resolved, e.Version)
	if err != nil {
		return nil, err
	}
	c.Timeout, c.Retries, c.Secrets, c.Log, c.Now = min(resolved.Timeout, callTimeout), 0, e.Secrets, e.Log, e.Now
	return client.New(c)
}
