package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/auth"
	"github.com/payctl/payctl/internal/auth/keystore"
	"github.com/payctl/payctl/internal/cli"
	authcli "github.com/payctl/payctl/internal/cli/auth"
	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/client"
	"github.com/payctl/payctl/internal/client/redact"
	"github.com/payctl/payctl/internal/doctor"
	"github.com/payctl/payctl/internal/outbox"
	"github.com/payctl/payctl/internal/outbox/journal"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/serve"
	"github.com/payctl/payctl/internal/settings"
	"github.com/payctl/payctl/internal/ui"
)

// A program is what the dependencies of commands share. Anything that costs time is made at its first use.
type program struct {
	*cmdutil.Deps
	journals []*journal.Journal
	requests atomic.Int64            // in the log of -v
	showCall func(line string) error // prints a call in place of making it, for --curl

	stores func() ([]keystore.Store, error)
	login  func() (login, error)
	api    func() (connection, error)
}

// A login is a client without credentials for the settings' service, and the source of credentials that uses it.
type login struct {
	client *client.Client
	source *auth.Source
}

// A connection is a client for the settings' service, and the outbox of its writes.
type connection struct {
	client *client.Client
	outbox *outbox.Outbox
}

// wire makes the dependencies of commands: settings, from them the credential stores and a source of tokens, and from
// these the client with its journal. Args are the arguments of the program.
func wire(args []string, getenv func(string) string, streams *ui.Streams, now func() time.Time) *program {
	p := &program{}
	secrets := &redact.Secrets{}
	secrets.Add(slices.Concat(environmentSecrets(getenv), argumentSecrets(args))...)
	p.login = sync.OnceValues(func() (login, error) { return p.makeLogin(0) })
	p.api = sync.OnceValues(func() (connection, error) { return p.connect(cmdutil.Calls{}) })
	p.stores = sync.OnceValues(p.openStores)
	p.Deps = &cmdutil.Deps{
		Streams: streams,
		Args:    args,
		Getenv:  getenv,
		Now:     now,
		Options: &cmdutil.Options{},
		Secrets: secrets,
		Build:   build(),

		Config:   sync.OnceValues(func() (*settings.File, error) { return settings.Open(getenv) }),
		Settings: sync.OnceValues(p.resolve),
		Logins: func() (keystore.Store, error) {
			all, err := p.stores()
			if err != nil {
				return nil, err
			}
			return all[0], nil
		},
		Connect: func(calls cmdutil.Calls) (*outbox.Outbox, error) {
			c, err := p.connect(calls)
			return c.outbox, err
		},
		Payments: func() (payments.Service, error) {
			c, err := p.api()
			return c.outbox, err
		},
		Client: func() (*client.Client, error) {
			c, err := p.api()
			return c.client, err
		},
		NewClient: func(s settings.Settings) (*client.Client, error) { return p.newClient(s, nil, nil) },
	}
	return p
}

// end closes what was opened.
func (p *program) end() {
	for _, writes := range p.journals {
		closeJournal(p.Deps, writes)
	}
}

// commandLine makes the command line. The nouns in the map need more than all commands are given.
func (p *program) commandLine(newServer serve.NewServer) *cobra.Command {
	return cli.New(p.Deps, map[string]func() *cobra.Command{
		"auth": func() *cobra.Command {
			return authcli.New(p.Deps, authcli.Credentials{Stores: p.stores, Session: func() (*auth.Source, error) {
				l, err := p.login()
				return l.source, err
			}})
		},
		"doctor": func() *cobra.Command { return cli.NewDoctor(p.Deps, p.examine) },
		"serve":  func() *cobra.Command { return serve.New(p.Deps, newServer) },
	})
}

func (p *program) resolve() (settings.Settings, error) {
	file, err := p.Config()
	if err != nil {
		return settings.Settings{}, err
	}
	resolved, err := file.Resolve(settingsFlags(p.Options), p.Getenv)
	if err == nil && p.Options.Profile != "" && resolved.Overridden != "" {
		p.Notef("%s wins over profile %s: %s is called.", settings.EnvBaseURL, resolved.Profile, resolved.BaseURL)
	}
	return resolved, err
}

func (p *program) openStores() ([]keystore.Store, error) {
	resolved, err := p.Settings()
	if err != nil {
		return nil, err
	}
	dir, err := settings.StateDir(p.Getenv)
	if err != nil {
		return nil, err
	}
	return keystore.Open(resolved.CredentialStore, dir), nil
}

// makeLogin makes a login whose calls have a time limit. Zero means the limit of the settings.
func (p *program) makeLogin(timeout time.Duration) (made login, err error) {
	resolved, err := p.Settings()
	if err != nil {
		return made, err
	}
	resolved.Timeout = cmp.Or(timeout, resolved.Timeout)
	if made.client, err = p.newClient(resolved, nil, nil); err != nil {
		return made, err
	}
	made.source = &auth.Source{
		Settings: resolved, Logins: p.Logins, Tokens: made.client, Now: p.Now, Learn: p.Secrets.Add,
		Warn: func(err error) {
			text := fmt.Sprintf("The token was renewed and could not be stored, so only this command uses it: %v.", err)
			if store, ok := errors.AsType[*keystore.Error](err); ok {
				text += " Next time: " + p.NextStep(store.Next()) + "."
			}
			p.Warnf("%s", text)
		},
	}
	return made, nil
}

// examine runs the checks of doctor. They do not use the dependencies of commands, which fail at the first broken
// thing, and which unlock or create things.
func (p *program) examine(ctx context.Context, s doctor.Subject) []doctor.Finding {
	s.Getenv, s.Flags, s.Version, s.Now, s.Secrets = p.Getenv, settingsFlags(p.Options), p.Build.Version, p.Now, p.Secrets
	if p.Options.Verbose {
		s.Log = p.Log
	}
	return doctor.Examine(ctx, s)
}

// connect makes a client, and an outbox with a journal.
func (p *program) connect(calls cmdutil.Calls) (made connection, err error) {
	l, err := p.login()
	if err == nil && calls.Timeout > 0 { // for renewing the login, too
		l, err = p.makeLogin(calls.Timeout)
	}
	if err != nil {
		return made, err
	}
	credentials, resolved := l.source, l.source.Settings
	if made.client, err = p.newClient(resolved, credentials, calls.Pace); err != nil {
		return made, err
	}
	writes := newJournal(p.Deps, credentials)
	p.journals = append(p.journals, writes)
	made.outbox = outbox.New(made.client, writes, outbox.Options{
		Timeout: resolved.Timeout, Now: p.Now, ListLag: resolved.ListLag, References: resolved.References,
		DryRun: p.Options.Curl, Confirm: p.ConfirmPayment,
		Note: func(text string) { p.Notef("%s", text) },
	})
	return made, nil
}

// newClient makes a client for the settings' service. Without tokens it can only call the token operation. Pace delays
// each request; nil means that none is delayed.
func (p *program) newClient(
	resolved settings.Settings, tokens client.TokenSource, pace func(context.Context) error,
) (*client.Client, error) {
	c, err := client.ConfigFromSettings(resolved, p.Build.Version)
	if err != nil {
		return nil, err
	}
	c.Token, c.Pace, c.Secrets, c.Now = tokens, pace, p.Secrets, p.Now
	c.Dated, c.Traceparent = p.SetServiceTime, p.Getenv("TRACEPARENT")
	if p.Options.Curl {
		c.Curl = p.showCall
	}
	if p.Options.Verbose {
		c.Log = func(line string) { p.Log(ui.Sanitize(line)) }
		c.NextNumber = func() int64 { return p.requests.Add(1) }
	}
	return client.New(c)
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

// newJournal makes the journal in the state folder, for writes with these credentials. Without a state folder, reads
// work and writes fail.
func newJournal(d *cmdutil.Deps, credentials *auth.Source) *journal.Journal {
	dir, err := settings.StateDir(d.Getenv)
	resolved := credentials.Settings
	return &journal.Journal{
		Path: journal.Path(dir), Missing: err,
		Service: serviceName(resolved.BaseURL),
		Client:  credentials.ClientID, Now: d.Now, LockTimeout: resolved.Timeout,
		Limits: journal.Limits{Payment: resolved.LimitPayment, Day: resolved.LimitDay},
	}
}

// serviceName is the base URL of a service without the default port, so that all spellings have one name in the
// journal.
func serviceName(base *url.URL) string {
	usual := map[string]string{"http": ":80", "https": ":443"}[base.Scheme]
	return strings.TrimSuffix(settings.Origin(base), usual) + base.Path
}

// closeJournal closes the journal. A failure is a warning: it only leaves entries open whose outcome is known.
func closeJournal(d *cmdutil.Deps, writes *journal.Journal) {
	if err := writes.Close(); err != nil {
		why := strings.ReplaceAll(err.Error(), "\n", "; ") // joined errors are on lines of their own
		d.Warnf("%s. Nothing that was sent is lost: payctl transfer resolve finds its outcome.", why)
		for _, next := range nextForJournal(err) {
			d.Notef("  %s", next)
		}
	}
}

// completionTimeout bounds one call for a completion, while a person waits after Tab.
const completionTimeout = time.Second

// prepareCompletion gives the commands their completions, but only if a shell asks for some: other starts must not pay
// for that.
func (p *program) prepareCompletion(root *cobra.Command) {
	if len(p.Args) > 0 && strings.HasPrefix(p.Args[0], cobra.ShellCompRequestCmd) {
		cli.AttachCompletion(root, p.Deps, p.quickService)
		p.Err = io.Discard // pressing Tab must not print errors
		root.SetErr(io.Discard)
	}
}

// quickService returns a client that tries once, for a short time. It uses the credentials of the environment or of the
// credential file. It does not unlock a keyring.
func (p *program) quickService() (payments.Reads, bool) {
	resolved, err := p.Settings()
	if err != nil || !resolved.HasCredentials() && resolved.CredentialStore != settings.CredentialStoreFile {
		return nil, false
	}
	l, err := p.makeLogin(completionTimeout)
	if err != nil {
		return nil, false
	}
	resolved.Timeout, resolved.Retries = completionTimeout, 0
	service, err := p.newClient(resolved, l.source, nil)
	return service, err == nil
}
