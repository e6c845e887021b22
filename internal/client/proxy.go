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

// ProxyOf returns the proxy that HTTPS_PROXY, HTTP_PROXY and NO_PROXY, also in lower case, name for a URL, and the variable
// that names it; empty for none. No proxy is used for a service on this machine. net/http ignores a proxy whose URL it
// cannot parse, such as one with a percent sign in its password; the request would then bypass the proxy.
func ProxyOf(getenv func(string) string, target *url.URL) (variable string, proxy *url.URL, err error) {
	names := ProxyVariables()
	if target.Scheme == "http" {
		names = names[2:]
	}
	variable = names[0]
	if getenv(variable) == "" {
		variable = names[1]
	}
	value := getenv(variable)
	hosts := httpproxy.Config{
		HTTPProxy: "http://any.invalid", HTTPSProxy: "http://any.invalid", NoProxy: cmp.Or(getenv("NO_PROXY"), getenv("no_proxy")),
	}
	if use, err := hosts.ProxyFunc()(target); err != nil || use == nil || value == "" || settings.IsLoopback(target) {
		return "", nil, nil //nolint:nilerr // no proxy is used for what cannot be matched
	}
	if !strings.Contains(value, "://") {
		value = "http://" + value
	}
	proxy, err = url.Parse(value)
	if err == nil {
		_, err = strconv.ParseUint(cmp.Or(proxy.Port(), "0"), 10, 16)
	}
	if err != nil || proxy.Hostname() == "" || !slices.Contains([]string{"http", "https", "socks5", "socks5h"}, proxy.Scheme) {
		return "", nil, &ProxyError{variable, "the environment names a proxy that is no URL (" + variable +
			"); it looks like http://proxy.example:3128, with % written as %25"}
	}
	return variable, proxy, nil
}

// refusedByProxy is the error of a proxy that wants other credentials than those in its URL; nil if the status of an
// answer is another, or no proxy is used. It names the variable with the URL, and not the URL, which may hold a password.
func refusedByProxy(target *url.URL, status int) error {
	name, _, _ := ProxyOf(os.Getenv, target)
	if status != http.StatusProxyAuthRequired || name == "" {
		return nil
	}
	return &ProxyError{name, "the proxy of the environment (" + name + ") wants a user name and a password that it accepts " +
		"(407): they are part of its URL, as in http://USER:PASSWORD@proxy.example:3128"}
}
