package client

import (
	"net"
	"net/netip"
	"net/url"
	"strings"
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
