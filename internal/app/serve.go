package app

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"log/slog"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"slices"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/refserver"
	"github.com/payctl/payctl/internal/routes"
	"github.com/payctl/payctl/internal/securefile"
	"github.com/payctl/payctl/internal/server"
	"github.com/payctl/payctl/internal/shell"
	"github.com/payctl/payctl/internal/wait"
)

// NewServer makes the reference service, as refserver.New does.
type NewServer func(refserver.Config) (*refserver.Server, error)

// serve runs the reference service, and the command after -- if there is one, until either ends.
func serve(ctx context.Context, d *cmdutil.Deps, c cmdutil.ServeConfig, newServer NewServer) error {
	if err := removeReadyFile(c.ReadyFile); err != nil {
		return err
	}
	tuneGarbageCollection(d.Getenv)
	protectMemory(false) // the service holds no credentials of the user, who may want to attach a debugger
	service, o, err := newService(ctx, d, c, newServer)
	if err != nil {
		return err
	}
	return errors.Join(answer(ctx, d, c, service, o), service.Close())
}

// serveOptions is how a service is run.
type serveOptions struct {
	client   namedClient // that the ready line names
	security *tls.Config // nil: plain HTTP
	log      *slog.Logger
	record   serveRecord
}

// newService makes the service and the options to run it with. Files are read with wait.For: a path may name a pipe
// without a writer, or lie on a disk that hangs.
func newService(
	ctx context.Context, d *cmdutil.Deps, c cmdutil.ServeConfig, newServer NewServer,
) (*refserver.Server, serveOptions, error) {
	var o serveOptions
	clients, first, err := parseClients(c.Clients)
	if err != nil {
		return nil, o, err
	}
	o.client = first
	if err := checkAddress(c); err != nil {
		return nil, o, err
	}
	if o.security, err = wait.For(ctx, func() (*tls.Config, error) { return loadTLS(c) }); err != nil {
		return nil, o, err
	}
	warnOfOpenFiles(d, c)
	config, err := sandboxConfig(c)
	if err != nil {
		return nil, o, err
	}
	o.log = newLog(d)
	if c.RateLimit != "" {
		limit, err := server.ParseRateLimit(c.RateLimit)
		if err != nil {
			return nil, o, cmdutil.Usage("--rate-limit %v", err)
		}
		config.RateLimit = &limit
	}
	if o.record, err = newRecord(c); err != nil {
		return nil, o, err
	}
	config.Version, config.Catalogue, config.Data, config.Log = d.Build.Version, c.Catalogue, c.Data, o.log
	config.Database = databaseConfig(d, c.Database)
	warnOfPassword(d, c.Database.URL)
	config.Clients = clients
	config.FixedSecrets = map[string]string{sandboxClient: sandboxSecret}
	config.TokenLifetime = c.TokenLifetime
	config.Strict, config.Check, config.OnResponse = c.Strict, c.Check, o.record.onResponse()
	config.Local, config.Hosts = isLocal(c.Addr), c.Hosts
	config.Metrics = c.Metrics
	service, err := wait.For(ctx, func() (*refserver.Server, error) { return newServer(config) })
	if broken, ok := errors.AsType[*routes.Error](err); ok {
		err = cmdutil.Usage("%v", broken).WithHint("correct the file, or leave --catalogue out")
	}
	if unusable, ok := errors.AsType[*refserver.DataError](err); ok {
		err = unusableData(unusable, "name another folder with --data, or leave it out to keep everything in memory")
	}
	if unusable, ok := errors.AsType[*refserver.DatabaseError](err); ok {
		err = unusableDatabase(unusable)
	}
	return service, o, err
}

// warnOfOpenFiles warns if other users could read the key of the service, or change it or the list of clients. It does
// not refuse them: secrets managers mount files with modes and owners of their own.
func warnOfOpenFiles(d *cmdutil.Deps, c cmdutil.ServeConfig) {
	const othersReadOrWrite, itsChange = 0o026, "g-w,o-rw"
	key := securefile.CheckMode(c.TLSKey, othersReadOrWrite, itsChange)
	clients := securefile.CheckMode(c.ClientFile, securefile.GroupAndOthersWrite, "go-w")
	if open, ok := errors.AsType[*securefile.Error](key); ok {
		d.Warnf("other users can use the key of the service: %s; %s", open.Reason, open.Next)
	}
	if open, ok := errors.AsType[*securefile.Error](clients); ok {
		d.Warnf("other users can decide who may use the service: %s; %s", open.Reason, open.Next)
	}
}

// unusableData explains why a folder of --data cannot be used.
func unusableData(err *refserver.DataError, hint string) error {
	if unsafe, ok := errors.AsType[*securefile.Error](err); ok {
		hint = unsafe.Next
	}
	return cmdutil.Usage("%v", err).WithHint(hint)
}

// answer listens and lets the service answer until its end, then writes the report.
func answer(
	ctx context.Context, d *cmdutil.Deps, c cmdutil.ServeConfig, service *refserver.Server, o serveOptions,
) error {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", c.Addr)
	if err != nil {
		return orFileLimit(err, cmdutil.Usage("the service cannot listen on %s: %s", c.Addr, reason(err)).
			WithHint("choose another --addr; port 0 picks a free one"))
	}
	if err := checkListener(c, listener.Addr()); err != nil {
		return errors.Join(err, listener.Close())
	}
	url := serviceURL(listener, c.Addr, o.security)
	at := ready{URL: url, PID: os.Getpid(), ClientID: o.client.id, ClientSecret: o.client.secret}
	warnOfNetwork(d, c, listener.Addr(), url)
	if c.TLSCert != "" {
		if at.caCert, err = filepath.Abs(c.TLSCert); err != nil {
			return err
		}
		leaf := o.security.Certificates[0].Leaf
		at.selfSigned = bytes.Equal(leaf.RawIssuer, leaf.RawSubject)
	}
	if c.Metrics {
		at.MetricsURL = url + server.MetricsPath
	}
	at.database = service.Database
	running, stop := context.WithCancel(ctx)
	defer stop()
	stopped := make(chan error, 1)
	go func() { stopped <- service.Serve(running, listener, o.security) }()
	result := untilEnd(running, d, c, at, stopped)
	stop()
	if err := <-stopped; result == nil {
		result = err
	}
	return errors.Join(result, o.record.end(d.Out))
}

// untilEnd announces that the service is ready and waits for its end, or runs the command and returns how that ended.
func untilEnd(ctx context.Context, d *cmdutil.Deps, c cmdutil.ServeConfig, at ready, stopped chan error) error {
	shown := at
	// A secret of a file or of the environment must not appear in a log.
	if c.ClientFile != "" || slices.Contains(serveSecrets(d.Getenv), at.ClientSecret) {
		shown.ClientSecret = ""
	}
	// While this channel is registered, a second signal does not end the program. First the ready file, the command's
	// settings and what the command has started must be gone.
	held := make(chan os.Signal, 1)
	signal.Notify(held, handledSignals()...)
	defer signal.Stop(held)
	if c.ReadyFile != "" {
		remove, err := shown.writeFile(c.ReadyFile)
		if err != nil {
			return orFileLimit(err, cmdutil.Unwritable("--ready-file", c.ReadyFile, err))
		}
		defer remove() // its next reader must not find a service that is gone
	}
	if len(c.Command) > 0 {
		return runCommand(ctx, d, c.Command, at)
	}
	line, err := shown.line()
	if err != nil {
		return err
	}
	if _, err := d.Out.Write(line); err != nil {
		return err
	}
	trust := ""
	if at.selfSigned { // only the user knows the file of any other authority
		trust = shell.Hint(" --ca-cert FILE", shell.Values{"FILE": at.caCert})
	}
	kept := ""
	if at.database != "" {
		kept = " with PostgreSQL at " + at.database
	}
	d.Notef("Serving at %s%s; Ctrl-C ends it. Log in with: %s%s", at.URL, kept,
		shell.Hint("payctl auth login --base-url URL --client-id CLIENT",
			shell.Values{"URL": at.URL, "CLIENT": at.ClientID}), trust)
	select {
	case <-ctx.Done():
		return nil // a signal is the usual end of a service
	case err := <-stopped:
		stopped <- nil
		return err
	}
}
