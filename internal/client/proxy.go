package client

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
)

// errProxy stands for net/http's own error, which quotes the variable and with it a password in it.
var errProxy = errors.New("the environment names a proxy that is no URL (HTTPS_PROXY or HTTP_PROXY); it looks like http://proxy.example:3128")

// proxyFor is the proxy that HTTPS_PROXY, HTTP_PROXY and NO_PROXY, also in lower case, say for a request; nil for none. A
// service on this machine is never spoken to through one.
func proxyFor(request *http.Request) (*url.URL, error) {
	if isLoopback(request.URL) {
		return nil, nil
	}
	proxy, err := http.ProxyFromEnvironment(request)
	if err != nil || proxy != nil && (proxy.Hostname() == "" || !slices.Contains([]string{"http", "https", "socks5", "socks5h"}, proxy.Scheme)) {
		return nil, errProxy
	}
	return proxy, nil
}

// Proxy is the proxy through which the service is spoken to, without its credentials; empty when there is none.
func (c *Client) Proxy() (string, error) {
	proxy, err := proxyFor(&http.Request{URL: c.base})
	if proxy == nil {
		return "", err
	}
	return proxy.Scheme + "://" + proxy.Host, nil
}
