// Package doctor checks everything that payctl depends on, from the configuration file to the service's contract, and
// reports what is wrong and how to fix it. It changes nothing, asks nothing of a person and always ends.
package doctor

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/payctl/payctl/internal/client/redact"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/settings"
)

// A Result is the result of a check.
type Result string

// The results.
const (
	OK      Result = "ok"
	Warning Result = "warning" // works, but not always or not for long
	Failed  Result = "failed"
	Skipped Result = "skipped" // not checked; the message says why
)

// A Finding is one thing that a check found. A check has at least one.
type Finding struct {
	Check   string `json:"check"`
	Result  Result `json:"result"`
	Message string `json:"message"`
	// Fix is the command that fixes it; empty where there is none.
	Fix string `json:"fix,omitempty"`
	// Advice is what to do where no command can do it.
	Advice string `json:"advice,omitempty"`
	// Kind is, for a failed check, the kind of problem that a command would have because of it.
	Kind payments.Kind `json:"kind,omitempty"`
}

// A Report is what all checks found.
type Report struct {
	Checks  []Finding `json:"checks"`
	Summary Summary   `json:"summary"`
}

// Summary counts the findings of a Report by their result.
type Summary struct {
	OK      int `json:"ok"`
	Warning int `json:"warning"`
	Failed  int `json:"failed"`
	Skipped int `json:"skipped"`
}

// Failed returns the findings of checks that failed. The others may follow from the first.
func (r Report) Failed() []Finding {
	return slices.DeleteFunc(slices.Clone(r.Checks), func(f Finding) bool { return f.Result != Failed })
}

// A Subject is what to examine.
type Subject struct {
	Getenv  func(string) string
	Flags   settings.Flags
	Version string // of this program
	// Offline skips the checks that need the network.
	Offline bool
	// Log is called at the end with the lines of what was sent and received, redacted; nil: none.
	Log func(line string)
	// Secrets are the credentials that the process knows, to which are added those that are found.
	Secrets *redact.Secrets
	Now     func() time.Time
	// Database is the database of `payctl serve` to examine; nil: none.
	Database *Database
	// OnlyDatabase leaves out all checks but those of the database.
	OnlyDatabase bool
}

// Time limits of the whole examination, which the command's help gives as 15 seconds, and of each exchange with the
// service.
const (
	examinationTimeout = 14 * time.Second
	callTimeout        = 4 * time.Second
)

// Examine runs all checks at once. It returns within 14 seconds, whatever hangs.
func Examine(ctx context.Context, subject Subject) Report {
	ctx, cancel := context.WithTimeout(ctx, examinationTimeout)
	defer cancel()
	if log := subject.Log; log != nil {
		// The lines wait until all secrets to redact are known: a service may repeat a credential that another check has
		// not found yet.
		var mu sync.Mutex
		var lines []string
		subject.Log = func(line string) {
			mu.Lock()
			defer mu.Unlock()
			lines = append(lines, line)
		}
		defer func() {
			mu.Lock()
			defer mu.Unlock()
			for _, line := range lines {
				log(subject.Secrets.Redact(line))
			}
		}()
	}
	e := newExamination(ctx, subject)
	type namedCheck struct {
		name string
		run  func(context.Context, *check)
	}
	// Each check depends on those before it.
	checks := []namedCheck{
		{"config", e.config}, {"profile", e.profile}, {"files", e.files},
		{"keyring", e.keyring}, {"credentials", e.credentials}, {"journal", e.journal},
		{"proxy", e.proxy}, {"service", e.service}, {"tls", e.tls}, {"clock", e.clock},
		{"authentication", e.authentication}, {"contract", e.contract},
	}
	if subject.OnlyDatabase {
		checks = nil
	}
	if subject.Database != nil {
		checks = append(checks, namedCheck{"database", e.connection}, namedCheck{"schema", e.schema},
			namedCheck{"durability", e.durability}, namedCheck{"connections", e.connections})
	}
	found := make([]chan []Finding, len(checks))
	for i, c := range checks {
		found[i] = make(chan []Finding, 1)
		go func() { found[i] <- run(ctx, c.name, c.run) }()
	}
	var report Report
	for i, c := range checks {
		report.Checks = append(report.Checks, await(ctx, c.name, found[i])...)
	}
	sum := &report.Summary
	count := map[Result]*int{OK: &sum.OK, Warning: &sum.Warning, Failed: &sum.Failed, Skipped: &sum.Skipped}
	for i := range report.Checks {
		f := &report.Checks[i]
		*count[f.Result]++
		// A service may repeat a credential that another check finds later.
		for _, text := range []*string{&f.Message, &f.Fix, &f.Advice} {
			*text = subject.Secrets.Redact(*text)
		}
	}
	return report
}

// run runs one check. A panic becomes a finding: the doctor is used where things are broken in unforeseen ways, and the
// other checks' findings must not be lost.
func run(ctx context.Context, name string, do func(context.Context, *check)) (found []Finding) {
	c := &check{name: name}
	defer func() {
		if recover() != nil {
			c = &check{name: name}
			c.fail(payments.KindInternal, "This check itself failed, which is a mistake in payctl.").
				Advice = "report it with the output of payctl version"
			found = c.findings
		}
	}()
	do(ctx, c)
	return c.findings
}

// graceTime is how long a check that ends with its context may take to say so.
const graceTime = 50 * time.Millisecond

// await returns the findings of a check, or a failure if it does not end: a file system that hangs ignores the context.
func await(ctx context.Context, name string, found <-chan []Finding) []Finding {
	select {
	case f := <-found:
		return f
	case <-ctx.Done():
	}
	select {
	case f := <-found:
		return f
	case <-time.After(graceTime):
		c := &check{name: name}
		c.fail(payments.KindTimeout, "This check did not end in time.").
			Advice = "see whether a disk or a network folder hangs"
		return c.findings
	}
}

// A check collects the findings of one check.
type check struct {
	name     string
	findings []Finding
}

func (c *check) ok(format string, args ...any) { c.add(OK, "", format, args) }

func (c *check) skip(format string, args ...any) { c.add(Skipped, "", format, args) }

// warn adds a warning. The caller sets its Fix or its Advice.
func (c *check) warn(format string, args ...any) *Finding { return c.add(Warning, "", format, args) }

// fail adds a failure. The caller sets its Fix or its Advice.
func (c *check) fail(kind payments.Kind, format string, args ...any) *Finding {
	return c.add(Failed, kind, format, args)
}

func (c *check) add(result Result, kind payments.Kind, format string, args []any) *Finding {
	if len(args) > 0 {
		format = fmt.Sprintf(format, args...)
	}
	c.findings = append(c.findings, Finding{Check: c.name, Result: result, Message: format, Kind: kind})
	return &c.findings[len(c.findings)-1]
}

// remedy sets Fix if the text is a command, as in "run: chmod 600 FILE", and else Advice.
func (f *Finding) remedy(text string) {
	if command, ok := strings.CutPrefix(text, "run: "); ok {
		f.Fix = command
	} else {
		f.Advice = text
	}
}
