package serve

import (
	"context"
	"crypto/tls"
	"net"
	"net/netip"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/settings"
)

// listen listens on --addr. It refuses an address that other machines can reach, unless --client or --any-client is
// given. The resolved address counts, since localhost may be another machine.
func (o *options) listen(ctx context.Context) (net.Listener, error) {
	if _, _, err := net.SplitHostPort(o.addr); err != nil || filepath.IsAbs(o.addr) { // C:\folder has a colon too
		return nil, cmdutil.Usage("--addr must have the form HOST:PORT, such as 127.0.0.1:8700")
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", o.addr)
	if err != nil {
		return nil, cmdutil.Usage("the service cannot listen: %v", err).
			WithNote("choose another --addr; port 0 picks a free one")
	}
	if isLocal(listener.Addr()) || len(o.clients) > 0 || o.anyClient {
		return listener, nil
	}
	_ = listener.Close()
	return nil, cmdutil.Usage("serving on %s would let anybody on the network in", o.addr).
		WithNote("name who may with --client ID:SECRET (and use --tls-cert and --tls-key), or serve on 127.0.0.1; " +
			"in a container of a test network, allow any client with --any-client")
}

// warnOfNetwork warns if other machines reach the service: who can use it, and whether what they send is encrypted.
func (o *options) warnOfNetwork(d *cmdutil.Deps, url string) {
	switch {
	case o.Local:
	case o.anyClient:
		d.Warnf("any machine that reaches %s can use the service as any client (--any-client): enter nothing secret", url)
	case o.security == nil:
		d.Warnf("secrets and tokens travel unencrypted to %s: give --tls-cert and --tls-key, or put TLS in front", url)
	}
}

// isLocal reports whether only this machine can reach an address.
func isLocal(at net.Addr) bool {
	host, _, err := net.SplitHostPort(at.String())
	return err == nil && settings.IsLoopbackHost(host)
}

// serviceURL is the URL of the service for this machine. For a listener on all addresses it has the loopback address of
// its family. With TLS it has the host name of --addr, because the certificate is for that name.
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
