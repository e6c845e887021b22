package refserver

import (
	"context"
	"errors"
	"net"
	"sync/atomic"
	"time"

	"github.com/payctl/payctl/internal/metrics"
	"github.com/payctl/payctl/internal/server"
	"github.com/payctl/payctl/internal/service"
	"github.com/payctl/payctl/internal/store"
)

// MetricsPath is the path at which metrics are served.
const MetricsPath = server.MetricsPath

// serviceMetrics are the metrics of a service; nil if it is not measured.
type serviceMetrics struct {
	version string
	started time.Time
	server  *server.Metrics
	store   storeMetrics
}

// storeMetrics counts what happens in a store.
type storeMetrics struct {
	failedUpdates atomic.Uint64
	failedReads   atomic.Uint64
}

func newServiceMetrics(config Config) *serviceMetrics {
	if !config.Metrics {
		return nil
	}
	return &serviceMetrics{version: config.Version, started: time.Now(), server: server.NewMetrics()}
}

// observeStore returns a store in place of one, and counts what happens in it from then on.
func (m *serviceMetrics) observeStore(in store.Store) store.Store {
	if m == nil {
		return in
	}
	return countedStore{in, &m.store}
}

// configure makes a server count, and answer with the metrics if the configuration says so.
func (m *serviceMetrics) configure(of *server.Config, path bool) {
	if m == nil {
		return
	}
	of.Metrics = m.server
	if path {
		of.MetricsText = m.text
	}
}

// text writes all metrics.
func (m *serviceMetrics) text() []byte {
	var t metrics.Text
	t.Gauge("payctl_build_info", "The version of the service.")
	t.Add(1, "version", m.version)
	m.server.AddTo(&t)
	m.store.addTo(&t)
	t.AddProcess(m.started)
	return t.Bytes()
}

func (m *storeMetrics) addTo(t *metrics.Text) {
	t.Counter("payctl_store_failures_total",
		"Attempts to reach the data that failed, because the database or its disk did.")
	t.Add(float64(m.failedUpdates.Load()), "operation", "update")
	t.Add(float64(m.failedReads.Load()), "operation", "read")
}

// countedStore counts the failures of a store.
type countedStore struct {
	store.Store
	metrics *storeMetrics
}

func (s countedStore) Update(ctx context.Context, world string, fn func(store.Tx) error) error {
	return countFailure(&s.metrics.failedUpdates, s.Store.Update(ctx, world, fn))
}

func (s countedStore) View(ctx context.Context, world string, fn func(store.Tx) error) error {
	return countFailure(&s.metrics.failedReads, s.Store.View(ctx, world, fn))
}

func countFailure(in *atomic.Uint64, err error) error {
	if errors.Is(err, store.ErrUnavailable) {
		in.Add(1)
	}
	return err
}

// ServeMetrics answers GET /metrics on a listener of its own until the context ends. The fields Local, Hosts and Bounds
// of the configuration apply as they do to the service; local is whether the listener is for this machine only.
func (s *Server) ServeMetrics(ctx context.Context, listener net.Listener, local bool) error {
	own := server.New(server.Config{
		Version: s.config.Version, Local: local, Hosts: s.config.Hosts, Bounds: s.config.Bounds, Log: s.config.Log,
		MetricsText: s.metrics.text, MetricsOnly: true,
	})
	return own.Serve(ctx, listener, nil, own, service.ErrStopping)
}
