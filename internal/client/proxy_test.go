package client

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/payments"
)

// setProxies sets these proxy variables of the environment, and unsets the others.
func setProxies(t *testing.T, variables map[string]string) {
	for _, name := range append(ProxyVariables(), "NO_PROXY", "no_proxy") {
		t.Setenv(name, "")
	}
	for name, value := range variables {
		t.Setenv(name, value)
	}
}

// shownAs returns the name of a variable that the user sees. On Windows, names that differ in case are one variable.
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
			"http://ada:pass%word@proxy.test:3128", "http://ada:pa ss@proxy.test", "ada:pa ss@proxy.test", "http://[::1",
			"http://[::1]:x", "http://", "http:///x",
			"://x", "ftp://proxy.test", "http://proxy.test:99999", "file:///etc/passwd", "\x7f",
		} {
			t.Run(name+" "+url.PathEscape(value), func(t *testing.T) {
				setProxies(t, map[string]string{name: value})
				service := &url.URL{Scheme: "https", Host: "payments.test", Path: "/"}
				_, _, err := ProxyOf(os.Getenv, service)
				var unusable *ProxyError
				require.ErrorAs(t, err, &unusable)
				require.Equal(t, shownAs(name), unusable.Variable)
				require.NotContains(t, err.Error(), "pass")

				t.Setenv("NO_PROXY", "other.test, payments.test")
				_, proxy, err := ProxyOf(os.Getenv, service)
				require.NoError(t, err, "the proxy would not be used")
				require.Nil(t, proxy)

				local := &url.URL{Scheme: "https", Host: "127.0.0.1:1", Path: "/"}
				_, proxy, err = ProxyOf(os.Getenv, local)
				require.NoError(t, err, "this machine is never reached through a proxy")
				require.Nil(t, proxy)
			})
		}
	}
}

// A proxy that does not connect does not hold up a call, and nothing is sent through it.
func TestProxiesThatDoNotConnect(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]func(net.Conn, string){
		"another protocol": func(c net.Conn, _ string) {
			_, _ = io.WriteString(c, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n")
			_, _ = io.Copy(io.Discard, c)
		},
		"informational answers": func(c net.Conn, _ string) { endless(c, "HTTP/1.1 103 Early Hints\r\n\r\n") },
		"a header without end": func(c net.Conn, _ string) {
			_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\n")
			endless(c, "X-A: b\r\n")
		},
		"a line without end": func(c net.Conn, _ string) { endless(c, "a") },
		"no TLS behind it":   func(c net.Conn, _ string) { endless(c, "HTTP/1.1 200 OK\r\n\r\n") },
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
				require.Equal(t, payments.ProblemUnreachable, kindOf(t, err), "%v", err)
				require.Less(t, len(err.Error()), 1000)
			}
		})
	}
}

// The error about a proxy that wants other credentials names its variable, and never its password.
func TestProxyThatWantsCredentials(t *testing.T) {
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusProxyAuthRequired)
	}))
	defer proxy.Close()
	for _, scheme := range []string{"https", "http"} { // over plain HTTP, the refusal is an ordinary answer
		variable := strings.ToUpper(scheme) + "_PROXY"
		setProxies(t, map[string]string{variable: "http://ada:pass-word@" + proxy.Listener.Addr().String()})
		c, err := New(Config{
			BaseURL: &url.URL{Scheme: scheme, Host: "payments.test"}, AllowInsecureHTTP: true,
			Token: staticToken("token-of-a-test"),
		})
		require.NoError(t, err)
		_, probed := c.Probe(t.Context())
		for _, err := range []error{probed, readCall(t.Context(), c)} {
			require.ErrorContains(t, err, "he proxy of the environment ("+variable+") wants a valid user name and password")
			require.NotContains(t, err.Error(), "pass-word")
		}
		require.ErrorContains(t, probed, "Correct "+variable)
	}
}
