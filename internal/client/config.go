package client

import (
	"cmp"
	"context"
	"crypto/x509"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/payctl/payctl/internal/client/redact"
	"github.com/payctl/payctl/internal/contract/servicemap"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/settings"
	"github.com/payctl/payctl/internal/wait"
)

// DefaultTimeout is the deadline of one call if Config.Timeout is zero.
const DefaultTimeout = 30 * time.Second

// Config describes a service and how a Client calls it.
type Config struct {
	// BaseURL is where the service's paths begin, as settings.ParseBaseURL accepts it. Nothing is ever sent to another
	// origin (scheme, host and port).
	BaseURL           *url.URL
	AllowInsecureHTTP bool           // plain http is permitted also to a host other than this machine
	RootCAs           *x509.CertPool // verifies the service's certificate; nil means the system's authorities
	CACert            string         // the file of RootCAs, for the command lines of Curl; empty if there is none
	// ServiceMap says how the service differs from the contract.
	ServiceMap *servicemap.Map // nil means not at all

	// Token supplies the Bearer token of every call except those of payments.Tokens; nil means no Authorization header.
	Token     TokenSource
	UserAgent string // the User-Agent header; "payctl" if empty
	// Traceparent is the trace that every request belongs to (W3C Trace Context), as the caller received it. It is sent
	// if it is valid and of version 00, the only one whose form is known.
	Traceparent string
	// Timeout is the deadline of one call, with its retries. A read that asks the service to hold its response has that
	// time in addition. Zero means DefaultTimeout.
	Timeout time.Duration
	// StreamSilence is how long a stream of events may be silent before it counts as broken. Zero means
	// DefaultStreamSilence.
	StreamSilence time.Duration
	Retries       int // how many attempts may follow the first one, if the call may be repeated
	// KeysHonoured means that the settings name the service as one that honours the Idempotency-Key header.
	KeysHonoured bool
	// KeysPresumed means that the user has not confirmed KeysHonoured, or that the service is probably a reference
	// service: before a write is sent again, the client asks the service whether it is one that honours keys.
	KeysPresumed bool
	// Pace is called before each request, also a repeated one, and returns when it may be sent; nil means at once. The
	// wait before the first request of a call is not part of its Timeout.
	Pace func(context.Context) error
	// Dated is called with the Date of each successful response to a call with a token: it is by the clock of the token's
	// data. Nil means no call.
	Dated func(time.Time)

	// Log is called with each line of what is sent and received, redacted; nil means no log. The lines of a request,
	// and of a response, are not interrupted by others.
	Log func(line string)
	// NextNumber is the number of the next request in the log, which several clients may share; nil counts those of this
	// client.
	NextNumber func() int64
	// Secrets are the credentials that the process knows; the client adds those that it sends and fetches. Nil means a
	// set of its own.
	Secrets *redact.Secrets
	// Curl, if it is not nil, receives the curl command line of each call in place of the service. The call's error is
	// then ErrNotSent, or Curl's own. The token source is not asked.
	Curl func(line string) error

	// Transport replaces the network in tests; nil means TCP.
	Transport http.RoundTripper
	// Sleep, Rand and Now replace a timer, a random number in [0, 1) and the wall clock; nil means the real ones.
	Sleep func(context.Context, time.Duration) error
	Rand  func() float64
	Now   func() time.Time
}

// ConfigFromSettings returns the configuration of a client of the service that the settings name. It has no
// credentials, no journal and no log; the caller adds them. The error is a *payments.ProblemError of kind
// payments.KindInvalidSettings if the certificate authorities that the settings name cannot be read.
func ConfigFromSettings(resolved settings.Settings, version string) (Config, error) {
	config := Config{
		BaseURL:           resolved.BaseURL,
		UserAgent:         "payctl/" + version,
		CACert:            resolved.CACert,
		Timeout:           resolved.Timeout,
		Retries:           resolved.Retries,
		KeysHonoured:      resolved.IdempotencyKeys == settings.IdempotencyKeysHonoured,
		KeysPresumed:      resolved.Sources[settings.KeyIdempotencyKeys].IsBuiltIn() || settings.IsLoopback(resolved.BaseURL),
		ServiceMap:        resolved.ServiceMap,
		AllowInsecureHTTP: resolved.AllowInsecureHTTP,
	}
	if resolved.CACert == "" {
		return config, nil
	}
	// As with curl: a user who names the authority of a service trusts no other one to certify it.
	roots, err := Roots(x509.NewCertPool(), resolved.CACert)
	config.RootCAs = roots
	return config, err
}

func (c *Config) setDefaults() {
	c.Timeout = cmp.Or(max(c.Timeout, 0), DefaultTimeout)
	c.StreamSilence = cmp.Or(max(c.StreamSilence, 0), DefaultStreamSilence)
	c.UserAgent = cmp.Or(c.UserAgent, "payctl")
	if _, ok := payments.ParseTraceparent(c.Traceparent); !ok || !strings.HasPrefix(c.Traceparent, "00-") {
		c.Traceparent = ""
	}
	c.ServiceMap = cmp.Or(c.ServiceMap, &servicemap.Map{})
	c.Secrets = cmp.Or(c.Secrets, &redact.Secrets{})
	if c.Sleep == nil {
		c.Sleep = wait.Sleep
	}
	if c.Now == nil {
		c.Now = time.Now
	}
}
