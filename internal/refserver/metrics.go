package refserver

import (
	"context"
	"errors"
	"iter"
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
	observed       store.ObservableStore // nil: the store has nothing to tell
	committed      metrics.Histogram     // the time of commits
	failedUpdates  atomic.Uint64
	failedReads    atomic.Uint64
	failedReplaces atomic.Uint64
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
	if observable, ok := in.(store.ObservableStore); ok {
		m.store.observed = observable
		observable.SetObserver(&m.store)
	}
	return countedStore{in, &m.store}
}

// configure makes a server count, and answer with the metrics.
func (m *serviceMetrics) configure(of *server.Config) {
	if m != nil {
		of.Metrics, of.MetricsText = m.server, m.text
	}
}

// Committed implements store.Observer.
func (m *storeMetrics) Committed(took time.Duration, _ int) { m.committed.Observe(took) }

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
	t.Add(float64(m.failedReplaces.Load()), "operation", "replace")
	if m.observed == nil {
		return
	}
	t.Begin("payctl_store_commit_duration_seconds", "histogram", "Time that a commit to the database took.")
	t.AddHistogram(&m.committed)
	stats := m.observed.Stats()
	t.Begin("payctl_store_watch_lag_seconds", "gauge", "Time since the store last looked for changes by other servers; "+
		"0 while nothing waits for them.")
	t.Add(stats.WatchLag.Seconds())
	now := stats.Connections
	if now.Max == 0 {
		return
	}
	t.Begin("payctl_database_connections_max", "gauge", "The most connections to the database.")
	t.Add(float64(now.Max))
	t.Begin("payctl_database_connections", "gauge", "Connections to the database, by state.")
	t.Add(float64(now.InUse), "state", "in_use")
	t.Add(float64(now.Idle), "state", "idle")
	t.Begin("payctl_database_connection_waits_total", "counter", "How often no connection to the database was idle.")
	t.Add(float64(now.Waits))
	t.Begin("payctl_database_connection_wait_seconds_total", "counter", "Time for which connections to the database were waited for.")
	t.Add(now.Waited.Seconds())
}

// countedStore counts the failures of a store.
type countedStore struct {
	store.Store
	metrics *storeMetrics
}

func (s countedStore) Update(
	ctx context.Context, world string, fn func(store.Tx) error, needs ...store.Need,
) error {
	return countFailure(&s.metrics.failedUpdates, s.Store.Update(ctx, world, fn, needs...))
}

func (s countedStore) View(ctx context.Context, world string, fn func(store.Tx) error) error {
	return countFailure(&s.metrics.failedReads, s.Store.View(ctx, world, fn))
}

func (s countedStore) Replace(
	ctx context.Context, world string, parts iter.Seq[func(store.Tx) error], last func(store.Tx) error,
) error {
	return countFailure(&s.metrics.failedReplaces, s.Store.Replace(ctx, world, parts, last))
}

func countFailure(in *atomic.Uint64, err error) error {
	if errors.Is(err, store.ErrUnavailable) {
		in.Add(1)
	}
	return err
}
