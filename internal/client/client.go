// Package client calls the payments API. It implements payments.Reads and payments.Tokens over HTTP, sends writes
// (Send), and decides what is sent again and what is not, where credentials go, how large a response may be and what a
// log shows.
//
// A call passes through one file after the other: write.go, or reads.go and its like, operation.go (newRequest and
// documentOf: encode and decode), retry.go (sendWithRetries) and roundtrip.go (attempt). What an attempt did at the
// service is decided in outcome.go.
package client

import (
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/settings"
)

// A Client calls one service. It is safe for concurrent use.
type Client struct {
	config    Config
	base      *url.URL
	origin    string
	transport *http.Transport
	log       *wireLog
	requests  atomic.Int64 // in the log

	world      atomic.Pointer[string]
	server     atomic.Pointer[string]
	hasSandbox atomic.Bool
	worldless  atomic.Bool // a reference service accepted a token without naming a world
}

var (
	_ payments.Reads         = (*Client)(nil)
	_ payments.Tokens        = (*Client)(nil)
	_ payments.Sandbox       = (*Client)(nil)
	_ payments.EventStreamer = (*Client)(nil)
)

// New makes a Client. Nothing is sent. The error is a *payments.ProblemError: of kind payments.KindInsecure if the base
// URL is plain http and leads off this machine, and of kind payments.KindInvalidSettings if the settings cannot work.
func New(config Config) (*Client, error) {
	base := *config.BaseURL
	base.Path, base.RawPath = strings.TrimRight(base.Path, "/"), strings.TrimRight(base.RawPath, "/")
	if base.Scheme == "http" && !config.AllowInsecureHTTP && !settings.IsLoopback(&base) {
		return nil, insecure(nil, settings.Origin(&base), " and not this machine.")
	}
	config.setDefaults()
	config.Secrets.Hide(config.ServiceMap.Personal()...)
	c := &Client{
		config: config, base: &base, origin: settings.Origin(&base),
		transport: NewTransport(config.RootCAs, base.Scheme == "http" && !config.AllowInsecureHTTP),
	}
	if config.Transport != nil {
		c.transport.RegisterProtocol(base.Scheme, config.Transport)
	}
	if config.Log != nil {
		c.log = &wireLog{line: config.Log, number: config.NextNumber}
		if c.log.number == nil {
			c.log.number = func() int64 { return c.requests.Add(1) }
		}
	}
	return c, nil
}

// World returns the instance id of the reference service's world that answered last (header Payctl-World); empty if
// none did, as with any other service.
func (c *Client) World() string { return load(&c.world) }

// Server returns the Server header of the last response that had one, such as "payctl/1.0.0".
func (c *Client) Server() string { return load(&c.server) }

// CloseIdleConnections closes the connections that are kept for further calls.
func (c *Client) CloseIdleConnections() { c.transport.CloseIdleConnections() }

func load(p *atomic.Pointer[string]) string {
	if s := p.Load(); s != nil {
		return *s
	}
	return ""
}

// remember stores a header of the latest response. An equal value is not stored again: many responses repeat one.
func remember(p *atomic.Pointer[string], value string) {
	if value != "" && load(p) != value {
		p.Store(&value)
	}
}
