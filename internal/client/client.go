// Package client calls the payments API. It implements payments.Reads and payments.Tokens over HTTP, and sends writes
// (Send). It decides what is sent again, where credentials go, how large a response may be and what a log shows.
//
// A call begins in write.go, reads.go or a file for its operations. File operation.go encodes and decodes it
// (newRequest, shown). File retry.go repeats it (sendWithRetries), and roundtrip.go makes each attempt (attempt). File
// outcome.go decides what an attempt did at the service.
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
	hidesWorld atomic.Bool // a reference service accepted a token without naming a world
}

var (
	_ payments.Reads         = (*Client)(nil)
	_ payments.Tokens        = (*Client)(nil)
	_ payments.Sandbox       = (*Client)(nil)
	_ payments.EventStreamer = (*Client)(nil)
)

// New makes a Client. Nothing is sent. The error is a *payments.ProblemError. Its type is payments.ProblemInsecure for
// plain http to another machine, or payments.ProblemInvalidSettings.
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

// World returns the instance id of the reference service's world that answered last (header Payctl-World). It is empty
// for any other service.
func (c *Client) World() string { return load(&c.world) }

// Server returns the Server header of the last response that had one, such as "payctl/1.0.0".
func (c *Client) Server() string { return load(&c.server) }

// CloseIdleConnections closes the connections kept for further calls.
func (c *Client) CloseIdleConnections() { c.transport.CloseIdleConnections() }

func load(p *atomic.Pointer[string]) string {
	if s := p.Load(); s != nil {
		return *s
	}
	return ""
}

// remember stores a header of the latest response. It does not store an equal value again.
func remember(p *atomic.Pointer[string], value string) {
	if value != "" && load(p) != value {
		p.Store(&value)
	}
}
