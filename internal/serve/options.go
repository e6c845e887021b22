package serve

import (
	"cmp"
	"context"
	"crypto/tls"
	"log/slog"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/spf13/pflag"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/refserver"
	"github.com/payctl/payctl/internal/sandbox"
	"github.com/payctl/payctl/internal/securefile"
	"github.com/payctl/payctl/internal/server"
	"github.com/payctl/payctl/internal/settings"
	"github.com/payctl/payctl/internal/shell"
	"github.com/payctl/payctl/internal/ui"
)

// options are the flags of serve. Simple ones are fields of the service's configuration.
type options struct {
	refserver.Config
	addr           string
	clients        []string // ID:SECRET
	anyClient      bool     // any client may log in from other machines; never with clients
	database       refserver.Database
	printCatalogue bool
	readyFile      string
	tlsCert        string
	tlsKey         string
	webhook        string   // URL
	reports        []string // files; - is standard output
	required       []string // operations that must be called

	// complete reads these into the configuration.
	seed             uint64
	uniqueReferences bool
	clock            string
	faults           []string

	webhookSecretFile string
	hooks             *webhooks // nil without --webhook

	as       string         // the profile of the imitated service, if any
	profiles *settings.File // has the profile

	command  []string    // runs beside the service
	first    namedClient // the client in the ready line
	security *tls.Config // nil means plain HTTP
	record   record
}

// complete checks the flags, reads the files that they name, and fills in the configuration.
func (o *options) complete(ctx context.Context, d *cmdutil.Deps, f *pflag.FlagSet, args []string) (err error) {
	o.anyClient = o.anyClient && len(o.clients) == 0 // it is the default of a container image
	if o.Clients, o.first, err = parseClients(o.clients); err != nil {
		return err
	}
	o.FixedSecrets = map[string]string{sandboxClient: sandboxSecret}
	if o.command = args; len(args) > 0 && !f.Changed("addr") {
		o.addr = "127.0.0.1:0"
	}
	if err := cmp.Or(o.checkStorage(), o.checkTimes(), o.readBehaviour(f)); err != nil {
		return err
	}
	if (o.tlsCert == "") != (o.tlsKey == "") {
		return cmdutil.Usage("--tls-cert and --tls-key go together: one of them is missing")
	}
	if o.security, err = o.loadTLS(); err != nil {
		return err
	}
	o.Log = newLog(d)
	if err := o.readProfile(d); err != nil {
		return err
	}
	if o.hooks, err = o.newWebhooks(ctx, d); err != nil {
		return err
	}
	if o.record, err = o.newRecord(d); err != nil {
		return err
	}
	o.Version = d.Build.Version
	return nil
}

// readProfile reads the profile of --as. It tells what cannot be imitated.
func (o *options) readProfile(d *cmdutil.Deps) error {
	if o.as == "" {
		if d.Options.Profile != "" {
			d.Notef("serve does not use profile %s. --as %[1]s imitates its service.", d.Options.Profile)
		}
		return nil
	}
	file, err := d.Config()
	if err == nil {
		o.profiles = file
		o.As, err = file.ServiceMap(o.as)
	}
	if err != nil {
		return err
	}
	for _, text := range o.As.StandIn() {
		d.Notef("Not imitated: %s", text)
	}
	return nil
}

// readBehaviour reads the flags for the behaviour of the service.
func (o *options) readBehaviour(f *pflag.FlagSet) (err error) {
	if o.Clock, err = sandbox.ParseClockSetting(o.clock); err != nil {
		return cmdutil.Usage("--clock %v", err)
	}
	if f.Changed("seed") {
		o.Seed = &o.seed
		if o.Clock.Mode == payments.ClockModeManual {
			o.Clock.Start = sandbox.SeededStart
		}
	}
	for _, rule := range o.faults {
		fault, err := payments.ParseFaultRule(rule)
		if err != nil {
			return cmdutil.Usage("--fault: %v", err)
		}
		if err := server.CheckFaultOperation(fault); err != nil {
			return cmdutil.Usage("--fault: the rule %q is wrong: it %v", rule, err)
		}
		o.Faults = append(o.Faults, fault)
	}
	// Zero would mean the service's default.
	o.KYCDelay, o.SettleDelay = max(o.KYCDelay, time.Nanosecond), max(o.SettleDelay, time.Nanosecond)
	o.DuplicateReferences = !o.uniqueReferences || o.IgnoreIdempotencyKeys && !f.Changed("unique-references")
	if o.database.URL != "" {
		o.Database = &o.database
	}
	return nil
}

// checkStorage checks --data and --database.
func (o *options) checkStorage() error {
	switch {
	case o.Data != "" && o.database.URL != "":
		return cmdutil.Usage("--data and --database exclude each other")
	case strings.HasPrefix(o.Data, "postgres") && strings.Contains(o.Data, "://"):
		// Its password must not become the name of a folder.
		return cmdutil.Usage("--data names a folder, not a database").WithHint(shell.Payctl("serve --database URL"))
	}
	return nil
}

// maxTime is the longest time that a flag accepts, a year. RFC 3339 can express a year after the time where clocks
// stop.
const maxTime = 8760 * time.Hour

func (o *options) checkTimes() error {
	for name, given := range map[string]time.Duration{
		"kyc-delay": o.KYCDelay, "settle-delay": o.SettleDelay, "token-ttl": o.TokenLifetime - time.Second,
	} {
		if given < 0 || given > maxTime {
			return cmdutil.Usage("--%s must be from 0s to 8760h, and a token lives for 1s at least", name)
		}
	}
	return nil
}

// The client in the ready line without --client.
const (
	sandboxClient = "sandbox"
	sandboxSecret = "sandbox-secret"
)

// namedClient is a client of --client.
type namedClient struct{ id, secret string }

// parseClients parses entries of the form ID:SECRET. first is the client for the ready line. Without entries it is the
// sandbox client, and the map is nil, which means that any client may log in.
func parseClients(entries []string) (clients map[string]string, first namedClient, err error) {
	if len(entries) == 0 {
		return nil, namedClient{sandboxClient, sandboxSecret}, nil
	}
	clients = map[string]string{}
	for _, entry := range entries {
		id, secret, _ := strings.Cut(entry, ":")
		known, named := clients[id]
		switch {
		case id == "" || secret == "" || len(id) > server.MaxClientID ||
			strings.ContainsFunc(entry, unicode.IsControl) || !utf8.ValidString(entry):
			return nil, first, cmdutil.Usage("--client must have the form ID:SECRET, of at most %d bytes before the colon "+
				"and without control characters", server.MaxClientID)
		case named && known != secret:
			return nil, first, cmdutil.Usage("--client names %s twice, with two secrets", id)
		case first.id == "":
			first = namedClient{id, secret}
		}
		clients[id] = secret
	}
	return clients, first, nil
}

// ClientSecrets are the secrets in the variable of serve's flag --client, which has one ID:SECRET per line.
func ClientSecrets(getenv func(string) string) (secrets []string) {
	for line := range strings.Lines(getenv(settings.Variable("serve", "client"))) {
		if _, secret, ok := strings.Cut(strings.TrimRight(line, "\r\n"), ":"); ok {
			secrets = append(secrets, secret)
		}
	}
	return secrets
}

// newLog makes the service's log on standard error: text at a terminal, JSON otherwise. Failures inside the service
// are errors; each request is a message of level debug, which -v turns on.
func newLog(d *cmdutil.Deps) *slog.Logger {
	options := &slog.HandlerOptions{Level: slog.LevelInfo, ReplaceAttr: sanitized}
	if d.Options.Verbose {
		options.Level = slog.LevelDebug
	}
	if d.ErrTTY {
		return slog.New(slog.NewTextHandler(d.Err, options))
	}
	return slog.New(slog.NewJSONHandler(d.Err, options))
}

// sanitized removes characters that control a terminal from an attribute, which may be a client's text. The JSON of
// log/slog keeps C1 and bidirectional controls.
func sanitized(_ []string, attribute slog.Attr) slog.Attr {
	switch attribute.Value.Kind() {
	case slog.KindString:
		attribute.Value = slog.StringValue(ui.Sanitize(attribute.Value.String()))
	case slog.KindAny:
		if err, ok := attribute.Value.Any().(error); ok {
			attribute.Value = slog.StringValue(ui.Sanitize(err.Error()))
		}
	}
	return attribute
}

// loadTLS reads the certificate of --tls-cert and its key. It returns nil without --tls-cert.
func (o *options) loadTLS() (*tls.Config, error) {
	if o.tlsCert == "" {
		return nil, nil
	}
	if err := securefile.CheckSecret(o.tlsKey); err != nil {
		return nil, cmdutil.Usage("--tls-key cannot be used: %v", err)
	}
	certificate, err := tls.LoadX509KeyPair(o.tlsCert, o.tlsKey)
	if err != nil {
		return nil, cmdutil.Usage("the certificate %s and the key %s cannot be used: %v", o.tlsCert, o.tlsKey, err).
			WithNote("give a certificate and its own key, both in PEM")
	}
	return &tls.Config{MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{certificate}}, nil
}
