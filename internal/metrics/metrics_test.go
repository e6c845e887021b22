package metrics_test

import (
	"math"
	"strings"
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
	text.Begin("a_total", "counter", "What a is.")
	text.Add(3, "x", "1", "y", "a\"b\\c\nd\xffe")
	text.Begin("b", "gauge", "Varies.")
	text.Add(math.Inf(1))
	text.AddProcess(time.Unix(1_800_000_000, 250_000_000))
	families := parse(t, &text)

	a := families["a_total"]
	require.Equal(t, "What a is.", a.GetHelp())
	require.Equal(t, dto.MetricType_COUNTER, a.GetType())
	require.Equal(t, "a\"b\\c\nd\uFFFDe", a.GetMetric()[0].GetLabel()[1].GetValue())
	require.Equal(t, 3.0, a.GetMetric()[0].GetCounter().GetValue())
	require.Equal(t, math.Inf(1), families["b"].GetMetric()[0].GetGauge().GetValue())
	require.Equal(t, 1_800_000_000.25, families["process_start_time_seconds"].GetMetric()[0].GetGauge().GetValue())
	require.Positive(t, families["go_memstats_heap_alloc_bytes"].GetMetric()[0].GetGauge().GetValue())
}

func TestHistograms(t *testing.T) {
	t.Parallel()
	var times, none metrics.Histogram
	for _, took := range []time.Duration{0, 500 * time.Microsecond, 500*time.Microsecond + 1, 2 * time.Second, time.Minute} {
		times.Observe(took)
	}
	var text metrics.Text
	text.Begin("took_seconds", "histogram", "Time.")
	text.AddHistogram(&times, "operation", "getAccount")
	text.AddHistogram(&none, "operation", "none")
	took := parse(t, &text)["took_seconds"].GetMetric()
	require.Len(t, took, 1)
	require.Equal(t, "getAccount", took[0].GetLabel()[0].GetValue())
	found := map[float64]uint64{}
	for _, bucket := range took[0].GetHistogram().GetBucket() {
		found[bucket.GetUpperBound()] = bucket.GetCumulativeCount()
	}
	require.Equal(t, []uint64{1, 2, 3, 3, 4, 5},
		[]uint64{found[0.00025], found[0.0005], found[0.001], found[1], found[2.5], found[math.Inf(1)]})
	require.InDelta(t, 62.001000001, took[0].GetHistogram().GetSampleSum(), 1e-9)
}
