package doctor

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/payctl/payctl/internal/client"
	"github.com/payctl/payctl/internal/config"
	"github.com/payctl/payctl/internal/connect"
	"github.com/payctl/payctl/internal/credential"
	"github.com/payctl/payctl/internal/journal"
	"github.com/payctl/payctl/internal/session"
)

// An examination holds what several checks need, each found out once, by whichever asks first.
type examination struct {
	Subject
	file     func() (*config.File, error)
	settings func() (config.Settings, error)
	login    func() (credential.Login, error)
	plain    func() (*client.Client, error) // makes calls without a credential
	reach    func() (client.Reach, error)
}

// errUnknown says that what is looked for cannot be told, for a reason that another check reports.
var errUnknown = errors.New("not known")

func newExamination(ctx context.Context, subject Subject) *examination {
	e := &examination{Subject: subject}
	e.file = sync.OnceValues(func() (*config.File, error) {
		dir, err := config.Dir(e.Getenv)
		if err != nil {
			return nil, err
		}
		return config.Load(dir, client.CheckOperation)
	})
	e.settings = sync.OnceValues(e.resolve)
	e.login = sync.OnceValues(func() (credential.Login, error) {
		settings, err := e.settings()
		if err != nil {
			return credential.Login{}, errUnknown
		}
		return e.stored(ctx, settings, settings.CredentialStore)
	})
	e.plain = sync.OnceValues(e.connect)
	e.reach = sync.OnceValues(func() (client.Reach, error) {
		c, err := e.plain()
		if err != nil {
			return client.Reach{}, err
		}
		return c.Reach(ctx)
	})
	return e
}

// resolve settles the settings. With a configuration that cannot be read, flags and environment still name a service if they
// name its URL; the built-in profile is then nobody's choice.
func (e *examination) resolve() (config.Settings, error) {
	file, broken := e.file()
	if broken == nil {
		return file.Resolve(e.Flags, e.Getenv)
	}
	if e.Flags.BaseURL == nil && e.Getenv(config.EnvBaseURL) == "" {
		return config.Settings{}, errUnknown
	}
	empty, err := config.Empty()
	if err != nil {
		return config.Settings{}, err
	}
	return empty.Resolve(e.Flags, e.Getenv)
}

// stored looks for the login of the settings in a store, without having anybody unlock it.
func (e *examination) stored(ctx context.Context, settings config.Settings, kind string) (credential.Login, error) {
	dir, err := config.StateDir(e.Getenv)
	if err != nil {
		return credential.Login{}, err
	}
	store, err := credential.Open(kind, dir)
	if err != nil {
		return credential.Login{}, err
	}
	login, err := credential.Look(ctx, store, session.Key(settings))
	e.Secrets.Add(login.AccessToken, login.ClientSecret)
	return login, err
}

func (e *examination) connect() (*client.Client, error) {
	settings, err := e.settings()
	if err != nil {
		return nil, errUnknown
	}
	e.Secrets.Add(settings.Token, settings.ClientSecret)
	c, err := connect.Config(settings, e.Version)
	if err != nil {
		return nil, err
	}
	c.Timeout, c.Retries, c.Secrets, c.Log, c.Now = min(settings.Timeout, callTime), 0, e.Secrets, e.Log, e.Now
	return client.New(c)
}

// journalPath is where the journal is kept.
func (e *examination) journalPath() (string, error) {
	dir, err := config.StateDir(e.Getenv)
	if err != nil && e.Journal == "" {
		return "", err
	}
	return journal.Path(e.Journal, dir), nil
}

// moment is a time as it is told to people.
func moment(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05Z") }
