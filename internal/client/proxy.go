package client

import (
	"cmp"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/http/httpproxy"

	"github.com/payctl/payctl/internal/settings"
)

// A ProxyError reports that the environment names a proxy that cannot be used. Unlike the errors of net/http it does
// not quote the value, which may hold a password.
type ProxyError struct {
	Variable string // of the environment
	reason   string
}

func (e *ProxyError) Error() string { return e.reason }

// ProxyVariables lists the variables of the environment that name proxies: two for https, two for http, and two that
// other programs read and this one ignores. Of two, the first that is set counts.
func ProxyVariables() []string {
	return []string{"HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"}
}

// ProxyVariable returns the variable that names the proxy for a URL, and its value; empty if no proxy is used: not for
// this machine, and not for hosts that NO_PROXY names.
func ProxyVariable(getenv func(string) string, target *url.URL) (name, value string) {
	names := ProxyVariables()
	if target.Scheme == "http" {
		names = names[2:]
	}
	without := httpproxy.Config{
		HTTPProxy: "http://any.invalid", HTTPSProxy: "http://any.invalid", NoProxy: cmp.Or(getenv("NO_PROXY"), getenv("no_proxy")),
	}
	if proxy, err := without.ProxyFunc()(target); err != nil || proxy == nil || settings.IsLoopback(target) {
		return "", ""
	}
	for _, name := range names[:2] {
		if value := getenv(name); value != "" {
			return name, value
		}
	}
	return "", ""
}

// IsProxy reports whether the value of a variable names a proxy: by a URL, or by host and port.
func IsProxy(value string) bool { return proxyURL(value) != nil }

// proxyURL reads the value of a variable that names a proxy; nil if it names none.
func proxyURL(value string) *url.URL {
	if !strings.Contains(value, "://") {
		value = "http://" + value
	}
	proxy, err := url.Parse(value)
	if err != nil {
		return nil
	}
	_, err = strconv.ParseUint(cmp.Or(proxy.Port(), "0"), 10, 16)
	if err != nil || proxy.Hostname() == "" || !slices.Contains([]string{"http", "https", "socks5", "socks5h"}, proxy.Scheme) {
		return nil
	}
	return proxy
}

// proxyOf returns the proxy that HTTPS_PROXY, HTTP_PROXY and NO_PROXY, also in lower case, name for a URL, and the
// variable that names it; nil for none. No proxy is used for a service on this machine. net/http ignores a proxy whose URL
// it cannot parse, such as one with a percent sign in its password; the request would then bypass the proxy.
func proxyOf(target *url.URL) (variable string, proxy *url.URL, err error) {
	name, value := ProxyVariable(os.Getenv, target)
	if value == "" {
		return "", nil, nil
	}
	if proxy = proxyURL(value); proxy == nil {
		return "", nil, &ProxyError{name, "the environment names a proxy that is no URL (" + name +
			"); it looks like http://proxy.example:3128, with % written as %25"}
	}
	return name, proxy, nil
}

// refusedByProxy is the error of a proxy that wants other credentials than those in its URL; nil if the status of an
// answer is another, or no proxy is used. It names the variable with the URL, and not the URL, which may hold a password.
func refusedByProxy(target *url.URL, status int) error {
	name, _ := ProxyVariable(os.Getenv, target)
	if status != http.StatusProxyAuthRequired || name == "" {
		return nil
	}
	return &ProxyError{name, "the proxy of the environment (" + name + ") wants a user name and a password that it accepts " +
		"(407): they are part of its URL, as in http://USER:PASSWORD@proxy.example:3128"}
}
