package server

import (
	"bytes"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"

	"github.com/payctl/payctl/internal/payments"
)

// knownMethods are the methods that a resource may have. TRACE is one that none has; any other is unknown to the whole
// service (RFC 9110 section 9.1).
var knownMethods = []string{
	http.MethodDelete, http.MethodGet, http.MethodHead, http.MethodOptions, http.MethodPatch, http.MethodPost, http.MethodPut,
}

// screen refuses what is wrong with a request whatever it is for.
func (s *server) screen(w http.ResponseWriter, r *http.Request) error {
	if r.ProtoMajor > 1 { // the preface of HTTP/2 is all that net/http lets through
		w.Header().Set("Connection", "close")
		return payments.Refuse(payments.KindHTTPVersion, "The service speaks HTTP/1.1 here.")
	}
	if r.Host != "" && !validHost(r.Host) {
		r.Host = ""                                                                                      // the answer cannot name it
		return payments.Refuse(payments.KindMalformed, "The Host is not a host with or without a port.") // RFC 9112 section 3.2
	}
	if s.Local && !s.answersFor(r.Host) {
		return payments.Refuse(payments.KindMisdirected, "The service is for this machine, and the request is for the host %.100q. If that name is yours, start the service with --host.", r.Host)
	}
	if !slices.Contains(knownMethods, r.Method) && r.Method != http.MethodTrace {
		return payments.Refuse(payments.KindNotImplemented, "The service has no method %.40q.", r.Method)
	}
	if len(r.RequestURI) > s.Bounds.TargetBytes {
		return payments.Refuse(payments.KindURITooLong, "The request target is longer than %d bytes.", s.Bounds.TargetBytes)
	}
	if r.RequestURI == "*" && r.Method != http.MethodOptions {
		return payments.Refuse(payments.KindMalformed, "The request target * is for the method OPTIONS only.") // RFC 9112 section 3.2.4
	}
	if err := screenTarget(r); err != nil {
		return err
	}
	if len(r.TransferEncoding) > 0 || r.ProtoMajor == 1 && r.ProtoMinor == 0 {
		return s.screenFraming(w, r)
	}
	return nil
}

// answersFor says whether a Host header, which may be missing in HTTP/1.0, names this machine or one of the hosts. Names below
// localhost are taken for it: no name server is asked for them (RFC 6761 section 6.3).
func (s *server) answersFor(host string) bool {
	if host == "" {
		return true
	}
	name := host
	if at, _, err := net.SplitHostPort(host); err == nil {
		name = at
	}
	name = strings.ToLower(strings.TrimSuffix(strings.Trim(name, "[]"), "."))
	if address, err := netip.ParseAddr(name); err == nil && address.Unmap().IsLoopback() {
		return true
	}
	return name == "localhost" || strings.HasSuffix(name, ".localhost") || slices.Contains(s.Hosts, name)
}

// completeTarget gives an absolute target without a path the one that it stands for (RFC 9110 section 4.2.3); with OPTIONS and
// no query that is the whole service (RFC 9112 section 3.2.4).
func completeTarget(r *http.Request) {
	if r.URL.Path != "" || r.URL.Scheme == "" || r.URL.Host == "" {
		return
	}
	r.URL.Path = "/"
	if r.Method == http.MethodOptions && r.URL.RawQuery == "" {
		r.RequestURI = "*"
	}
}

// screenTarget refuses a target that has what no target has, and an absolute one that is of another scheme than the
// connection, has no host or names a user (RFC 9110 sections 4.2.1, 4.2.4 and 7.4).
func screenTarget(r *http.Request) error {
	if strings.ContainsFunc(r.RequestURI, func(c rune) bool { return c <= ' ' || c >= 0x7f || c == '#' }) {
		return payments.Refuse(payments.KindMalformed, "The request target has a character that has to be escaped.")
	}
	scheme := "http"
	if r.TLS != nil {
		scheme = "https"
	}
	switch {
	case r.URL.Scheme != "" && r.URL.Scheme != scheme:
		return payments.Refuse(payments.KindMalformed, "The request target is of another scheme than the connection, which is for %s.", scheme)
	case r.URL.Scheme != "" && r.URL.Host == "":
		return payments.Refuse(payments.KindMalformed, "The request target has no host.")
	case r.URL.User != nil:
		return payments.Refuse(payments.KindMalformed, "The request target names a user.")
	}
	return nil
}

// screenFraming refuses a body that others on its way may have seen end elsewhere: one with both a length and a transfer
// coding, which RFC 9112 section 6.3 calls an error, and one of HTTP/1.0 with a transfer coding (section 6.1). net/http
// takes the one header out and goes on, so that the connection has to be asked. Where it does not know, it ends.
func (s *server) screenFraming(w http.ResponseWriter, r *http.Request) error {
	c := connOf(r)
	if c == nil {
		return nil // not on a connection of ours
	}
	line, fields, _ := bytes.Cut(bytes.TrimLeft(c.head, "\r\n"), []byte("\n"))
	header := requestOf(string(line), fields).Header
	if len(r.TransferEncoding) > 0 {
		if len(header["Content-Length"]) > 0 {
			c.last(w)
			return payments.Refuse(payments.KindMalformed, "The request has both a Content-Length and a Transfer-Encoding.")
		}
		if !whole(c.head) {
			c.last(w)
		}
		return nil
	}
	if len(header["Transfer-Encoding"]) > 0 {
		c.last(w)
		return payments.Refuse(payments.KindMalformed, "HTTP/1.0 has no Transfer-Encoding.")
	}
	return nil
}

// whole says whether a head is known up to its end.
func whole(head []byte) bool {
	return bytes.Contains(head, []byte("\r\n\r\n")) || bytes.Contains(head, []byte("\n\n"))
}
