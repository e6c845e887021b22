package client

import (
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/http"
	"time"
)

// Limits on an answer.
const (
	maxBodyBytes     = 8 << 20  // after decompression
	maxSnapshotBytes = 64 << 20 // of a snapshot
	maxHeaderBytes   = 64 << 10 // of all header fields together
)

// newTransport makes the transport of one client. Its RoundTrip is called directly, without an http.Client around it,
// since that one follows redirects and forwards credentials by rules of its own. One that is local connects to this machine
// alone, without a proxy.
func newTransport(roots *x509.CertPool, local bool) *http.Transport {
	const (
		dialTimeout  = 10 * time.Second
		keepAlive    = 15 * time.Second
		idleTimeout  = 30 * time.Second
		handshake    = 10 * time.Second
		idlePerHost  = 64 // there is one host; as many as the most calls that run at once
		bufferedSize = 16 << 10
	)
	dialer := &net.Dialer{Timeout: dialTimeout, KeepAlive: keepAlive}
	proxy := proxyFor
	if local {
		dialer.ControlContext, proxy = onlyLoopback, nil
	}
	return &http.Transport{
		Proxy:                  proxy,
		DialContext:            dialer.DialContext,
		TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: roots},
		TLSHandshakeTimeout:    handshake,
		MaxIdleConns:           idlePerHost,
		MaxIdleConnsPerHost:    idlePerHost,
		IdleConnTimeout:        idleTimeout,
		MaxResponseHeaderBytes: maxHeaderBytes,
		WriteBufferSize:        bufferedSize,
		ReadBufferSize:         bufferedSize,
		ForceAttemptHTTP2:      true, // a TLS configuration of one's own switches it off otherwise
	}
}
