package server

import (
	"net"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/settings"
)

// knownMethods are the methods that a resource may have. Any other method but TRACE is unknown to the whole service
// (RFC 9110 section 9.1).
var knownMethods = []string{
	http.MethodDelete, http.MethodGet, http.MethodHead, http.MethodOptions, http.MethodPatch, http.MethodPost,
	http.MethodPut,
}

// checkRequest refuses requests whose HTTP version, Host, method or target is wrong for any operation.
func (x *exchange) checkRequest() error {
	s, r := x.server, x.r
	if r.URL.Path == "" && r.URL.Scheme != "" {
		r.URL.Path = "/" // an absolute target without a path means / (RFC 9110 section 4.2.3)
	}
	if r.ProtoMajor > 1 { // net/http passes on only the preface of HTTP/2
		x.w.Header().Set("Connection", "close")
		return payments.NewProblem(payments.ProblemHTTPVersion, "The service speaks HTTP/1.1 here.")
	}
	if len(r.TransferEncoding) > 0 || r.ProtoMajor == 1 && r.ProtoMinor == 0 {
		// net/http drops a Content-Length next to a Transfer-Encoding, and a Transfer-Encoding in HTTP/1.0. A proxy may
		// see another end of such a request. The bytes that follow could then be a smuggled request (RFC 9112 section
		// 6.1). So the connection ends after such a request.
		x.closeConnection()
	}
	if r.Host != "" && !isValidHost(r.Host) {
		r.Host = ""                                                        // the response cannot name it
		return malformed("The Host is not a host with or without a port.") // RFC 9112 section 3.2
	}
	if s.config.Local && !isLocalHost(r.Host) {
		problem := payments.NewProblem(payments.ProblemMisdirected,
			"The service is for this machine, and the request is for the host %.100q. Ask for 127.0.0.1, localhost or a "+
				"name below localhost. To serve any host, give serve an --addr beyond this machine, with --client or "+
				"--any-client.", r.Host)
		r.Host = "" // the response must not name it
		return problem
	}
	if s.origins.Check(r) != nil {
		return payments.NewProblem(payments.ProblemCrossOrigin,
			"A browser sent this %s for a page of another origin.", r.Method)
	}
	if !slices.Contains(knownMethods, r.Method) && r.Method != http.MethodTrace {
		return payments.NewProblem(payments.ProblemNotImplemented, "The service has no method %.40q.", r.Method)
	}
	if len(r.RequestURI) > maxTargetBytes {
		return payments.NewProblem(payments.ProblemURITooLong, "The request target is longer than %d bytes.", maxTargetBytes)
	}
	if strings.ContainsFunc(r.RequestURI, func(c rune) bool { return c <= ' ' || c >= 0x7f || c == '#' }) {
		return malformed("The request target has a character that has to be escaped.")
	}
	query, err := url.QueryUnescape(r.URL.RawQuery) // checkQuery refuses a query that cannot be unescaped
	if !utf8.ValidString(r.URL.Path) || err == nil && !utf8.ValidString(query) {
		return malformed("The request target is not UTF-8.")
	}
	return nil
}

// isLocalHost reports whether a Host header names this machine. It may be missing in HTTP/1.0. Names below localhost
// are never looked up (RFC 6761 section 6.3).
func isLocalHost(host string) bool {
	if at, _, err := net.SplitHostPort(host); err == nil {
		host = at
	}
	name := strings.ToLower(strings.TrimSuffix(strings.Trim(host, "[]"), "."))
	return name == "" || strings.HasSuffix("."+name, ".localhost") || settings.IsLoopbackHost(name)
}

// isCleanPath reports whether the mux would serve the path without a redirect.
func isCleanPath(target string) bool {
	rest := strings.TrimSuffix(target, "/")
	return target == "/" || len(rest) > 1 && rest[0] == '/' && path.Clean(rest) == rest
}

// isValidHost reports whether a response can name a host with or without a port. It needs the syntax of RFC 3986
// section 3.2.2 and at most the length of a name with a port (RFC 1035 section 2.3.4). [url.Parse] accepts three
// invalid characters.
func isValidHost(host string) bool {
	const longest = 255 + len(":65535")
	at, err := url.Parse("//" + host)
	return err == nil && len(host) <= longest && at.Host == host && at.Hostname() != "" &&
		!strings.ContainsAny(host, `"<>`) && (host[0] == '[' || strings.Count(host, ":") <= 1)
}
