// Package client is the payments API as seen from a caller's side of the wire. It implements payments.Service and
// payments.Tokens over HTTP and owns what a caller of a payments API must not leave to a default: what is sent again and
// what is not, where credentials go, which redirects are followed, how large an answer may be and what a log may show.
package client

import (
	"context"
	"crypto/x509"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/wait"
)

// DefaultTimeout is the deadline over one call when Config.Timeout is zero.
const DefaultTimeout = 30 * time.Second

// Config says which service a Client speaks to, and how.
type Config struct {
	// BaseURL is where the service's paths begin; it may have a path prefix. Its origin (scheme, host and port) is the
	// only one that is ever spoken to.
	BaseURL *url.URL
	// Token gives the Bearer token of every call but those of payments.Tokens; nil: calls carry no Authorization.
	Token TokenSource
	// UserAgent is the User-Agent header; "payctl" when empty.
	UserAgent string
	// Timeout is the deadline over one call, its retries included. A read that asks the service to hold its answer has
	// that time on top. Zero means DefaultTimeout.
	Timeout time.Duration
	// StreamSilence is how long a stream of events may be silent before it counts as broken. Zero means
	// DefaultStreamSilence.
	StreamSilence time.Duration
	// Retries is how many further attempts follow the first, for what may be repeated.
	Retries int
	// KeysHonoured says that the service is trusted to honour the Idempotency-Key header: a write with a key whose
	// outcome is unknown may be sent again with the same key.
	KeysHonoured bool
	// KeysPresumed says that KeysHonoured is a presumption and nobody's word, or that the service is likely to be a
	// reference service: before a write is sent again, it is asked whether it is one that honours keys.
	KeysPresumed bool
	// Journal is where writes with a key are put down before they leave; nil: nowhere.
	Journal payments.Journal
	// Operations maps an operationId to the "METHOD /path" that the service has in place of the contract's, with as
	// many {parameters}.
	Operations map[string]string
	// KYCStatusPointer is a JSON Pointer (RFC 6901) to the status in the service's KYC answers; empty: as in the contract.
	KYCStatusPointer string
	// AllowInsecureHTTP permits plain http to a host other than this machine.
	AllowInsecureHTTP bool
	// RootCAs verifies the service's certificate; nil: the system's.
	RootCAs *x509.CertPool
	// CACert is the file that RootCAs was read from, for the command lines that Curl shows; empty: none.
	CACert string
	// Pace is called before each request is sent, also before a repeated one, and returns when it may be sent; nil: at once.
	// The time until the first may be sent is not part of the call's Timeout.
	Pace func(context.Context) error
	// Log is called with each line of what is sent and received, redacted; nil: there is no log. The lines of one
	// request or one answer come in one piece.
	Log func(line string)
	// Secrets are the credentials that the process knows; the client adds those that it sends and fetches. Nil: it keeps its
	// own.
	Secrets *Secrets
	// LogPersonal leaves personal data such as names and e-mail addresses in the log.
	LogPersonal bool
	// Curl, when it is not nil, takes the curl command line of each call, which is then not sent: the call's error is
	// ErrNotSent, or Curl's own. No credential is asked for.
	Curl func(line string) error

	// Sleep, Rand and Now stand in for a timer, a number in [0, 1) and the wall clock; nil: the real ones.
	Sleep func(context.Context, time.Duration) error
	Rand  func() float64
	Now   func() time.Time
}

// A Client speaks to one service. It is safe for use by many goroutines.
type Client struct {
	config    Config
	base      *url.URL
	origin    string
	routes    map[string]route
	transport *http.Transport
	log       *log
	world     atomic.Pointer[string]
	server    atomic.Pointer[string]
	sandbox   atomic.Bool // the service has one
	worldless atomic.Bool // a reference service has answered a credential without naming a world
}

var (
	_ payments.Service = (*Client)(nil)
	_ payments.Tokens  = (*Client)(nil)
)

// New makes a Client. Nothing is sent. The error is a *Failure of kind payments.KindInsecure when the base URL is plain http and
// leads off this machine, and of kind payments.KindInvalidSettings when the settings cannot work.
func New(config Config) (*Client, error) {
	if config.BaseURL == nil {
		return nil, invalidSettings("There is no base URL. Name the service with --base-url or a profile.")
	}
	base := *config.BaseURL
	base.Path, base.RawPath = strings.TrimRight(base.Path, "/"), strings.TrimRight(base.RawPath, "/")
	switch {
	case base.Scheme != "http" && base.Scheme != "https", base.Hostname() == "":
		return nil, invalidSettings("The base URL must begin with https:// (or http:// on this machine) and name a host.")
	case base.User != nil:
		return nil, invalidSettings("The base URL holds a user name or password; credentials come from the login.")
	case base.RawQuery != "", base.Fragment != "":
		return nil, invalidSettings("The base URL has a query or a fragment; leave off what follows ? or #.")
	case base.Scheme == "http" && !config.AllowInsecureHTTP && !isLoopback(&base):
		return nil, insecure(origin(&base))
	case !jsontext.Pointer(config.KYCStatusPointer).IsValid():
		return nil, invalidSettings("The KYC status pointer %q is no JSON Pointer; it looks like /data/status.", config.KYCStatusPointer)
	}
	routes, err := overrides(config.Operations)
	if err != nil {
		return nil, err
	}
	withDefaults(&config)
	return &Client{
		config: config, base: &base, origin: origin(&base), routes: routes,
		transport: newTransport(config.RootCAs, base.Scheme == "http" && !config.AllowInsecureHTTP),
		log:       newLog(config.Log, config.Now).withPersonal(config.LogPersonal),
	}, nil
}

func withDefaults(config *Config) {
	if config.Timeout <= 0 {
		config.Timeout = DefaultTimeout
	}
	if config.StreamSilence <= 0 {
		config.StreamSilence = DefaultStreamSilence
	}
	if config.UserAgent == "" {
		config.UserAgent = "payctl"
	}
	if config.Secrets == nil {
		config.Secrets = &Secrets{}
	}
	if config.Sleep == nil {
		config.Sleep = wait.Sleep
	}
	if config.Rand == nil {
		config.Rand = rand.Float64
	}
	if config.Now == nil {
		config.Now = time.Now
	}
}

// World is the instance id of the reference service's world that answered last (header Payctl-World); empty when none
// did, as with any other service.
func (c *Client) World() string { return last(&c.world) }

// Server is the Server header of the last answer that had one, such as "payctl/1.0.0".
func (c *Client) Server() string { return last(&c.server) }

// CloseIdleConnections closes the connections that are kept for further calls.
func (c *Client) CloseIdleConnections() { c.transport.CloseIdleConnections() }

func last(p *atomic.Pointer[string]) string {
	if s := p.Load(); s != nil {
		return *s
	}
	return ""
}

// see remembers a header of the latest answer. The same value is not stored again: many answers share one.
func see(p *atomic.Pointer[string], value string) {
	if value != "" && last(p) != value {
		p.Store(&value)
	}
}
