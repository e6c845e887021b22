package app

import (
	"context"
	"errors"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/doctor"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/refserver"
	"github.com/payctl/payctl/internal/settings"
)

// databaseConfig is the database of --database; nil if there is none.
func databaseConfig(d *cmdutil.Deps, c cmdutil.Database) *refserver.Database {
	if c.URL == "" {
		return nil
	}
	return &refserver.Database{URL: c.URL, Schema: c.Schema, Waiting: func(err error) {
		d.Notef("Waiting up to 30 s for the database, which accepts no connections yet: %v", err)
	}}
}

// warnOfPassword warns if the name of a database has a password and comes from the command line.
func warnOfPassword(d *cmdutil.Deps, url string) {
	variable := settings.Variable("serve", "database")
	if url != d.Getenv(variable) && len(databasePasswords(url)) > 0 {
		d.Warnf("the password in --database may be seen by other users of this machine, and stays in your shell's history: "+
			"put the URL into %s, or the password into PGPASSWORD or the file of PGPASSFILE", variable)
	}
}

// unusableDatabase explains why a database of --database cannot be used.
func unusableDatabase(err *refserver.DatabaseError) error {
	problem := databaseProblem(err)
	e := &cmdutil.Error{
		Kind: "database-unusable", Title: "The database cannot be used.", Detail: problem.Detail, Cause: problem,
	}
	return e.WithHint(problem.Next)
}

// databaseProblem is the problem that a database cannot be used, whose kind decides the exit code.
func databaseProblem(err *refserver.DatabaseError) *payments.ProblemError {
	problem := payments.NewLocalProblem(err.Kind, err, "", "%v", err)
	problem.Next = err.Next
	return problem
}

// databaseSubject has doctor examine a database.
func databaseSubject(c cmdutil.Database) *doctor.Database {
	return &doctor.Database{
		Inspect: func(ctx context.Context) (doctor.DatabaseReport, error) {
			report, err := refserver.InspectDatabase(ctx, refserver.Database{URL: c.URL, Schema: c.Schema})
			if unusable, ok := errors.AsType[*refserver.DatabaseError](err); ok {
				return doctor.DatabaseReport{}, databaseProblem(unusable)
			}
			return doctor.DatabaseReport(report), nil
		},
	}
}
