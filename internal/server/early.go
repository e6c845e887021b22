package server

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"errors"
	"io"
	"net/http"
	"net/textproto"
	"net/url"
	"strings"
	"time"

	"github.com/payctl/payctl/internal/payments"
)

// earlyAnswer is the answer to a request that never reached the handler, of which the head is known as far as it was
// kept: a status, and net/http's reason where it gives one.
func (s *server) earlyAnswer(status int, reason string, head []byte, secure bool) []byte {
	line, fields, complete := bytes.Cut(bytes.TrimLeft(head, "\r\n"), []byte("\n"))
	r := requestOf(string(line), fields)
	if secure {
		r.TLS = &tls.ConnectionState{}
	}
	w := &withheld{header: http.Header{}, status: status}
	s.prepare(w.header)
	w.header.Set("Date", time.Now().UTC().Format(http.TimeFormat))
	s.watch(w, r, func(w http.ResponseWriter, r *http.Request) {
		s.fail(w, r, earlyRefusal(status, reason, head, complete, r.Header))
	})
	answer := http.Response{
		StatusCode: w.status, ProtoMajor: 1, ProtoMinor: 1, Request: r, Close: true,
		Header: w.header, Body: io.NopCloser(&w.body), ContentLength: int64(w.body.Len()),
	}
	var b bytes.Buffer
	_ = answer.Write(&b) // a buffer takes everything
	return b.Bytes()
}

// earlyRefusal finds the kind of problem of an early answer. What net/http does not tell is found by reading the head
// again.
func earlyRefusal(status int, reason string, head []byte, complete bool, header http.Header) *payments.Refusal {
	switch status {
	case http.StatusRequestTimeout:
		return payments.Refuse(payments.KindRequestTimeout, "The head of the request did not arrive in time.")
	case http.StatusExpectationFailed:
		return payments.Refuse(payments.KindExpectationFailed, "The service meets no other expectation than 100-continue.")
	case http.StatusHTTPVersionNotSupported:
		return payments.Refuse(payments.KindHTTPVersion, "The service speaks HTTP/1.1 here.")
	case http.StatusRequestHeaderFieldsTooLarge:
		if !complete && len(head) > 0 {
			return payments.Refuse(payments.KindURITooLong, "The request line is longer than the service reads.")
		}
		return payments.Refuse(payments.KindHeaderTooLarge, "The header fields are larger than the service reads.")
	case http.StatusNotImplemented:
		// A body whose last coding is not chunked, or is it twice, has no length that can be known (RFC 9112 section 6.3).
		codings := strings.Split(strings.ToLower(strings.Join(header["Transfer-Encoding"], ",")), ",")
		if last := len(codings) - 1; strings.TrimSpace(codings[last]) == "chunked" && !strings.Contains(strings.Join(codings[:last], ","), "chunked") {
			return payments.Refuse(payments.KindNotImplemented, "The service knows no other transfer coding than chunked.")
		}
		return payments.Refuse(payments.KindMalformed, "The body's transfer coding must be chunked, once.")
	}
	if reason == "" {
		_, err := http.ReadRequest(bufio.NewReader(bytes.NewReader(head)))
		switch {
		case err == nil, errors.Is(err, io.EOF): // what is wrong is not in what was kept
			reason = "its head is malformed"
		case errors.Is(err, io.ErrUnexpectedEOF):
			reason = "its head does not end"
		default:
			reason = err.Error()
		}
	}
	return payments.Refuse(payments.KindMalformed, "The request cannot be read: %.200s.", reason)
}

// requestOf is what can be known of a request from its head, be that as broken as it may.
func requestOf(line string, fields []byte) *http.Request {
	r := &http.Request{URL: &url.URL{}}
	method, rest, _ := strings.Cut(strings.TrimSuffix(line, "\r"), " ")
	target, _, framed := strings.Cut(rest, " ")
	if at, err := url.ParseRequestURI(target); err == nil && framed {
		r.Method, r.URL = method, at
	}
	header, _ := textproto.NewReader(bufio.NewReader(bytes.NewReader(fields))).ReadMIMEHeader() // as far as it goes
	r.Header = http.Header(header)
	if host := header["Host"]; len(host) == 1 && validHost(host[0]) {
		r.Host = host[0]
	}
	return r
}

// isPlain says whether a host is a name or an address of version 4, in lower case.
func isPlain(host string) bool {
	return host != "" && !strings.ContainsFunc(host, func(c rune) bool {
		return (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '.' && c != '-'
	})
}

// isPort says whether a text is digits alone, or nothing (RFC 3986 section 3.2.3).
func isPort(text string) bool {
	return !strings.ContainsFunc(text, func(c rune) bool { return c < '0' || c > '9' })
}

// validHost says whether a host, with a port or without, is one that an answer can name (RFC 3986 section 3.2.2, and RFC 9110
// section 4.2.1: it is not empty). [url.Parse] lets three characters through that no host has.
func validHost(host string) bool {
	if name, port, _ := strings.Cut(host, ":"); isPlain(name) && (len(host) == len(name) || isPort(port)) {
		return true // as most are
	}
	at, err := url.Parse("//" + host)
	return err == nil && at.Host == host && at.Hostname() != "" && !strings.ContainsAny(host, `"<>`) && (host[0] == '[' || strings.Count(host, ":") <= 1)
}
