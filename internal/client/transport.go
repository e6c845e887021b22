package client

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io/fs"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/net/http/httpproxy"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/settings"
	"github.com/payctl/payctl/internal/textutil"
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

// maxRoots is the size limit of a file of certificates, in bytes: several times the size of all public authorities.
const maxRoots = 4 << 20

// Roots adds certificate authorities from a file of PEM blocks (RFC 7468) to a pool, and returns it.
//
// The error is a *payments.ProblemError of type payments.ProblemInvalidSettings that names the file and the fault. It
// does not quote the file, which may hold a private key.
func Roots(pool *x509.CertPool, path string) (*x509.CertPool, error) {
	// The check comes before the open, because opening a named pipe waits for its writer.
	info, err := os.Stat(path)
	if err == nil && (!info.Mode().IsRegular() || info.Size() > maxRoots) {
		err = errors.New("it is not a regular file of at most 4 MiB")
	}
	var data []byte
	if err == nil {
		data, err = os.ReadFile(path)
	}
	if err == nil && !pool.AppendCertsFromPEM(textutil.Decode(data)) { // a mark in front would hide the first certificate
		err = errors.New("it holds no certificate in PEM form")
	}
	if at, ok := errors.AsType[*fs.PathError](err); ok {
		err = at.Err // the problem names the path already
	}
	if err != nil {
		return nil, payments.NewLocalProblem(payments.ProblemInvalidSettings, nil, "The settings cannot work.",
			"The certificate authorities in %s cannot be used: %v.", path, err)
	}
	return pool, nil
}

// A ProxyError means that the environment names a proxy that cannot be used. Unlike errors of net/http it does not
// quote the value, which may hold a password.
type ProxyError struct {
	Variable string // of the environment
	reason   string
}

func (e *ProxyError) Error() string { return e.reason }

// ProxyVariables lists the environment variables that name proxies: two for https, two for http, and two that only
// other programs read. The first of a pair that is set counts.
func ProxyVariables() []string {
	return []string{"HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"}
}

// ProxyOf returns the proxy of a URL and the variable that names it: HTTPS_PROXY or HTTP_PROXY, except for NO_PROXY,
// also in lower case. A service on this machine has no proxy. net/http would ignore a proxy URL that it cannot parse,
// and bypass the proxy. ProxyOf returns an error.
func ProxyOf(getenv func(string) string, target *url.URL) (variable string, proxy *url.URL, err error) {
	names := ProxyVariables()
	if target.Scheme == "http" {
		names = names[2:]
	}
	variable = names[0]
	if getenv(variable) == "" {
		variable = names[1]
	}
	value := getenv(variable)
	hosts := httpproxy.Config{
		HTTPProxy: "http://any.invalid", HTTPSProxy: "http://any.invalid",
		NoProxy: cmp.Or(getenv("NO_PROXY"), getenv("no_proxy")),
	}
	if use, err := hosts.ProxyFunc()(target); err != nil || use == nil || value == "" || settings.IsLoopback(target) {
		return "", nil, nil //nolint:nilerr // a target that cannot be matched has no proxy
	}
	if !strings.Contains(value, "://") {
		value = "http://" + value
	}
	proxy, err = url.Parse(value)
	if err == nil {
		_, err = strconv.ParseUint(cmp.Or(proxy.Port(), "0"), 10, 16)
	}
	if err != nil || proxy.Hostname() == "" || !slices.Contains([]string{"http", "https", "socks5", "socks5h"},
		proxy.Scheme) {
		return "", nil, &ProxyError{variable, "the environment names a proxy that is not a URL (" + variable +
			"); write it as http://proxy.example:3128, with %25 for %"}
	}
	return variable, proxy, nil
}

// refusedByProxy returns an error if an answer has status 407: the proxy wants other credentials than those in its URL.
// It names the variable but not the URL, which may hold a password.
func refusedByProxy(target *url.URL, status int) error {
	name, _, _ := ProxyOf(os.Getenv, target)
	if status != http.StatusProxyAuthRequired || name == "" {
		return nil
	}
	return &ProxyError{name, "the proxy of the environment (" + name + ") wants a valid user name and password " +
		"(407): they are part of its URL, as in http://USER:PASSWORD@proxy.example:3128"}
}
