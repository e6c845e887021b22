package app

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/auth"
	"github.com/payctl/payctl/internal/auth/keystore"
	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/client"
	"github.com/payctl/payctl/internal/client/redact"
	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/doctor"
	"github.com/payctl/payctl/internal/outbox"
	"github.com/payctl/payctl/internal/outbox/journal"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/refserver"
	"github.com/payctl/payctl/internal/serve"
	"github.com/payctl/payctl/internal/settings"
	"github.com/payctl/payctl/internal/ui"
)

// wire makes the dependencies of commands: settings, from them the credential stores and a source of tokens, and from
// these the client with its journal. All that costs time is made when it is first asked for. End closes what was
// opened.
func wire(
	getenv func(string) string, streams *ui.Streams, now func() time.Time,
) (d *cmdutil.Deps, end func()) {
	secrets := &redact.Secrets{} // all credentials that the program sees
	secrets.Add(environmentSecrets(getenv)...)
	d = &cmdutil.Deps{
		Streams:  streams,
		Getenv:   getenv,
		Now:      now,
		Options:  &cmdutil.Options{},
		Mappable: mappable(),
		Enum:     contract.Enum,
		Missing:  contract.Missing,
		Redact:   secrets.Redact,
		Learn:    secrets.Add,
		Build:    build(),
	}
	d.Config = sync.OnceValues(func() (*settings.File, error) { return settings.Open(getenv, client.CheckOperation) })
	d.Settings = sync.OnceValues(func() (settings.Settings, error) {
		file, err := d.Config()
		if err != nil {
			return settings.Settings{}, err
		}
		return file.Resolve(settingsFlags(d.Options), getenv)
	})
	d.Stores = sync.OnceValues(func() ([]keystore.Store, error) {
		resolved, err := d.Settings()
		if err != nil {
			return nil, err
		}
		dir, err := settings.StateDir(getenv)
		if err != nil {
			return nil, err
		}
		return keystore.OpenAll(resolved.CredentialStore, dir)
	})
	d.Logins = func() (keystore.Store, error) {
		all, err := d.Stores()
		if err != nil {
			return nil, err
		}
		return all[0], nil
	}
	tokens := sync.OnceValues(func() (*client.Client, error) {
		resolved, err := d.Settings()
		if err != nil {
			return nil, err
		}
		return newClient(d, resolved, secrets, nil)
	})
	newSource := func(resolved settings.Settings, tokens payments.Tokens) *auth.Source {
		return &auth.Source{
			Settings: resolved, Logins: d.Logins, Tokens: tokens, Now: d.Now, Learn: secrets.Add,
			Warn: func(err error) { warnNotStored(d, err) },
		}
	}
	d.Ping = func(ctx context.Context) (cmdutil.Pong, error) {
		c, err := tokens()
		if err != nil {
			return cmdutil.Pong{}, err
		}
		found, err := c.Probe(ctx)
		return cmdutil.Pong{
			Status: found.Status, StatusText: found.StatusText, Server: found.Server, Took: found.Took,
		}, err
	}
	d.Tokens = func() (payments.Tokens, error) { return tokens() }
	source := sync.OnceValues(func() (*auth.Source, error) {
		resolved, err := d.Settings()
		if err != nil {
			return nil, err
		}
		c, err := tokens()
		if err != nil {
			return nil, err
		}
		return newSource(resolved, c), nil
	})
	d.Session = func() (cmdutil.Session, error) { return source() }
	d.Obtain = func(ctx context.Context, tokens payments.Tokens, id, secret string) (keystore.Login, error) {
		resolved, err := d.Settings()
		if err != nil {
			return keystore.Login{}, err
		}
		return auth.Obtain(ctx, tokens, resolved.Origin, id, secret, d.Now())
	}
	var journals []*journal.Journal
	connect := func(o cmdutil.ClientOptions) (*client.Client, *outbox.Outbox, error) {
		credentials, err := source()
		if err != nil {
			return nil, nil, err
		}
		resolved := credentials.Settings
		if o.Timeout > 0 { // for renewing the login, too
			resolved.Timeout = o.Timeout
			c, err := newClient(d, resolved, secrets, nil)
			if err != nil {
				return nil, nil, err
			}
			credentials = newSource(resolved, c)
		}
		c, err := newClient(d, resolved, secrets, credentials)
		if err != nil {
			return nil, nil, err
		}
		writes := newJournal(d, credentials, o.Journal)
		journals = append(journals, writes)
		return c, outbox.New(c, writes, outbox.Options{
			Timeout: resolved.Timeout, Now: d.Now, DryRun: d.Options.Curl,
			Note: func(text string) { d.Notef("%s", text) },
		}), nil
	}
	d.Connect = func(o cmdutil.ClientOptions) (*outbox.Outbox, error) {
		_, writes, err := connect(o)
		return writes, err
	}
	type service struct {
		client *client.Client
		outbox *outbox.Outbox
	}
	api := sync.OnceValues(func() (s service, err error) {
		s.client, s.outbox, err = connect(cmdutil.ClientOptions{})
		return s, err
	})
	d.Payments = func() (payments.Service, error) {
		s, err := api()
		return s.outbox, err
	}
	d.Sandbox = func() (payments.Sandbox, error) {
		s, err := api()
		return s.client, err
	}
	d.Call = func(ctx context.Context, c cmdutil.Call) (*cmdutil.Answer, error) {
		s, err := api()
		if err != nil {
			return nil, err
		}
		return call(ctx, s.outbox, c)
	}
	d.Serve = func() *cobra.Command { return serve.New(d, refserver.New) }
	d.Examine = func(ctx context.Context, c cmdutil.ExamineConfig) doctor.Report { return examine(ctx, d, secrets, c) }
	return d, func() {
		for _, writes := range journals {
			closeJournal(d, writes)
		}
	}
}

// warnNotStored warns that a renewed token could not be stored.
func warnNotStored(d *cmdutil.Deps, err error) {
	text := fmt.Sprintf("The token was renewed and could not be stored, so only this command uses it: %v.", err)
	if store, ok := errors.AsType[*keystore.Error](err); ok {
		text += " Next time: " + store.Next() + "."
	}
	d.Warnf("%s", text)
}

// newClient makes a client for the settings' service. Without tokens it can only call the token operation.
func newClient(
	d *cmdutil.Deps, resolved settings.Settings, secrets *redact.Secrets, tokens client.TokenSource,
) (*client.Client, error) {
	c, err := client.ConfigFromSettings(resolved, d.Build.Version)
	if err != nil {
		return nil, err
	}
	c.Token, c.Pace, c.Secrets, c.Now = tokens, d.Pace, secrets, d.Now
	if d.Limited != nil {
		c.Limited = func(q client.Quota) { d.Limited(q.Most, q.Window, q.Left) }
	}
	c.Traceparent = d.Getenv("TRACEPARENT")
	if d.Options.Curl {
		c.Curl = d.ShowCall
	}
	c.Log = logOf(d)
	c.LogPersonal = d.ShowPersonal != nil && d.ShowPersonal()
	return client.New(c)
}

// logOf is where the HTTP traffic is shown; nil without --verbose.
func logOf(d *cmdutil.Deps) func(line string) {
	if !d.Options.Verbose {
		return nil
	}
	return func(line string) { d.Log(ui.Sanitize(line)) }
}

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

// settingsFlags are the global flags that were given and are settings too.
func settingsFlags(o *cmdutil.Options) settings.Flags {
	given := settings.Flags{
		settings.KeyProfile:           o.Profile,
		settings.KeyBaseURL:           o.BaseURL,
		settings.KeyCACert:            o.CACert,
		settings.KeyOutput:            o.Output,
		settings.KeyCredentialStore:   o.CredentialStore,
		settings.KeyTimeout:           o.Timeout.String(),
		settings.KeyRetries:           strconv.Itoa(o.Retries),
		settings.KeyAllowInsecureHTTP: strconv.FormatBool(o.AllowInsecureHTTP),
	}
	maps.DeleteFunc(given, func(key, _ string) bool {
		return !o.Given(strings.TrimPrefix(settings.FlagName(key), "--"))
	})
	return given
}

// mappable lists the operations that a profile may map to another method and path: the assumed ones, which a real
// service may have at another path.
func mappable() []cmdutil.Operation {
	var operations []cmdutil.Operation
	for _, op := range contract.Operations {
		if op.Origin == contract.Assumed && op.Access == contract.Bearer && !op.IsSandbox() {
			operations = append(operations, cmdutil.Operation{
				ID: op.ID, Method: op.Method, Path: op.Path, Summary: op.Summary,
			})
		}
	}
	return operations
}
