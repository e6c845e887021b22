package refserver

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/payctl/payctl/internal/metrics"
	"github.com/payctl/payctl/internal/server"
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

// configure makes a server count, and answer with the metrics.
func (m *serviceMetrics) configure(of *server.Config) {
	if m != nil {
		of.Metrics, of.MetricsText = m.server, m.text
	}
}

// text writes all metrics.
func (m *serviceMetrics) text() []byte {
	var t metrics.Text
	t.Begin("payctl_build_info", "gauge", "The version of the service.")
	t.Add(1, "version", m.version)
	m.server.AddTo(&t)
	m.store.addTo(&t)
	t.AddProcess(m.started)
	return t.Bytes()
}

func (m *storeMetrics) addTo(t *metrics.Text) {
	t.Begin("payctl_store_failures_total", "counter",
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
