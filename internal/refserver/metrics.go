package refserver

import (
	"context"
	"errors"
	"iter"
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
	observed       store.ObservableStore // nil: the store has nothing to tell
	committed      *metrics.Histogram    // the time of commits
	updates        *metrics.Histogram    // in a commit
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
		// From a commit to a fast disk to one that waits until a database on another machine has recovered.
		m.store.committed = metrics.NewTimes(250*time.Microsecond, 500*time.Microsecond, time.Millisecond,
			2500*time.Microsecond, 5*time.Millisecond, 10*time.Millisecond, 25*time.Millisecond, 50*time.Millisecond,
			100*time.Millisecond, 250*time.Millisecond, time.Second, 5*time.Second)
		m.store.updates = metrics.NewCounts(1, 2, 4, 8, 16, 32, 64, 128, 256)
		observable.SetObserver(&m.store)
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

// Committed implements store.Observer.
func (m *storeMetrics) Committed(took time.Duration, updates int) {
	m.committed.ObserveTime(took)
	m.updates.Observe(int64(updates))
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
	t.Add(float64(m.failedReplaces.Load()), "operation", "replace")
	if m.observed == nil {
		return
	}
	t.Histogram("payctl_store_commit_duration_seconds", "Time that a commit to the database took.")
	t.AddHistogram(m.committed)
	t.Histogram("payctl_store_commit_updates", "Updates that were committed together.")
	t.AddHistogram(m.updates)
	stats := m.observed.Stats()
	t.Gauge("payctl_store_watch_lag_seconds", "Time since the store last looked for changes by other servers; "+
		"0 while nothing waits for them.")
	t.Add(stats.WatchLag.Seconds())
	now := stats.Connections
	if now.Max == 0 {
		return
	}
	t.Gauge("payctl_database_connections_max", "The most connections to the database.")
	t.Add(float64(now.Max))
	t.Gauge("payctl_database_connections", "Connections to the database, by state.")
	t.Add(float64(now.InUse), "state", "in_use")
	t.Add(float64(now.Idle), "state", "idle")
	t.Counter("payctl_database_connection_waits_total", "How often no connection to the database was idle.")
	t.Add(float64(now.Waits))
	t.Counter("payctl_database_connection_wait_seconds_total", "Time for which connections to the database were waited for.")
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

// ServeMetrics answers GET /metrics on a listener of its own until the context ends. The fields Local, Hosts and Bounds
// of the configuration apply as they do to the service; local is whether the listener is for this machine only.
func (s *Server) ServeMetrics(ctx context.Context, listener net.Listener, local bool) error {
	own := server.New(server.Config{
		Version: s.config.Version, Local: local, Hosts: s.config.Hosts, Bounds: s.config.Bounds, Log: s.config.Log,
		MetricsText: s.metrics.text, MetricsOnly: true,
	})
	return own.Serve(ctx, listener, nil, own, service.ErrStopping)
}
