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
	maxSnapshotBytes = 64 << 20 // as the reference service
	maxHeaderBytes   = 64 << 10 // of all header fields together
)

// NewTransport makes the transport of a client. The client calls RoundTrip directly: an http.Client follows redirects
// and forwards credentials. A local transport connects to this machine only, without a proxy.
func NewTransport(roots *x509.CertPool, local bool) *http.Transport {
	const (
		maxIdle    = 64 // the largest --concurrency; there is one host
		bufferSize = 16 << 10
	)
	// Only HTTP/1.1 is used. Over HTTP/2, net/http itself repeats a request that the service resets, but a write must
	// not be sent twice. One call can also block others on the same connection.
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

// A notLoopbackError means that the name of this machine leads to another one. No connection was made.
type notLoopbackError struct{ address string }

func (e *notLoopbackError) Error() string {
	return "it leads to " + e.address + ", which is not this machine"
}

// onlyLoopback is the ControlContext of a net.Dialer. It allows only connections to this machine.
func onlyLoopback(_ context.Context, _, address string, _ syscall.RawConn) error {
	at, err := netip.ParseAddrPort(address)
	if err != nil || !at.Addr().Unmap().IsLoopback() {
		return &notLoopbackError{address}
	}
	return nil
}
