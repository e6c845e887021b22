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
	// BaseURL is what settings.ParseBaseURL accepts. Nothing is ever sent to another origin (scheme, host and port).
	BaseURL           *url.URL
	AllowInsecureHTTP bool           // plain http is also allowed to other machines
	RootCAs           *x509.CertPool // verify the service's certificate; nil means the system's authorities
	CACert            string         // the file of RootCAs, for the command lines of Curl
	// ServiceMap says how the service differs from the contract. Nil means not at all.
	ServiceMap *servicemap.Map

	// Token supplies the Bearer token of every call except those of payments.Tokens. Nil means no Authorization header.
	Token     TokenSource
	UserAgent string // the User-Agent header; "payctl" if empty
	// Traceparent is the trace of every request (W3C Trace Context), as the caller received it. It is sent if it is
	// valid and of version 00.
	Traceparent string
	// Timeout is the deadline of one call, with its retries. A response that the service holds has that time in
	// addition. Zero means DefaultTimeout.
	Timeout time.Duration
	// StreamSilence is how long a stream of events may be silent before it counts as broken. Zero means
	// DefaultStreamSilence.
	StreamSilence time.Duration
	Retries       int // how many attempts may follow the first one, if the call may be repeated
	// KeysHonoured means that the settings say that the service honours idempotency keys.
	KeysHonoured bool
	// KeysPresumed means that KeysHonoured is a default, or that the service may be a reference service. The client
	// then asks the service before it sends a write again.
	KeysPresumed bool
	// Pace is called before each attempt, and returns when it may be sent. Nil means at once. The wait before the first
	// attempt of a call does not count towards Timeout.
	Pace func(context.Context) error
	// Dated is called with the Date of each successful response to a call with a token. In a sandbox that is the
	// sandbox's clock. Nil means no call.
	Dated func(time.Time)

	// Log is called with each line of what is sent and received, redacted. Nil means no log. The lines of one request
	// or response are not interrupted by others.
	Log func(line string)
	// NextNumber returns the number of the next request in the log. Several clients may share it. Nil counts this
	// client's requests.
	NextNumber func() int64
	// Secrets are the credentials that the process knows. The client adds those that it sends and fetches. Nil means
	// its own set.
	Secrets *redact.Secrets
	// Curl, if not nil, receives the curl command line of each call, and nothing is sent. The call's error is then
	// ErrNotSent, or Curl's own. The token source is not asked.
	Curl func(line string) error

	// Transport replaces the network in tests. Nil means TCP.
	Transport http.RoundTripper
	// Sleep, Rand and Now replace a timer, a random number in [0, 1) and the wall clock. Nil means the real ones.
	Sleep func(context.Context, time.Duration) error
	Rand  func() float64
	Now   func() time.Time
}

// ConfigFromSettings returns the configuration of a client from settings. It has no credentials and no log. The error
// is a *payments.ProblemError of type payments.ProblemInvalidSettings if the certificate authorities cannot be read.
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
	// As with curl, a user who names the authority of a service trusts no other.
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
