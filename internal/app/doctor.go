package app

import (
	"context"
	"errors"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/client/redact"
	"github.com/payctl/payctl/internal/doctor"
	"github.com/payctl/payctl/internal/refserver"
	"github.com/payctl/payctl/internal/serve"
)

// examine runs the checks of doctor. They make what they need themselves, since a command's dependencies fail on the
// first thing that is broken, and open, unlock or create things.
func examine(
	ctx context.Context, d *cmdutil.Deps, secrets *redact.Secrets, c cmdutil.ExamineConfig,
) doctor.Report {
	subject := doctor.Subject{
		Getenv: d.Getenv, Flags: settingsFlags(d.Options),
		Version: d.Build.Version, Offline: c.Offline, Now: d.Now,
		Secrets: secrets,
	}
	if c.Database.URL != "" {
		serve.WarnOfPassword(d, c.Database.URL)
		subject.Database, subject.OnlyDatabase = databaseSubject(c.Database), c.OnlyDatabase
	}
	if d.Options.Verbose {
		subject.Log = d.Log
	}
	return doctor.Examine(ctx, subject)
}

// databaseSubject has doctor examine a database.
func databaseSubject(c cmdutil.Database) *doctor.Database {
	database := refserver.Database{URL: c.URL, Schema: c.Schema}
	return &doctor.Database{
		Inspect: func(ctx context.Context) (doctor.DatabaseReport, error) {
			report, err := refserver.InspectDatabase(ctx, database)
			if unusable, ok := errors.AsType[*refserver.DatabaseError](err); ok {
				return doctor.DatabaseReport{}, serve.DatabaseProblem(unusable)
			}
			return doctor.DatabaseReport(report), nil
		},
	}
}
