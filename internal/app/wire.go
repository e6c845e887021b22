package app

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/payctl/payctl/internal/cli/deps"
	"github.com/payctl/payctl/internal/client"
	"github.com/payctl/payctl/internal/config"
	"github.com/payctl/payctl/internal/connect"
	"github.com/payctl/payctl/internal/credential"
	"github.com/payctl/payctl/internal/doctor"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/session"
	"github.com/payctl/payctl/internal/term"
)

// wire builds what commands are made with. Everything that costs is made when first asked for.
func wire(getenv func(string) string, streams *term.Streams) *deps.Deps {
	secrets := &client.Secrets{} // that come by
	secrets.Add(environmentSecrets(getenv)...)
	d := &deps.Deps{
		Streams:   streams,
		Getenv:    getenv,
		Now:       time.Now,
		Options:   &deps.Options{},
		ExitCodes: exitCodes,
		Mappable:  mappable(),
		Enum:      enumOf,
		Redact:    secrets.Redact,
		Build:     build(),
	}
	d.Config = sync.OnceValues(func() (*config.File, error) {
		dir, err := config.Dir(getenv)
		if err != nil {
			return nil, err
		}
		return config.Load(dir, client.CheckOperation)
	})
	d.Settings = sync.OnceValues(func() (config.Settings, error) {
		file, err := d.Config()
		if err != nil {
			return config.Settings{}, err
		}
		return file.Resolve(flags(d.Options), getenv)
	})
	d.Stores = sync.OnceValues(func() ([]credential.Store, error) { return stores(d) })
	d.Logins = func() (credential.Store, error) {
		all, err := d.Stores()
		if err != nil {
			return nil, err
		}
		return all[0], nil
	}
	tokens := sync.OnceValues(func() (*client.Client, error) { return newClient(d, secrets, nil, nil) })
	source := sync.OnceValues(func() (*session.Source, error) {
		settings, err := d.Settings()
		if err != nil {
			return nil, err
		}
		c, err := tokens()
		if err != nil {
			return nil, err
		}
		return &session.Source{Settings: settings, Logins: d.Logins, Tokens: c, Now: d.Now, Learn: secrets.Add, Warn: func(err error) { warnUnkept(d, err) }}, nil
	})
	d.Tokens = func() (payments.Tokens, error) { return tokens() }
	d.Session = func() (deps.Session, error) { return source() }
	d.Payments = sync.OnceValues(func() (payments.Service, error) {
		credentials, err := source()
		if err != nil {
			return nil, err
		}
		writes, err := d.Journal()
		if err != nil {
			return nil, err
		}
		return newClient(d, secrets, credentials, writes)
	})
	d.Journal = sync.OnceValues(func() (deps.Journal, error) {
		writes, err := newJournal(d, source)
		if err == nil {
			d.AtEnd(func() { closeJournal(d, writes) })
		}
		return writes, err
	})
	d.Sandbox = func() (payments.Sandbox, error) {
		service, err := d.Payments()
		if err != nil {
			return nil, err
		}
		return service.(*client.Client), nil
	}
	d.Call = func(ctx context.Context, call deps.Call) (*deps.Answer, error) { return makeCall(ctx, d, call) }
	d.Obtain = func(ctx context.Context, tokens payments.Tokens, clientID, clientSecret string) (credential.Login, error) {
		settings, err := d.Settings()
		if err != nil {
			return credential.Login{}, err
		}
		return session.Obtain(ctx, tokens, settings.Origin, clientID, clientSecret, d.Now())
	}
	d.Examine = func(ctx context.Context, offline bool) doctor.Report { return examine(ctx, d, secrets, offline) }
	d.Serve = func(ctx context.Context, c deps.ServeConfig) error { return serve(ctx, d, c) }
	return d
}

// stores opens the credential stores, the one that the settings name first.
func stores(d *deps.Deps) ([]credential.Store, error) {
	settings, err := d.Settings()
	if err != nil {
		return nil, err
	}
	dir, err := config.StateDir(d.Getenv)
	if err != nil {
		return nil, err
	}
	kinds := slices.DeleteFunc(credential.Kinds(), func(kind string) bool { return kind == settings.CredentialStore })
	var all []credential.Store
	for _, kind := range append([]string{settings.CredentialStore}, kinds...) {
		store, err := credential.Open(kind, dir)
		if err != nil {
			return nil, err
		}
		all = append(all, store)
	}
	return all, nil
}

// warnUnkept tells that a renewed token could not be stored.
func warnUnkept(d *deps.Deps, err error) {
	text := fmt.Sprintf("The token was renewed and could not be stored, so it is used by this command alone: %v.", err)
	if store, ok := errors.AsType[*credential.Error](err); ok {
		text += " Next time: " + store.Next() + "."
	}
	d.Warnf("%s", text)
}

// newClient makes a client for the settings' service; without a token source it can only call the token operation, without a journal it
// puts no write down.
func newClient(d *deps.Deps, secrets *client.Secrets, tokens client.TokenSource, writes payments.Journal) (*client.Client, error) {
	settings, err := d.Settings()
	if err != nil {
		return nil, err
	}
	c, err := connect.Config(settings, d.Build.Version)
	if err != nil {
		return nil, err
	}
	c.Token, c.Journal, c.Pace, c.Secrets, c.Now = tokens, writes, d.Pace, secrets, d.Now
	if d.Options.Curl {
		c.Curl = d.ShowCall
	}
	if d.Options.Verbose {
		c.LogPersonal = d.ShowPersonal != nil && d.ShowPersonal()
		c.Log = func(line string) { _, _ = d.Err.Write([]byte(term.Sanitize(line) + "\n")) }
	}
	return client.New(c)
}

// flags are the global flags that were given.
func flags(o *deps.Options) config.Flags {
	return config.Flags{
		Profile:           given(o, "profile", &o.Profile),
		BaseURL:           given(o, "base-url", &o.BaseURL),
		CACert:            given(o, "ca-cert", &o.CACert),
		Output:            given(o, "output", &o.Output),
		CredentialStore:   given(o, "credential-store", &o.CredentialStore),
		Timeout:           given(o, "timeout", &o.Timeout),
		Retries:           given(o, "retries", &o.Retries),
		AllowInsecureHTTP: given(o, "allow-insecure-http", &o.AllowInsecureHTTP),
	}
}

func given[T any](o *deps.Options, flag string, value *T) *T {
	if o.Given(flag) {
		return value
	}
	return nil
}
