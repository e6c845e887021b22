package serve

import (
	"crypto/tls"
	"net"
	"net/netip"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/settings"
)

// checkAddress refuses an address that other machines reach, unless the clients that may log in are named or any may.
func (o *options) checkAddress() error {
	if _, _, err := net.SplitHostPort(o.addr); err != nil || filepath.IsAbs(o.addr) { // C:\folder has a colon too
		return cmdutil.Usage("--addr must have the form HOST:PORT, such as 127.0.0.1:8700")
	}
	if isLocal(o.addr) || len(o.clients) > 0 || o.anyClient {
		return nil
	}
	return errOpenToNetwork(o.addr)
}

// checkListener is checkAddress for the address to which the name of --addr was resolved: localhost may lead off this
// machine.
func (o *options) checkListener(at net.Addr) error {
	if isLocal(at.String()) || (len(o.clients) > 0 || o.anyClient) && !isLocal(o.addr) {
		return nil
	}
	return errOpenToNetwork(o.addr + ", which is " + at.String() + ",")
}

func errOpenToNetwork(addr string) error {
	return cmdutil.Usage("serving on %s would let anybody on the network in", addr).
		WithHint("name who may with --client ID:SECRET (and use --tls-cert and --tls-key), or serve on 127.0.0.1; " +
			"in a container of a test network, allow any client with --any-client")
}

// warnOfNetwork warns if other machines reach the service: who can use it, and whether what they send is encrypted.
func (o *options) warnOfNetwork(d *cmdutil.Deps, at net.Addr, url string) {
	plain := ""
	if o.tlsCert == "" {
		plain = ", and nothing is encrypted"
	}
	switch {
	case isLocal(at.String()):
	case o.anyClient:
		d.Warnf("any machine that reaches %s can use the service as any client (--any-client)%s: enter nothing secret",
			at, plain)
	case plain != "":
		d.Warnf("secrets and tokens travel unencrypted to %s: give --tls-cert and --tls-key, or put TLS in front", url)
	}
}

// isLocal reports whether only this machine reaches an address of the form HOST:PORT.
func isLocal(addr string) bool {
	host, _, err := net.SplitHostPort(addr)
	return err == nil && settings.IsLoopbackHost(host)
}

// serviceURL is the URL at which this machine reaches the service. A listener on all addresses is reached by the
// loopback address of its family. With TLS the URL has the name of --addr, which the certificate is for.
func serviceURL(listener net.Listener, asked string, security *tls.Config) string {
	scheme := "http://"
	if security != nil {
		scheme = "https://"
	}
	at := listener.Addr().String()
	tcp, ok := listener.Addr().(*net.TCPAddr)
	host, _, err := net.SplitHostPort(asked)
	if !ok || err != nil {
		return scheme + at
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
	return scheme + at
}
