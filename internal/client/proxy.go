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

// A ProxyError means that the environment names a proxy that cannot be used. Unlike errors of net/http it does not
// quote the value, which may hold a password.
type ProxyError struct {
	Variable string // of the environment
	reason   string
}

func (e *ProxyError) Error() string { return e.reason }

// ProxyVariables lists the environment variables that name proxies: two for https, two for http, and two that only
// other programs read. The first of a pair that is set counts.
func ProxyVariables() []string {
	return []string{"HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"}
}

// ProxyOf returns the proxy of a URL and the variable that names it: HTTPS_PROXY or HTTP_PROXY, except for NO_PROXY,
// also in lower case. A service on this machine has no proxy. net/http would ignore a proxy URL that it cannot parse,
// and bypass the proxy. ProxyOf returns an error.
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
		HTTPProxy: "http://any.invalid", HTTPSProxy: "http://any.invalid",
		NoProxy: cmp.Or(getenv("NO_PROXY"), getenv("no_proxy")),
	}
	if use, err := hosts.ProxyFunc()(target); err != nil || use == nil || value == "" || settings.IsLoopback(target) {
		return "", nil, nil //nolint:nilerr // a target that cannot be matched has no proxy
	}
	if !strings.Contains(value, "://") {
		value = "http://" + value
	}
	proxy, err = url.Parse(value)
	if err == nil {
		_, err = strconv.ParseUint(cmp.Or(proxy.Port(), "0"), 10, 16)
	}
	if err != nil || proxy.Hostname() == "" || !slices.Contains([]string{"http", "https", "socks5", "socks5h"},
		proxy.Scheme) {
		return "", nil, &ProxyError{variable, "the environment names a proxy that is not a URL (" + variable +
			"); write it as http://proxy.example:3128, with %25 for %"}
	}
	return variable, proxy, nil
}

// refusedByProxy returns an error if an answer has status 407: the proxy wants other credentials than those in its URL.
// It names the variable but not the URL, which may hold a password.
func refusedByProxy(target *url.URL, status int) error {
	name, _, _ := ProxyOf(os.Getenv, target)
	if status != http.StatusProxyAuthRequired || name == "" {
		return nil
	}
	return &ProxyError{name, "the proxy of the environment (" + name + ") wants a valid user name and password " +
		"(407): they are part of its URL, as in http://USER:PASSWORD@proxy.example:3128"}
}
