package client

import (
	"cmp"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/http/httpproxy"
)

// A ProxyError says that the environment names a proxy that cannot be used. Unlike net/http's own errors it does not quote the
// variable, and with it a password in it.
type ProxyError struct {
	// Variable is the environment's.
	Variable string
	reason   string
}

// Error implements error.
func (e *ProxyError) Error() string { return e.reason }

// ProxyVariables lists the variables of the environment that name proxies, for https and for http, those first that count; what
// the last two say goes for everything elsewhere, and nowhere here.
func ProxyVariables() []string {
	return []string{"HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"}
}

// ProxyVariable is the variable that names the proxy for a URL, and what it says; empty when none does, and where none would be
// used.
func ProxyVariable(getenv func(string) string, target *url.URL) (name, value string) {
	names := ProxyVariables()
	name, value = first(getenv, map[string][]string{"https": names[:2], "http": names[2:4]}[target.Scheme]...)
	if value == "" || !MayUseProxy(getenv, target) { // every request asks, and hardly any environment names a proxy
		return "", ""
	}
	return name, value
}

// MayUseProxy says whether a URL is one for which a proxy is used where the environment names one: this machine's never are, nor
// those that NO_PROXY excepts.
func MayUseProxy(getenv func(string) string, target *url.URL) bool {
	if isLoopback(target) {
		return false
	}
	const some = "http://proxy.invalid"
	_, without := first(getenv, "NO_PROXY", "no_proxy")
	proxy, err := (&httpproxy.Config{HTTPProxy: some, HTTPSProxy: some, NoProxy: without}).ProxyFunc()(target)
	return err == nil && proxy != nil
}

// first is the first of some variables that says something.
func first(getenv func(string) string, names ...string) (name, value string) {
	for _, name := range names {
		if value := getenv(name); value != "" {
			return name, value
		}
	}
	return "", ""
}

// IsProxy says whether what a variable holds can be read as a proxy: its URL, or its host and port.
func IsProxy(value string) bool {
	proxy, err := readProxy(value)
	return err == nil && canBeUsed(proxy)
}

func readProxy(value string) (*url.URL, error) {
	if !strings.Contains(value, "://") {
		value = "http://" + value
	}
	return url.Parse(value)
}

func canBeUsed(proxy *url.URL) bool {
	_, err := strconv.ParseUint(cmp.Or(proxy.Port(), "0"), 10, 16)
	return err == nil && proxy.Hostname() != "" && slices.Contains([]string{"http", "https", "socks5", "socks5h"}, proxy.Scheme)
}

// proxyFor is the proxy that HTTPS_PROXY, HTTP_PROXY and NO_PROXY, also in lower case, say for a request; nil for none. A
// service on this machine is never spoken to through one.
func proxyFor(request *http.Request) (*url.URL, error) {
	name, value := ProxyVariable(os.Getenv, request.URL)
	if value == "" {
		return nil, nil
	}
	// net/http goes without a proxy whose URL it cannot read, such as one with a percent sign in its password, and so past what
	// the user meant to be passed.
	proxy, err := readProxy(value)
	if err != nil || !canBeUsed(proxy) {
		return nil, &ProxyError{name, "the environment names a proxy that is no URL (" + name + "); it looks like http://proxy.example:3128, with % written as %25"}
	}
	// A web server hands the header field Proxy of a request on as HTTP_PROXY (https://go.dev/s/cgihttpproxy).
	if request.URL.Scheme == "http" && os.Getenv("REQUEST_METHOD") != "" {
		return nil, &ProxyError{name, fmt.Sprintf("the proxy of the environment (%s) is not used in programs that a web server calls (REQUEST_METHOD)", name)}
	}
	return proxy, nil
}

// Proxy is the proxy through which the service is spoken to, without its credentials; empty when there is none. The error is a
// *ProxyError.
func (c *Client) Proxy() (string, error) {
	proxy, err := proxyFor(&http.Request{URL: c.base})
	if proxy == nil {
		return "", err
	}
	return proxy.Scheme + "://" + proxy.Host, nil
}
