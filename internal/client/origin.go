package client

import (
	"context"
	"net"
	"net/netip"
	"net/url"
	"strings"
	"syscall"
)

// origin is scheme, host and port in lower case with the port spelled out (RFC 6454 section 4), so that equal origins
// are equal strings.
func origin(u *url.URL) string {
	scheme, port := strings.ToLower(u.Scheme), u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[scheme]
	}
	return scheme + "://" + net.JoinHostPort(strings.ToLower(u.Hostname()), port)
}

// isLoopback says whether a URL names this machine (RFC 6761 section 6.3). Nothing is looked up.
func isLoopback(u *url.URL) bool {
	host := strings.ToLower(u.Hostname())
	if host == "localhost" {
		return true
	}
	address, err := netip.ParseAddr(host)
	return err == nil && address.Unmap().IsLoopback()
}

// elsewhereError is the reason why no connection is made: the name of this machine leads to another one.
type elsewhereError struct{ address string }

// Error implements error.
func (e *elsewhereError) Error() string {
	return "it leads to " + e.address + ", which is not this machine"
}

// onlyLoopback keeps connections on this machine, whatever the name localhost may have been made to lead to. It is a
// net.Dialer's ControlContext: the address is the one that is about to be connected to.
func onlyLoopback(_ context.Context, _, address string, _ syscall.RawConn) error {
	at, err := netip.ParseAddrPort(address)
	if err != nil || !at.Addr().Unmap().IsLoopback() {
		return &elsewhereError{address}
	}
	return nil
}
