package client

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"syscall"
	"time"
)

// Size limits of a response, in bytes.
const (
	maxBodyBytes     = 8 << 20  // after decompression; the largest page has some 100 KiB
	maxSnapshotBytes = 64 << 20 // the reference service accepts no larger snapshot
	maxHeaderBytes   = 64 << 10 // of all header fields together
)

// NewTransport makes the transport of a client. RoundTrip is called directly, without an http.Client, which would
// follow redirects and forward credentials by rules of its own. A local transport connects to this machine only,
// without a proxy.
func NewTransport(roots *x509.CertPool, local bool) *http.Transport {
	const (
		maxIdle    = 64 // there is one host; the largest --concurrency
		bufferSize = 16 << 10
	)
	// Over HTTP/2, net/http sends a request again by itself when a service resets it, and calls share a connection that
	// one of them can block. A write must not be sent twice, so that HTTP/1.1 alone is spoken, which every service does.
	var protocols http.Protocols
	protocols.SetHTTP1(true)
	dialer := &net.Dialer{Timeout: 10 * time.Second, KeepAlive: 15 * time.Second}
	proxy := func(request *http.Request) (*url.URL, error) {
		_, proxy, err := ProxyOf(os.Getenv, request.URL)
		return proxy, err
	}
	if local {
		dialer.ControlContext, proxy = onlyLoopback, nil
	}
	return &http.Transport{
		Proxy: proxy,
		OnProxyConnectResponse: func(_ context.Context, _ *url.URL, connect *http.Request, answer *http.Response) error {
			return refusedByProxy(&url.URL{Scheme: "https", Host: connect.Host}, answer.StatusCode)
		},
		DialContext:            dialer.DialContext,
		TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: roots},
		TLSHandshakeTimeout:    10 * time.Second,
		MaxIdleConns:           maxIdle,
		MaxIdleConnsPerHost:    maxIdle,
		IdleConnTimeout:        30 * time.Second,
		MaxResponseHeaderBytes: maxHeaderBytes,
		WriteBufferSize:        bufferSize,
		ReadBufferSize:         bufferSize,
		Protocols:              &protocols,
	}
}

// A notLoopbackError is the error of a connection that was not made: the name of this machine leads to another one.
type notLoopbackError struct{ address string }

func (e *notLoopbackError) Error() string {
	return "it leads to " + e.address + ", which is not this machine"
}

// onlyLoopback allows connections to this machine only, even if the name localhost leads to another one. It is a
// net.Dialer's ControlContext: the address is the one that is about to be connected to.
func onlyLoopback(_ context.Context, _, address string, _ syscall.RawConn) error {
	at, err := netip.ParseAddrPort(address)
	if err != nil || !at.Addr().Unmap().IsLoopback() {
		return &notLoopbackError{address}
	}
	return nil
}
