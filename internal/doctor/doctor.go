// Package doctor looks at everything that payctl depends on, from the configuration file to the service's contract, and
// tells what is wrong and what mends it. It changes nothing, asks nobody anything and always ends.
package doctor

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/payctl/payctl/internal/client"
	"github.com/payctl/payctl/internal/config"
	"github.com/payctl/payctl/internal/payments"
)

// A Result is how a check ended.
type Result string

// The results.
const (
	OK      Result = "ok"
	Warning Result = "warning" // works, but will not always, or not for everybody
	Failed  Result = "failed"
	Skipped Result = "skipped" // not looked at; the message says why
)

// The checks, in the order in which they are reported: each rests on those before it.
const (
	CheckConfig         = "config"
	CheckProfile        = "profile"
	CheckFiles          = "files"
	CheckKeyring        = "keyring"
	CheckCredentials    = "credentials"
	CheckJournal        = "journal"
	CheckProxy          = "proxy"
	CheckService        = "service"
	CheckTLS            = "tls"
	CheckClock          = "clock"
	CheckAuthentication = "authentication"
	CheckContract       = "contract"
)

// A Finding is what one look at one thing found. A check has as many as there is something to say.
type Finding struct {
	Check   string `json:"check"`
	Result  Result `json:"result"`
	Message string `json:"message"`
	// Mend is the command that mends it; empty where there is none.
	Mend string `json:"mend,omitempty"`
	// Advice is what to do where no command can do it.
	Advice string `json:"advice,omitempty"`
	// Kind says of a failed check which kind of problem a command would meet because of it.
	Kind payments.Kind `json:"kind,omitempty"`
}

// A Report is what the doctor found.
type Report struct {
	Checks  []Finding `json:"checks"`
	Summary Summary   `json:"summary"`
}

// Summary counts the findings of a Report.
type Summary struct {
	OK      int `json:"ok"`
	Warning int `json:"warning"`
	Failed  int `json:"failed"`
	Skipped int `json:"skipped"`
}

// Failed are the findings of checks that failed, the one that others may follow from first.
func (r Report) Failed() []Finding {
	return slices.DeleteFunc(slices.Clone(r.Checks), func(f Finding) bool { return f.Result != Failed })
}

// A Subject is whom to look at.
type Subject struct {
	Getenv func(string) string
	Flags  config.Flags
	// Journal is the file of the journal; empty: the usual one.
	Journal string
	Version string // of this program
	// Offline leaves out whatever needs the network.
	Offline bool
	// Log takes the lines of what is sent and received, redacted, at the end; nil: none.
	Log func(line string)
	// Secrets are the credentials that the process knows, to which are added those that are found.
	Secrets *client.Secrets
	Now     func() time.Time
}

// Time that the doctor takes at most: for everything, and for each exchange with the service.
const (
	wholeTime = 14 * time.Second
	callTime  = 4 * time.Second
)

// Examine looks at everything within 14 seconds, whatever hangs.
func Examine(ctx context.Context, subject Subject) Report {
	ctx, cancel := context.WithTimeout(ctx, wholeTime)
	defer cancel()
	if tell := subject.Log; tell != nil {
		var calls record
		subject.Log = calls.add
		defer func() { calls.end(tell, subject.Secrets) }()
	}
	e := newExamination(ctx, subject)
	steps := []step{
		{CheckConfig, e.config}, {CheckProfile, e.profile}, {CheckFiles, e.files},
		{CheckKeyring, e.keyring}, {CheckCredentials, e.credentials}, {CheckJournal, e.journal},
		{CheckProxy, e.proxy}, {CheckService, e.service}, {CheckTLS, e.tls}, {CheckClock, e.clock},
		{CheckAuthentication, e.authentication}, {CheckContract, e.contract},
	}
	found := make([]chan []Finding, len(steps))
	for i, s := range steps {
		found[i] = make(chan []Finding, 1)
		go func() { found[i] <- s.safely(ctx) }()
	}
	var report Report
	for i, s := range steps {
		report.Checks = append(report.Checks, await(ctx, s.name, found[i])...)
	}
	for i := range report.Checks { // a service may have repeated what another check found out later
		f := &report.Checks[i]
		for _, text := range []*string{&f.Message, &f.Mend, &f.Advice} {
			*text = subject.Secrets.Redact(*text)
		}
	}
	report.Summary = summarise(report.Checks)
	return report
}

// A step is one check.
type step struct {
	name string
	look func(context.Context) []Finding
}

// safely keeps what one check stumbles over from taking the others' findings along: the doctor is called where things are
// broken in ways that nobody thought of.
func (s step) safely(ctx context.Context) (found []Finding) {
	defer func() {
		if recover() != nil {
			found = []Finding{failed(s.name, payments.KindInternal, "This check itself failed, which is a mistake in payctl.", "report it with the output of payctl version")}
		}
	}()
	return s.look(ctx)
}

// await takes the findings of a check that has ended, or says that it has not: a file system that hangs listens to no context.
func await(ctx context.Context, name string, found <-chan []Finding) []Finding {
	select {
	case f := <-found:
		return f
	case <-ctx.Done():
	}
	// What ends with its context has a word to say.
	grace := time.NewTimer(graceTime)
	defer grace.Stop()
	select {
	case f := <-found:
		return f
	case <-grace.C:
		return []Finding{failed(name, payments.KindTimeout, "This check did not end in time.", "see whether a disk or a network folder hangs")}
	}
}

const graceTime = 50 * time.Millisecond

func summarise(findings []Finding) (s Summary) {
	for _, f := range findings {
		switch f.Result {
		case OK:
			s.OK++
		case Warning:
			s.Warning++
		case Failed:
			s.Failed++
		case Skipped:
			s.Skipped++
		}
	}
	return s
}

func ok(check, format string, args ...any) Finding {
	return Finding{Check: check, Result: OK, Message: fmt.Sprintf(format, args...)}
}

func skipped(check, format string, args ...any) Finding {
	return Finding{Check: check, Result: Skipped, Message: fmt.Sprintf(format, args...)}
}

func warning(check, message, mend string) Finding {
	return Finding{Check: check, Result: Warning, Message: message}.mended(mend)
}

func failed(check string, kind payments.Kind, message, mend string) Finding {
	return Finding{Check: check, Result: Failed, Message: message, Kind: kind}.mended(mend)
}

// mended tells what mends a finding: a command, or else words.
func (f Finding) mended(by string) Finding {
	by = strings.TrimPrefix(by, "run: ")
	first, _, _ := strings.Cut(by, " ")
	if slices.Contains([]string{"payctl", "chmod", "mv", "rm", "sudo", "unset", "export", "${EDITOR:-vi}"}, first) {
		f.Mend = by
	} else {
		f.Advice = by
	}
	return f
}

func one(f Finding) []Finding { return []Finding{f} }
