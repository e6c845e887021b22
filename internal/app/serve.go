package app

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"unicode"
	"unicode/utf8"

	"github.com/payctl/payctl/internal/catalogue"
	"github.com/payctl/payctl/internal/cli/deps"
	"github.com/payctl/payctl/internal/reference"
	"github.com/payctl/payctl/internal/safefile"
	"github.com/payctl/payctl/internal/server"
	"github.com/payctl/payctl/internal/wait"
)

// The client that the first line of `serve` names.
const (
	sandboxClient = "sandbox"
	sandboxSecret = "sandbox-secret"
)

// ready is the first line of `serve`.
type ready struct {
	URL          string `json:"url"`
	PID          int    `json:"pid"`
	ClientID     string `json:"clientId"`
	ClientSecret string `json:"clientSecret,omitzero"`

	caCert     string // what a command beside the service is to trust; empty: plain HTTP
	selfSigned bool   // caCert is its own authority
}

// serve runs the reference service, and a command beside it where there is one, until either ends.
func serve(ctx context.Context, d *deps.Deps, c deps.ServeConfig) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	go collectSeldom(ctx, d.Getenv)
	keepMemory(false) // it holds no credentials of its user's, and who runs a service looks at what it is doing
	// What is named by a path may be a pipe that nobody writes to, or lie on a disk that hangs.
	named, err := wait.For(ctx, func() ([]string, error) { return readClients(c.ClientFile) })
	if err != nil {
		return err
	}
	c.Clients = append(c.Clients, named...)
	clients, first, err := parseClients(c.Clients)
	if err != nil {
		return err
	}
	if err := guard(c); err != nil {
		return err
	}
	hosts, err := hostNames(c.Hosts)
	if err != nil {
		return err
	}
	security, err := wait.For(ctx, func() (*tls.Config, error) { return loadTLS(c) })
	if err != nil {
		return err
	}
	config, err := sandboxConfig(c)
	if err != nil {
		return err
	}
	log, err := newLog(d, c.LogLevel)
	if err != nil {
		return err
	}
	limit, err := rateLimit(c.RateLimit)
	if err != nil {
		return err
	}
	audit, err := newAudit(c)
	if err != nil {
		return err
	}
	config.Version, config.Catalogue, config.Data, config.Log = d.Build.Version, c.Catalogue, c.Data, log
	config.Clients, config.FixedSecrets, config.MaxClients = clients, map[string]string{sandboxClient: sandboxSecret}, c.MaxClients
	config.TokenLifetime, config.RateLimit = c.TokenLifetime, limit
	config.Strict, config.Check, config.Audit = c.Strict, c.Check, audit.watching()
	config.Local, config.Hosts = isLocal(c.Addr), hosts
	service, err := wait.For(ctx, func() (*reference.Service, error) { return reference.New(config) })
	if broken, ok := errors.AsType[*catalogue.Error](err); ok {
		return &deps.UsageError{Reason: broken.Error(), Hint: "mend the file, or leave --catalogue out"}
	}
	if unusable, ok := errors.AsType[*reference.DataError](err); ok {
		return &deps.UsageError{Reason: unusable.Error(), Hint: "name another folder with --data, or leave it out to keep everything in memory"}
	}
	if err != nil {
		return err
	}
	return errors.Join(answer(ctx, d, c, service, offer{first, security, log, audit}), service.Close())
}

// offer is what a service is offered with.
type offer struct {
	client   namedClient
	security *tls.Config // nil: plain HTTP
	log      *slog.Logger
	audit    serveAudit
}

// answer lets the service answer until its end, and reports.
func answer(ctx context.Context, d *deps.Deps, c deps.ServeConfig, service *reference.Service, o offer) error {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", c.Addr)
	if err != nil {
		return whereNot(err, &deps.UsageError{
			Reason: "payctl serve cannot listen on " + c.Addr + ": " + reason(err),
			Hint:   "choose another --addr; port 0 picks a free one",
		})
	}
	if err := guardListener(c, listener.Addr()); err != nil {
		return errors.Join(err, listener.Close())
	}
	at := ready{URL: address(listener, c.Addr, o.security), PID: os.Getpid(), ClientID: o.client.id, ClientSecret: o.client.secret}
	if o.security == nil && !isLocal(listener.Addr().String()) {
		d.Warnf("secrets and tokens travel unencrypted to %s: give --tls-cert and --tls-key, or put TLS in front", at.URL)
	}
	if c.TLSCert != "" {
		if at.caCert, err = filepath.Abs(c.TLSCert); err != nil {
			return err
		}
		leaf := o.security.Certificates[0].Leaf
		at.selfSigned = bytes.Equal(leaf.RawIssuer, leaf.RawSubject)
	}
	running, stop := context.WithCancel(ctx)
	defer stop()
	stopped := make(chan error, 1)
	go func() { stopped <- service.Serve(running, listener, o.security, o.log) }()
	result := beside(running, d, c, at, stopped)
	stop()
	if err := <-stopped; result == nil {
		result = err
	}
	return errors.Join(result, o.audit.end(d.Out))
}

// beside prints that the service is ready and waits for its end, or runs the command and returns how that ended.
func beside(ctx context.Context, d *deps.Deps, c deps.ServeConfig, at ready, stopped chan error) error {
	shown := at
	if c.ClientFile != "" { // a secret that was kept in a file is not for a log
		shown.ClientSecret = ""
	}
	signals, release := holdSignals()
	defer release()
	if c.ReadyFile != "" {
		remove, err := shown.writeFile(c.ReadyFile)
		if err != nil {
			return whereNot(err, deps.Usage("--ready-file cannot be written: %v", err))
		}
		defer remove() // whoever reads it next must not find a service that is gone
	}
	if len(c.Command) > 0 {
		return runBeside(ctx, d, c.Command, at, signals)
	}
	if err := shown.print(d.Out); err != nil {
		return err
	}
	trust := ""
	if at.selfSigned { // where an authority signed it, only its user knows the authority's file
		trust = " --ca-cert " + safefile.Quote(at.caCert)
	}
	d.Notef("Serving at %s; Ctrl-C ends it. Log in with: payctl auth login --base-url %s --client-id %s%s", at.URL, at.URL, at.ClientID, trust)
	select {
	case <-ctx.Done():
		return nil // told to end, it ends well
	case err := <-stopped:
		stopped <- nil
		return err
	}
}

// namedClient is a client of --client.
type namedClient struct{ id, secret string }

// parseClients reads --client flags; the first named client is the one that the first line tells.
func parseClients(flags []string) (map[string]string, namedClient, error) {
	if len(flags) == 0 {
		return nil, namedClient{sandboxClient, sandboxSecret}, nil
	}
	clients := map[string]string{}
	var first namedClient
	for _, flag := range flags {
		id, secret, ok := strings.Cut(flag, ":")
		if !ok || id == "" || secret == "" {
			return nil, first, deps.Usage("--client must have the form ID:SECRET")
		}
		if strings.ContainsFunc(flag, unicode.IsControl) || !utf8.ValidString(flag) {
			return nil, first, deps.Usage("--client %q has characters that credentials cannot have", id)
		}
		if len(id) > server.MaxClientID {
			return nil, first, deps.Usage("--client %.20s… is longer than %d bytes, so that it could not log in", id, server.MaxClientID)
		}
		if known, named := clients[id]; named && known != secret {
			return nil, first, deps.Usage("--client names %s twice, with two secrets", id)
		}
		if first.id == "" {
			first = namedClient{id, secret}
		}
		clients[id] = secret
	}
	return clients, first, nil
}

func loadTLS(c deps.ServeConfig) (*tls.Config, error) {
	if c.TLSCert == "" {
		return nil, nil
	}
	certificate, err := keyPair(c.TLSCert, c.TLSKey)
	if err != nil {
		return nil, &deps.UsageError{
			Reason: fmt.Sprintf("the certificate %s and the key %s cannot be used: %v", c.TLSCert, c.TLSKey, err),
			Hint:   "give a certificate and its own key, both in PEM",
		}
	}
	return &tls.Config{MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{certificate}}, nil
}

// keyPair is tls.LoadX509KeyPair with a bound to what is read.
func keyPair(certificate, key string) (tls.Certificate, error) {
	const most = 1 << 20 // bytes
	public, err := readBounded(certificate, most)
	if err != nil {
		return tls.Certificate{}, err
	}
	private, err := readBounded(key, most)
	if err != nil {
		return tls.Certificate{}, err
	}
	return tls.X509KeyPair(public, private)
}

// readBounded reads a file of at most so many bytes; a device has no end.
func readBounded(path string, most int64) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, most+1))
	if err == nil && int64(len(text)) > most {
		err = fmt.Errorf("%s is longer than %d bytes", path, most)
	}
	return text, err
}

// address is where the service can be reached from this machine. Listening on every address, it has none to tell: then it
// is loopback's, of the kind that was asked for. With TLS it is the name that was asked for, which its certificate is for.
func address(listener net.Listener, asked string, security *tls.Config) string {
	at := listener.Addr().String()
	tcp, ok := listener.Addr().(*net.TCPAddr)
	host, _, err := net.SplitHostPort(asked)
	if !ok || err != nil {
		return scheme(security) + at
	}
	_, notIP := netip.ParseAddr(host)
	switch {
	case security != nil && host != "" && notIP != nil:
		at = net.JoinHostPort(host, strconv.Itoa(tcp.Port))
	case tcp.IP.IsUnspecified() && strings.Contains(host, ":"):
		at = net.JoinHostPort("::1", strconv.Itoa(tcp.Port))
	case tcp.IP.IsUnspecified():
		at = net.JoinHostPort("127.0.0.1", strconv.Itoa(tcp.Port))
	}
	return scheme(security) + at
}

func scheme(security *tls.Config) string {
	if security != nil {
		return "https://"
	}
	return "http://"
}

// whereNot blames what a file or an address was asked for with, unless no more files may be open: no other one mends that.
func whereNot(err, blame error) error {
	if errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE) {
		return &deps.UsageError{Reason: "payctl serve may not open as many files as it needs: " + reason(err), Hint: "allow more of them, such as with ulimit -n 1024"}
	}
	return blame
}

func reason(err error) string {
	if operation, ok := errors.AsType[*net.OpError](err); ok {
		return operation.Err.Error()
	}
	return err.Error()
}
