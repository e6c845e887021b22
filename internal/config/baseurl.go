package config

import (
	"errors"
	"net"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
)

// ParseBaseURL checks and normalises the URL below which the service's paths lie: http or https, a
// host, optionally a port and a path prefix, and nothing else. Scheme and host come back in lower case
// and the path without its trailing slash. The error says what is wrong and never repeats the text,
// which may hold a password.
func ParseBaseURL(raw string) (*url.URL, error) {
	u, err := url.Parse(raw)
	if strings.Contains(raw, "@") && (err != nil || u.User != nil || u.Opaque != "") {
		return nil, errors.New("a base URL holds no user name or password; run 'payctl auth login' to store them")
	}
	if err != nil {
		var parse *url.Error
		if errors.As(err, &parse) {
			err = parse.Err
		}
		return nil, errors.New("not a URL: " + err.Error())
	}
	u.Scheme, u.Host = strings.ToLower(u.Scheme), strings.ToLower(u.Host)
	switch {
	case u.Scheme != "http" && u.Scheme != "https":
		return nil, errors.New("a base URL begins with https:// (or http:// for a service on this machine)")
	case u.Opaque != "" || u.Hostname() == "":
		return nil, errors.New("a base URL names a host, as in https://api.example.com")
	case u.RawQuery != "" || u.ForceQuery || strings.Contains(raw, "#"):
		return nil, errors.New("a base URL has no query and no fragment; leave off what follows ? or #")
	case !plainHost(u.Hostname()):
		return nil, errors.New("the host must be an IP address or a name of ASCII letters, digits, dots and hyphens (an international name in its xn-- form)")
	case !portInRange(u):
		return nil, errors.New("the port must be a number from 1 to 65535")
	}
	u.Path = strings.TrimRight(u.Path, "/")
	// What has to be escaped can be escaped in several ways, and would break comparing base URLs.
	if u.RawPath != "" || u.EscapedPath() != u.Path {
		return nil, errors.New("the path prefix holds no character that needs a % escape")
	}
	for i, segment := range strings.Split(u.Path, "/") {
		if segment == "." || segment == ".." || i > 0 && segment == "" {
			return nil, errors.New("the path prefix holds no empty, . or .. segment")
		}
	}
	return u, nil
}

// Origin returns the scheme, host and port of u as scheme://host:port (RFC 6454 §4), in lower case and
// with the port of http and https made explicit, so that equal origins are equal strings.
func Origin(u *url.URL) string {
	scheme, port := strings.ToLower(u.Scheme), u.Port()
	switch {
	case port != "":
		// 0443 and 443 are one port.
		if n, err := strconv.ParseUint(port, 10, 16); err == nil {
			port = strconv.FormatUint(n, 10)
		}
	case scheme == "https":
		port = "443"
	case scheme == "http":
		port = "80"
	}
	return scheme + "://" + net.JoinHostPort(strings.ToLower(u.Hostname()), port)
}

// IsLoopback reports whether u names this machine: 127.0.0.0/8, ::1 or localhost (RFC 6761 §6.3).
// Nothing is looked up.
func IsLoopback(u *url.URL) bool {
	host := strings.ToLower(u.Hostname())
	if host == "localhost" {
		return true
	}
	addr, err := netip.ParseAddr(host)
	return err == nil && addr.Unmap().IsLoopback()
}

// plainHost keeps out look-alike letters and escapes, which a person reading the URL cannot tell apart.
func plainHost(host string) bool {
	if addr, err := netip.ParseAddr(host); err == nil {
		return addr.Zone() == ""
	}
	for _, c := range []byte(host) {
		if (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' && c != '.' && c != '_' {
			return false
		}
	}
	return true
}

func portInRange(u *url.URL) bool {
	if strings.HasSuffix(u.Host, ":") {
		return false
	}
	port := u.Port()
	if port == "" {
		return true
	}
	n, err := strconv.ParseUint(port, 10, 16)
	return err == nil && n > 0
}
