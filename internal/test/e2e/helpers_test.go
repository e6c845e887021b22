package e2e

import (
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
)

// nowhere is a base URL at which no service listens.
const nowhere = "http://127.0.0.1:1"

// fixed serves one answer to everything.
func fixed(status int, contentType, body string) (url string, stop func()) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", contentType)
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	}))
	return server.URL, server.Close
}

// prefixed serves a service below a path prefix, and nothing at any other path.
func prefixed(service, prefix string) (at string, stop func()) {
	target, err := url.Parse(service)
	if err != nil {
		panic(err)
	}
	mux := http.NewServeMux()
	mux.Handle(prefix+"/", http.StripPrefix(prefix, &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(target) }}))
	server := httptest.NewServer(mux)
	return server.URL, server.Close
}

// withFlags is a line with flags that take one value, in place of those of the same names.
func withFlags(line []string, flags ...string) []string {
	var kept []string
	for i := 0; i < len(line); i++ {
		if slices.Contains(flags, line[i]) && strings.HasPrefix(line[i], "--") {
			i++
			continue
		}
		kept = append(kept, line[i])
	}
	return append(kept, flags...)
}
