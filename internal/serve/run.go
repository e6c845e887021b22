package serve

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"slices"

	"github.com/go-json-experiment/json"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/client/redact"
	"github.com/payctl/payctl/internal/refserver"
	"github.com/payctl/payctl/internal/securefile"
	"github.com/payctl/payctl/internal/settings"
	"github.com/payctl/payctl/internal/shell"
	"github.com/payctl/payctl/internal/wait"
)

// run runs the reference service, and the command after -- if there is one, until either ends.
func run(ctx context.Context, d *cmdutil.Deps, o *options, newServer NewServer) error {
	o.warnOfPassword(d)
	listener, err := o.listen(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = listener.Close() }() // the service closes it too
	if err := removeReadyFile(o.readyFile, nil); err != nil {
		return err
	}
	o.Local = isLocal(listener.Addr())
	o.database.Waiting = func(err error) {
		d.Notef("Waiting up to 30 s until the database accepts connections: %v", err)
	}
	stop := o.hooks.begin(ctx, &o.Config)
	service, err := wait.For(ctx, func() (*refserver.Server, error) { return newServer(o.Config) })
	if err != nil {
		return err
	}
	if err = o.hooks.resume(ctx, service.Worlds); err == nil {
		err = o.answer(ctx, d, listener, service)
	}
	stop()
	return errors.Join(err, service.Close())
}

// warnOfPassword warns if the name of the database has a password and comes from the command line.
func (o *options) warnOfPassword(d *cmdutil.Deps) {
	variable := settings.Variable("serve", "database")
	if url := o.database.URL; url != d.Getenv(variable) && len(redact.DatabaseSecrets(url)) > 0 {
		d.Warnf("other users of this machine may see the password in --database, and it stays in your shell's history: "+
			"put the URL into %s, or the password into PGPASSWORD or the file of PGPASSFILE", variable)
	}
}

// answer lets the service answer until its end, then writes the report.
func (o *options) answer(
	ctx context.Context, d *cmdutil.Deps, listener net.Listener, service *refserver.Server,
) (err error) {
	at := ready{
		URL: serviceURL(listener, o.addr, o.security), PID: os.Getpid(), ClientID: o.first.id, ClientSecret: o.first.secret,
		database: service.Database,
	}
	at.page = service.HTTP.PageURL(at.URL, at.ClientID)
	o.warnOfNetwork(d, at.URL)
	if o.security != nil {
		if at.caCert, err = filepath.Abs(o.tlsCert); err != nil {
			return err
		}
	}
	if o.hooks != nil {
		at.WebhookSecret = o.hooks.receiver.Secret
	}
	running, stop := context.WithCancel(ctx)
	defer stop()
	stopped := make(chan error, 1)
	go func() { stopped <- service.Serve(running, listener, o.security) }()
	result := o.untilEnd(running, d, at, stopped)
	stop()
	if err := <-stopped; result == nil {
		result = err
	}
	return errors.Join(result, o.record.end())
}

// untilEnd announces that the service is ready and waits for its end, or runs the command and returns how that ended.
func (o *options) untilEnd(ctx context.Context, d *cmdutil.Deps, at ready, stopped chan error) error {
	shown := at
	// A secret from the environment must not appear in a log.
	if slices.Contains(ClientSecrets(d.Getenv), at.ClientSecret) {
		shown.ClientSecret, shown.page = "", ""
	}
	if o.webhookSecretFile != "" {
		shown.WebhookSecret = ""
	}
	// While this channel is registered, a second signal does not end the program. It must first remove the ready file and
	// the command's settings, and end the processes of the command.
	held := make(chan os.Signal, 1)
	signal.Notify(held, cmdutil.EndSignals()...)
	defer signal.Stop(held)
	line, err := json.Marshal(shown)
	if err != nil {
		return err
	}
	line = append(line, '\n')
	if o.readyFile != "" {
		if err := securefile.Write(o.readyFile, line); err != nil {
			return cmdutil.Unwritable("--ready-file", err)
		}
		defer func() { _ = removeReadyFile(o.readyFile, line) }() // its next reader must not look for this service
	}
	if len(o.command) > 0 {
		return o.runCommand(ctx, d, at)
	}
	if _, err := d.Out.Write(line); err != nil {
		return err
	}
	shown.note(d)
	select {
	case <-ctx.Done():
		o.hooks.drain(ctx)
		return nil // a signal is the usual end of a service
	case err := <-stopped:
		stopped <- nil
		return err
	}
}

// ready is the first line of `serve` and the content of --ready-file, in JSON.
type ready struct {
	URL          string `json:"url"`
	PID          int    `json:"pid"`
	ClientID     string `json:"clientId"`
	ClientSecret string `json:"clientSecret,omitzero"`
	// WebhookSecret is the secret of --webhook, unless it comes from a file.
	WebhookSecret string `json:"webhookSecret,omitzero"`

	page     string // the link to the page about the client, if it may be shown
	database string // describes the database, if there is one
	caCert   string // the certificate file that clients must trust; empty means plain HTTP
}

// note tells a person how to log in.
func (r ready) note(d *cmdutil.Deps) {
	kept, login := "", shell.Payctl("auth login --base-url", r.URL, "--client-id", r.ClientID)
	if r.caCert != "" {
		login.Command = append(login.Command, "--ca-cert", r.caCert)
	}
	if r.database != "" {
		kept = " with PostgreSQL at " + r.database
	}
	d.Notef("Serving at %s%s; Ctrl-C ends it. Log in with: %s", r.URL, kept, login)
	if r.page != "" {
		d.Notef("Look at it: %s", r.page)
	}
}

// removeReadyFile removes the ready file, which a killed service may have left. Programs that wait for the file must
// not read the old one. Own is the content of the file to remove. Nil means any.
func removeReadyFile(path string, own []byte) error {
	if info, err := os.Lstat(path); path == "" || err != nil || !info.Mode().IsRegular() {
		return nil //nolint:nilerr // there is none, or it is a pipe
	}
	if kept, err := os.ReadFile(path); own != nil && err == nil && !bytes.Equal(kept, own) {
		return nil // it is another service's
	}
	if err := securefile.RemoveFile(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return cmdutil.Unwritable("--ready-file", err)
	}
	return nil
}
