package e2e

import (
	"encoding/base64"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"

	"github.com/go-json-experiment/json"
	"github.com/rogpeppe/go-internal/testscript"
)

// forward starts a proxy that wants a password and leads every tunnel to the service that a ready file names, whatever host
// was asked for: `forward NAME FILE` puts its host and port into the environment.
func forward(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: forward NAME FILE")
	}
	var ready struct {
		URL string `json:"url"`
	}
	ts.Check(json.Unmarshal([]byte(ts.ReadFile(args[1])), &ready))
	service, err := url.Parse(ready.URL)
	ts.Check(err)
	wanted := "Basic " + base64.StdEncoding.EncodeToString([]byte("ada:pr0xy-pa55"))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodConnect || r.Header.Get("Proxy-Authorization") != wanted {
			w.WriteHeader(http.StatusProxyAuthRequired)
			return
		}
		tunnel(w, r, service.Host)
	}))
	ts.Defer(server.Close)
	ts.Setenv(args[0], server.Listener.Addr().String())
}

func tunnel(w http.ResponseWriter, r *http.Request, to string) {
	there, err := (&net.Dialer{}).DialContext(r.Context(), "tcp", to)
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	defer there.Close()
	here, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	defer here.Close()
	if _, err := io.WriteString(here, "HTTP/1.1 200 OK\r\n\r\n"); err != nil {
		return
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = io.Copy(there, buffered)
		_ = there.(*net.TCPConn).CloseWrite()
	}()
	_, _ = io.Copy(here, there)
	_ = here.Close() // so that the other direction ends, too
	<-done
}
