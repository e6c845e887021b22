package settings

import (
	"errors"
	"net"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
)

// ParseBaseURL checks and normalises a base URL. It may have http or https, a host, a port and a path prefix, and
// nothing else. The result has scheme and host in lower case, and no trailing slash. The error never quotes the text,
// which may contain a password.
func ParseBaseURL(raw string) (*url.URL, error) {
	if len(raw) > maxText {
		return nil, errTooLong
	}
	u, err := url.Parse(raw)
	if strings.Contains(raw, "@") && (err != nil || u.User != nil || u.Opaque != "") {
		return nil, errors.New("a base URL contains no user name or password; store them with payctl auth login")
	}
	const begins = "a base URL begins with https:// (or http:// for a service on this machine)"
	if !strings.Contains(raw, "://") { // such as 127.0.0.1:8700, which url.Parse refuses for another reason
		return nil, errors.New(begins)
	}
	if err != nil {
		if parse, ok := errors.AsType[*url.Error](err); ok {
			err = parse.Err // without the text
		}
		return nil, errors.New("not a URL: " + err.Error())
	}
	u.Scheme, u.Host = strings.ToLower(u.Scheme), strings.ToLower(u.Host)
	switch {
	case u.Scheme != "http" && u.Scheme != "https":
		return nil, errors.New(begins)
	case u.Opaque != "" || u.Hostname() == "":
		return nil, errors.New("a base URL names a host, as in https://api.example.com")
	case u.RawQuery != "" || u.ForceQuery || strings.Contains(raw, "#"):
		return nil, errors.New("a base URL has no query and no fragment; remove ? or # and the rest")
	case !plainHost(u.Hostname()):
		return nil, errors.New("the host must be an IP address or a name of ASCII letters, digits, dots and hyphens " +
			"(an international name in its xn-- form)")
	case !portInRange(u):
		return nil, errors.New("the port must be a number from 1 to 65535")
	}
	u.Path = strings.TrimRight(u.Path, "/")
	// With several ways to escape a character, equal base URLs would compare as different.
	if u.RawPath != "" || u.EscapedPath() != u.Path {
		return nil, errors.New("the path prefix contains no character that needs a % escape")
	}
	for i, segment := range strings.Split(u.Path, "/") {
		if segment == "." || segment == ".." || i > 0 && segment == "" {
			return nil, errors.New("the path prefix contains no empty, . or .. segment")
		}
	}
	return u, nil
}

// Origin returns scheme://host:port of u (RFC 6454 §4), in lower case and with an explicit port. Equal origins are
// equal strings.
func Origin(u *url.URL) string {
	scheme, port := strings.ToLower(u.Scheme), u.Port()
	if port == "" {
		port = map[string]string{"https": "443", "http": "80"}[scheme]
	}
	if n, err := strconv.ParseUint(port, 10, 16); err == nil {
		port = strconv.FormatUint(n, 10) // 0443 and 443 are one port
	}
	return scheme + "://" + net.JoinHostPort(strings.ToLower(u.Hostname()), port)
}

// IsLoopback reports whether u names this machine: 127.0.0.0/8, ::1 or localhost (RFC 6761 §6.3). It does not use DNS.
func IsLoopback(u *url.URL) bool { return IsLoopbackHost(u.Hostname()) }

// IsLoopbackHost is IsLoopback for a host name or an IP address.
func IsLoopbackHost(host string) bool {
	addr, err := netip.ParseAddr(host)
	return strings.EqualFold(host, "localhost") || err == nil && addr.Unmap().IsLoopback()
}

// plainHost refuses look-alike letters and escapes, which people cannot distinguish.
func plainHost(host string) bool {
	if addr, err := netip.ParseAddr(host); err == nil {
		return addr.Zone() == ""
	}
	return hasOnly(host, lowerCase+digits+"._-")
}

func portInRange(u *url.URL) bool {
	if u.Port() == "" {
		return !strings.HasSuffix(u.Host, ":")
	}
	n, err := strconv.ParseUint(u.Port(), 10, 16)
	return err == nil && n > 0
}
