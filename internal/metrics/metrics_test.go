package metrics_test

import (
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/metrics"
)

// parse reads a text with the parser of Prometheus.
func parse(t *testing.T, text *metrics.Text) map[string]*dto.MetricFamily {
	t.Helper()
	parser := expfmt.NewTextParser(model.LegacyValidation)
	families, err := parser.TextToMetricFamilies(strings.NewReader(string(text.Bytes())))
	require.NoError(t, err, "%s", text.Bytes())
	return families
}

func TestContentType(t *testing.T) {
	t.Parallel()
	require.Equal(t, expfmt.NewFormat(expfmt.TypeTextPlain), expfmt.Format(metrics.ContentType))
}

func TestSamples(t *testing.T) {
	t.Parallel()
	var text metrics.Text
	text.Counter("a_total", "What \\ a\nhelp.")
	text.Add(3, "x", "1", "y", "a\"b\\c\nd\xffe")
	text.Add(1<<53, "x", "2", "y", "")
	text.Gauge("b", "Varies.")
	text.Add(math.Inf(1))
	text.Summary("c", "Quantiles.")
	text.AddSummary(5, 1.5, 0.1, 0.2, 0.9)
	families := parse(t, &text)
	require.Len(t, families, 3)

	a := families["a_total"]
	require.Equal(t, "What \\ a\nhelp.", a.GetHelp())
	require.Equal(t, dto.MetricType_COUNTER, a.GetType())
	require.Len(t, a.GetMetric(), 2)
	require.Equal(t, "y", a.GetMetric()[0].GetLabel()[1].GetName())
	require.Equal(t, "a\"b\\c\nd\uFFFDe", a.GetMetric()[0].GetLabel()[1].GetValue())
	require.Equal(t, 3.0, a.GetMetric()[0].GetCounter().GetValue())
	require.Equal(t, math.Exp2(53), a.GetMetric()[1].GetCounter().GetValue())

	require.Equal(t, math.Inf(1), families["b"].GetMetric()[0].GetGauge().GetValue())

	c := families["c"].GetMetric()[0].GetSummary()
	require.Equal(t, uint64(5), c.GetSampleCount())
	require.Equal(t, 1.5, c.GetSampleSum())
	quantiles := map[float64]float64{}
	for _, q := range c.GetQuantile() {
		quantiles[q.GetQuantile()] = q.GetValue()
	}
	require.Equal(t, map[float64]float64{0: 0.1, 0.5: 0.2, 1: 0.9}, quantiles)
}

func TestHistograms(t *testing.T) {
	t.Parallel()
	times := metrics.NewTimes(500*time.Microsecond, time.Millisecond, 2*time.Second)
	for _, took := range []time.Duration{0, 500 * time.Microsecond, 500*time.Microsecond + 1, 2 * time.Second, time.Minute} {
		times.ObserveTime(took)
	}
	sizes := metrics.NewCounts(1, 10)
	var observers sync.WaitGroup
	for size := range int64(20) {
		observers.Go(func() { sizes.Observe(size + 1) })
	}
	observers.Wait()
	var text metrics.Text
	text.Histogram("took_seconds", "Time.")
	text.AddHistogram(times, "operation", "getAccount")
	text.AddHistogram(metrics.NewTimes(time.Second), "operation", "none")
	text.Histogram("size", "Size.")
	text.AddHistogram(sizes)
	families := parse(t, &text)

	took := families["took_seconds"].GetMetric()
	require.Len(t, took, 2)
	require.Equal(t, "getAccount", took[0].GetLabel()[0].GetValue())
	require.Equal(t, map[float64]uint64{0.0005: 2, 0.001: 3, 2: 4, math.Inf(1): 5}, buckets(took[0]))
	require.Equal(t, uint64(5), took[0].GetHistogram().GetSampleCount())
	require.InDelta(t, 62.001000001, took[0].GetHistogram().GetSampleSum(), 1e-9)
	require.Equal(t, map[float64]uint64{1: 0, math.Inf(1): 0}, buckets(took[1]))

	size := families["size"].GetMetric()[0]
	require.Equal(t, map[float64]uint64{1: 1, 10: 10, math.Inf(1): 20}, buckets(size))
	require.Equal(t, 210.0, size.GetHistogram().GetSampleSum())
}

func buckets(m *dto.Metric) map[float64]uint64 {
	found := map[float64]uint64{}
	for _, bucket := range m.GetHistogram().GetBucket() {
		found[bucket.GetUpperBound()] = bucket.GetCumulativeCount()
	}
	return found
}

// Nothing is allocated while a request is answered.
func TestObservingAllocatesNothing(t *testing.T) {
	times := metrics.NewTimes(time.Millisecond, time.Second)
	require.Zero(t, testing.AllocsPerRun(100, func() { times.ObserveTime(2 * time.Second) }))
}

func TestProcess(t *testing.T) {
	t.Parallel()
	runtime.GC()
	held, err := os.Create(filepath.Join(t.TempDir(), "file"))
	require.NoError(t, err)
	defer held.Close()
	var text metrics.Text
	started := time.Unix(1_800_000_000, 250_000_000)
	text.AddProcess(started)
	families := parse(t, &text)
	value := func(name string) float64 {
		require.Contains(t, families, name)
		one := families[name].GetMetric()[0]
		return one.GetGauge().GetValue() + one.GetCounter().GetValue()
	}
	require.Equal(t, 1_800_000_000.25, value("process_start_time_seconds"))
	require.Positive(t, value("process_cpu_seconds_total"))
	require.Less(t, value("process_cpu_seconds_total"), time.Hour.Seconds())
	require.GreaterOrEqual(t, value("go_goroutines"), 1.0)
	require.Greater(t, value("go_memstats_heap_alloc_bytes"), 10_000.0)
	require.Greater(t, value("go_memstats_sys_bytes"), value("go_memstats_heap_alloc_bytes"))
	require.GreaterOrEqual(t, value("go_memstats_alloc_bytes_total"), 10_000.0)
	require.Positive(t, value("go_gc_gomemlimit_bytes"))
	require.Equal(t, runtime.Version(), families["go_info"].GetMetric()[0].GetLabel()[0].GetValue())
	collections := families["go_gc_duration_seconds"].GetMetric()[0].GetSummary()
	require.Positive(t, collections.GetSampleCount())
	require.Positive(t, collections.GetSampleSum())
	require.Len(t, collections.GetQuantile(), 5)
	if runtime.GOOS == "linux" {
		require.Greater(t, value("process_resident_memory_bytes"), 1_000_000.0)
		require.GreaterOrEqual(t, value("process_open_fds"), 4.0)
	}
	if runtime.GOOS != "windows" {
		require.Greater(t, value("process_max_fds"), 10.0)
	}
}
