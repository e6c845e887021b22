package doctor

import (
	"context"
	"errors"
	"sync"

	"github.com/payctl/payctl/internal/auth"
	"github.com/payctl/payctl/internal/auth/keystore"
	"github.com/payctl/payctl/internal/client"
	"github.com/payctl/payctl/internal/refserver"
	"github.com/payctl/payctl/internal/settings"
)

// An examination has what several checks need. Each value is determined once, when a check first needs it.
type examination struct {
	Subject
	file     func() (*settings.File, error)
	settings func() (settings.Settings, error)
	login    func() (keystore.Login, error)
	client   func() (*client.Client, error) // makes calls without a credential
	probe    func() (client.Probe, error)
	inspect  func() (refserver.DatabaseReport, error)
}

// errUnknown is returned where a value is not known for a reason that another check reports.
var errUnknown = errors.New("not known")

func newExamination(ctx context.Context, subject Subject) *examination {
	e := &examination{Subject: subject}
	e.file = sync.OnceValues(func() (*settings.File, error) { return settings.Open(e.Getenv) })
	e.settings = sync.OnceValues(e.resolve)
	e.login = sync.OnceValues(func() (keystore.Login, error) {
		resolved, err := e.settings()
		if err != nil {
			return keystore.Login{}, errUnknown
		}
		return e.storedLogin(ctx, resolved, resolved.CredentialStore)
	})
	e.client = sync.OnceValues(e.connect)
	e.inspect = sync.OnceValues(func() (refserver.DatabaseReport, error) {
		ctx, cancel := context.WithTimeout(ctx, databaseTimeout)
		defer cancel()
		return refserver.InspectDatabase(ctx, e.Database)
	})
	e.probe = sync.OnceValues(func() (client.Probe, error) {
		c, err := e.client()
		if err != nil {
			return client.Probe{}, err
		}
		return c.Probe(ctx)
	})
	return e
}

// resolve determines the settings. If the configuration cannot be read, flags and environment still name a service if
// they give its URL; otherwise the built-in profile would be used, which the user did not choose.
func (e *examination) resolve() (settings.Settings, error) {
	file, broken := e.file()
	if broken == nil {
		return file.Resolve(e.Flags, e.Getenv)
	}
	if e.Flags[settings.KeyBaseURL] == "" && e.Getenv(settings.EnvBaseURL) == "" {
		return settings.Settings{}, errUnknown
	}
	return settings.Empty().Resolve(e.Flags, e.Getenv)
}

// storedLogin reads the login of the settings from a store.
func (e *examination) storedLogin(
	ctx context.Context, resolved settings.Settings, kind string,
) (keystore.Login, error) {
	dir, err := settings.StateDir(e.Getenv)
	if err != nil {
		return keystore.Login{}, err
	}
	login, err := keystore.Open(kind, dir)[0].Get(ctx, auth.Key(resolved))
	e.Secrets.Add(login.AccessToken, login.ClientSecret)
	return login, err
}

func (e *examination) connect() (*client.Client, error) {
	resolved, err := e.settings()
	if err != nil {
		return nil, errUnknown
	}
	e.Secrets.Add(resolved.Token, resolved.ClientSecret)
	c, err := client.ConfigFromSettings(resolved, e.Version)
	if err != nil {
		return nil, err
	}
	c.Timeout, c.Retries, c.Secrets, c.Log, c.Now = min(resolved.Timeout, callTimeout), 0, e.Secrets, e.Log, e.Now
	return client.New(c)
}
