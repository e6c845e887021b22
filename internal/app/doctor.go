package app

import (
	"context"
	"strings"

	"github.com/payctl/payctl/internal/cli/deps"
	"github.com/payctl/payctl/internal/client"
	"github.com/payctl/payctl/internal/doctor"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/term"
)

// examine looks at everything that commands depend on. It makes what it needs itself: what is broken must not keep it from
// looking at the rest, and it must not open, unlock or make what a command would.
func examine(ctx context.Context, d *deps.Deps, secrets *client.Secrets, offline bool) doctor.Report {
	subject := doctor.Subject{
		Getenv: d.Getenv, Flags: flags(d.Options), Journal: d.Options.Journal,
		Version: d.Build.Version, Offline: offline, Now: d.Now,
		Secrets: secrets,
	}
	if d.Options.Verbose {
		subject.Log = func(line string) { _, _ = d.Err.Write([]byte(term.SanitizeLines(line) + "\n")) }
	}
	return doctor.Examine(ctx, subject)
}

// unwellCode is the code with which a command would end that met the problem.
func unwellCode(e *deps.Unwell) int {
	if strings.HasPrefix(string(e.Kind), payments.LocalPrefix) {
		return refusalCode(&payments.Refusal{Problem: payments.Problem{Type: string(e.Kind)}})
	}
	return refusalCode(payments.Refuse(e.Kind, ""))
}
