package client

import (
	"net/http"
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestProxiesThatCannotBeRead: net/http takes a proxy that it cannot read for none, and connects past it.
func TestProxiesThatCannotBeRead(t *testing.T) {
	for _, name := range []string{"HTTPS_PROXY", "https_proxy"} {
		for _, value := range []string{
			"http://ada:pass%word@proxy.test:3128", "http://ada:pa ss@proxy.test", "ada:pa ss@proxy.test", "http://[::1", "http://[::1]:x", "http://", "http:///x",
			"://x", "ftp://proxy.test", "http://proxy.test:99999", "file:///etc/passwd", "\x7f",
		} {
			t.Run(name+" "+url.PathEscape(value), func(t *testing.T) {
				for _, other := range ProxyVariables() {
					t.Setenv(other, "")
				}
				t.Setenv(name, value)
				service := &url.URL{Scheme: "https", Host: "payments.test", Path: "/"}
				_, err := proxyFor(&http.Request{URL: service})
				var unusable *ProxyError
				require.ErrorAs(t, err, &unusable)
				require.Equal(t, name, unusable.Variable)
				require.NotContains(t, err.Error(), "pass")

				local := &url.URL{Scheme: "https", Host: "127.0.0.1:1", Path: "/"}
				proxy, err := proxyFor(&http.Request{URL: local})
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
