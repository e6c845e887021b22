package e2e

import (
	"crypto/tls"
	"net/http"
	"net/http/httptest"

	"github.com/rogpeppe/go-internal/testscript"
)

// releases starts a proxy through which the host of the releases is a server of its own, whose page of the latest release
// redirects: `releases NAME CERT KEY LOCATION` puts the proxy's host and port into the environment. Any other request, and
// one that has more than the name of the program, is refused.
func releases(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 4 {
		ts.Fatalf("usage: releases NAME CERT KEY LOCATION")
	}
	certificate, err := tls.LoadX509KeyPair(ts.MkAbs(args[1]), ts.MkAbs(args[2]))
	ts.Check(err)
	home := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodHead || r.URL.String() != "/payctl/payctl/releases/latest" || r.Host != "github.com" ||
			len(r.Header) != 1 || r.UserAgent() == "" {
			w.WriteHeader(http.StatusTeapot)
			return
		}
		w.Header().Set("Location", args[3])
		w.WriteHeader(http.StatusFound)
	}))
	home.TLS = &tls.Config{Certificates: []tls.Certificate{certificate}}
	home.StartTLS()
	ts.Defer(home.Close)
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodConnect || r.Host != "github.com:443" {
			w.WriteHeader(http.StatusTeapot)
			return
		}
		tunnel(w, r, home.Listener.Addr().String())
	}))
	ts.Defer(proxy.Close)
	ts.Setenv(args[0], proxy.Listener.Addr().String())
}
