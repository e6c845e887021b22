package client

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/payments"
)

// setProxies sets the variables of the environment that name proxies, and unsets the others.
func setProxies(t *testing.T, variables map[string]string) {
	for _, name := range append(ProxyVariables(), "NO_PROXY", "no_proxy") {
		t.Setenv(name, "")
	}
	for name, value := range variables {
		t.Setenv(name, value)
	}
}

// shownAs is how a variable is named to the user. On Windows names that differ in capitals are those of one variable.
func shownAs(name string) string {
	if runtime.GOOS == "windows" {
		return strings.ToUpper(name)
	}
	return name
}

// net/http ignores a proxy that it cannot parse, and connects without it.
func TestProxiesThatCannotBeRead(t *testing.T) {
	for _, name := range []string{"HTTPS_PROXY", "https_proxy"} {
		for _, value := range []string{
			"http://ada:pass%word@proxy.test:3128", "http://ada:pa ss@proxy.test", "ada:pa ss@proxy.test", "http://[::1", "http://[::1]:x", "http://", "http:///x",
			"://x", "ftp://proxy.test", "http://proxy.test:99999", "file:///etc/passwd", "\x7f",
		} {
			t.Run(name+" "+url.PathEscape(value), func(t *testing.T) {
				setProxies(t, map[string]string{name: value})
				service := &url.URL{Scheme: "https", Host: "payments.test", Path: "/"}
				_, err := proxyFor(&http.Request{URL: service})
				var unusable *ProxyError
				require.ErrorAs(t, err, &unusable)
				require.Equal(t, shownAs(name), unusable.Variable)
				require.NotContains(t, err.Error(), "pass")

				t.Setenv("NO_PROXY", "other.test, payments.test")
				proxy, err := proxyFor(&http.Request{URL: service})
				require.NoError(t, err, "it would not be used")
				require.Nil(t, proxy)

				local := &url.URL{Scheme: "https", Host: "127.0.0.1:1", Path: "/"}
				proxy, err = proxyFor(&http.Request{URL: local})
				require.NoError(t, err, "this machine is never spoken to through one")
				require.Nil(t, proxy)
			})
		}
	}
}

func TestProxiesThatCanBeRead(t *testing.T) {
	t.Parallel()
	for _, value := range []string{
		"http://proxy.test:3128", "https://proxy.test", "socks5://127.0.0.1:1080", "socks5h://[::1]:1080", "proxy.test", "proxy.test:3128", "127.0.0.1:3128",
		"http://ada:p%40ss@proxy.test:3128/", "ada:secret@proxy.test:3128", "http://proxy.test:",
	} {
		require.True(t, IsProxy(value), value)
	}
}

// The cases are the forms of https://pkg.go.dev/golang.org/x/net/http/httpproxy#Config.
func TestMayUseProxy(t *testing.T) {
	t.Parallel()
	service := &url.URL{Scheme: "https", Host: "api.payments.test:8443"}
	for without, may := range map[string]bool{
		"": true, "*": false, "payments.test": false, ".payments.test": false, "api.payments.test:8443": false,
		"API.Payments.Test": false, " other.test ,payments.test": false, "api.payments.test:443": true, "ments.test": true, "10.0.0.0/8": true,
	} {
		for _, name := range []string{"NO_PROXY", "no_proxy"} {
			getenv := func(asked string) string { return map[string]string{name: without}[asked] }
			require.Equal(t, may, MayUseProxy(getenv, service), without)
			require.False(t, MayUseProxy(getenv, &url.URL{Scheme: "https", Host: "LOCALHOST:1"}), without)
		}
	}
	named := func(string) string { return "10.0.0.0/8" }
	require.False(t, MayUseProxy(named, &url.URL{Scheme: "http", Host: "10.1.2.3"}))
	require.True(t, MayUseProxy(named, &url.URL{Scheme: "http", Host: "11.1.2.3"}))
}

func TestProxyOfAProgramThatAWebServerCalls(t *testing.T) {
	setProxies(t, map[string]string{"HTTP_PROXY": "http://proxy.test", "https_proxy": "proxy.test:8080"})
	t.Setenv("REQUEST_METHOD", "GET")
	_, err := proxyFor(&http.Request{URL: &url.URL{Scheme: "http", Host: "payments.test"}})
	require.ErrorContains(t, err, "REQUEST_METHOD")
	proxy, err := proxyFor(&http.Request{URL: &url.URL{Scheme: "https", Host: "payments.test"}})
	require.NoError(t, err)
	require.Equal(t, "http://proxy.test:8080", proxy.String())
}

func TestProxyVariable(t *testing.T) {
	t.Parallel()
	environment := map[string]string{"https_proxy": "low", "HTTP_PROXY": "plain", "ALL_PROXY": "all"}
	getenv := func(name string) string { return environment[name] }
	for scheme, want := range map[string]string{"https": "https_proxy", "http": "HTTP_PROXY", "gopher": ""} {
		name, value := ProxyVariable(getenv, &url.URL{Scheme: scheme})
		require.Equal(t, want, name)
		require.Equal(t, environment[want], value)
	}
}

// A proxy that does not connect holds no call, and nothing is sent through it.
func TestProxiesThatDoNotConnect(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]func(net.Conn, string){
		"another protocol": func(c net.Conn, _ string) {
			_, _ = io.WriteString(c, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n")
			_, _ = io.Copy(io.Discard, c)
		},
		"informational answers": func(c net.Conn, _ string) { endless(c, "HTTP/1.1 103 Early Hints\r\n\r\n") },
		"a header without end":  func(c net.Conn, _ string) { _, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\n"); endless(c, "X-A: b\r\n") },
		"a line without end":    func(c net.Conn, _ string) { endless(c, "a") },
		"no TLS behind it":      func(c net.Conn, _ string) { endless(c, "HTTP/1.1 200 OK\r\n\r\n") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			proxy := raw(t, answer)
			c, _ := connect(t, "https://payments.test", func(config *Config) { config.Retries = 0 })
			through, err := url.Parse(proxy.URL)
			require.NoError(t, err)
			c.transport.Proxy = http.ProxyURL(through)
			for _, call := range []func(context.Context, *Client) error{readCall, keyedCall} {
				err := call(t.Context(), c)
				require.Equal(t, payments.KindUnreachable, kindOf(t, err), "%v", err)
				require.Less(t, len(err.Error()), 1000)
			}
		})
	}
}

// A proxy that wants other credentials is named by its variable, never by its password.
func TestProxyThatWantsCredentials(t *testing.T) {
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusProxyAuthRequired)
	}))
	defer proxy.Close()
	for _, scheme := range []string{"https", "http"} { // of plain http the refusal is an answer
		variable := strings.ToUpper(scheme) + "_PROXY"
		setProxies(t, map[string]string{variable: "http://ada:pass-word@" + proxy.Listener.Addr().String()})
		c, err := New(Config{
			BaseURL: &url.URL{Scheme: scheme, Host: "payments.test"}, AllowInsecureHTTP: true, Token: staticToken("token-of-a-test"),
		})
		require.NoError(t, err)
		_, probed := c.Probe(t.Context())
		for _, err := range []error{probed, readCall(t.Context(), c)} {
			require.ErrorContains(t, err, "he proxy of the environment ("+variable+") wants a user name and a password")
			require.NotContains(t, err.Error(), "pass-word")
		}
		require.ErrorContains(t, probed, "Correct "+variable)
	}
}
