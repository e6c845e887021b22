package app

import (
	"context"
	"crypto/tls"
	"errors"
	"net"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/refserver"
)

// checkMetricsAddress refuses an address of --metrics that has not the form of one.
func checkMetricsAddress(c cmdutil.ServeConfig) error {
	if _, _, err := net.SplitHostPort(c.MetricsAddr); c.MetricsAddr != "" && err != nil {
		return cmdutil.Usage("--metrics must have no value or the form HOST:PORT, such as --metrics=127.0.0.1:9090")
	}
	return nil
}

// listenForMetrics returns the listener of metrics that have an address of their own, otherwise nil, and the URL of the
// metrics, which is empty if there are none. Metrics are read without a login, so it warns if other machines reach
// them.
func listenForMetrics(
	ctx context.Context, d *cmdutil.Deps, c cmdutil.ServeConfig, service net.Listener, serviceAt string,
) (listener net.Listener, url string, err error) {
	switch {
	case !c.Metrics:
		return nil, "", nil
	case c.MetricsAddr == "":
		url = serviceAt
	default:
		if listener, err = (&net.ListenConfig{}).Listen(ctx, "tcp", c.MetricsAddr); err != nil {
			return nil, "", orFileLimit(err, cmdutil.Usage(
				"the service cannot listen on %s for --metrics: %s", c.MetricsAddr, reason(err)).
				WithHint("choose another address; port 0 picks a free one"))
		}
		service, url = listener, serviceURL(listener, c.MetricsAddr, nil)
	}
	url += refserver.MetricsPath
	if !isLocal(service.Addr().String()) {
		d.Warnf("anybody on the network can read the metrics at %s: how busy the service is, but nothing of its clients", url)
	}
	return listener, url, nil
}

// serveAll answers requests until the context ends and they have finished, and meanwhile those for the metrics if these
// have a listener of their own.
func serveAll(
	ctx context.Context, service *refserver.Server, listener net.Listener, security *tls.Config, metrics net.Listener,
) error {
	if metrics == nil {
		return service.Serve(ctx, listener, security)
	}
	measuring, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	stopped := make(chan error, 1)
	go func() { stopped <- service.ServeMetrics(measuring, metrics, isLocal(metrics.Addr().String())) }()
	err := service.Serve(ctx, listener, security)
	stop()
	return errors.Join(err, <-stopped)
}
