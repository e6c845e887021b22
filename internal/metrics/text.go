package metrics

import (
	"slices"
	"strconv"
	"strings"
)

// ContentType is the media type of a Text.
const ContentType = "text/plain; version=0.0.4; charset=utf-8"

// A Text is metrics in the text format. All samples of a metric follow its first line.
type Text struct {
	b    []byte
	name string // of the metric whose samples are added
}

// Bytes returns the text so far.
func (t *Text) Bytes() []byte { return t.b }

// Counter begins a metric whose values only rise.
func (t *Text) Counter(name, help string) { t.begin(name, "counter", help) }

// Gauge begins a metric whose values vary.
func (t *Text) Gauge(name, help string) { t.begin(name, "gauge", help) }

// Histogram begins a metric of histograms.
func (t *Text) Histogram(name, help string) { t.begin(name, "histogram", help) }

// Summary begins a metric of summaries.
func (t *Text) Summary(name, help string) { t.begin(name, "summary", help) }

func (t *Text) begin(name, kind, help string) {
	t.name = name
	help = strings.NewReplacer(`\`, `\\`, "\n", `\n`).Replace(help)
	t.b = append(t.b, "# HELP "+name+" "+help+"\n# TYPE "+name+" "+kind+"\n"...)
}

// Add adds a sample of the present metric. Labels are names and values in turn.
func (t *Text) Add(value float64, labels ...string) { t.add("", value, labels) }

// AddSummary adds a summary: how many values there were, their sum, and quantiles from 0 to 1 at equal distances.
func (t *Text) AddSummary(count uint64, sum float64, quantiles ...float64) {
	for i, quantile := range quantiles {
		t.Add(quantile, "quantile", formatNumber(float64(i)/float64(len(quantiles)-1)))
	}
	t.add("_sum", sum, nil)
	t.add("_count", float64(count), nil)
}

// AddHistogram adds a histogram. Labels are names and values in turn.
func (t *Text) AddHistogram(h *Histogram, labels ...string) {
	sum := float64(h.sum.Load()) / h.unit
	withBound := append(slices.Clone(labels), "le", "")
	var count uint64
	for i := range h.counts {
		count += h.counts[i].Load()
		bound := "+Inf"
		if i < len(h.bounds) {
			bound = formatNumber(float64(h.bounds[i]) / h.unit)
		}
		withBound[len(withBound)-1] = bound
		t.add("_bucket", float64(count), withBound)
	}
	t.add("_sum", sum, labels)
	t.add("_count", float64(count), labels)
}

func (t *Text) add(suffix string, value float64, labels []string) {
	t.b = append(t.b, t.name+suffix...)
	for i := 0; i < len(labels); i += 2 {
		separator := ","
		if i == 0 {
			separator = "{"
		}
		t.b = append(t.b, separator+labels[i]+`="`+escapeLabel(labels[i+1])+`"`...)
	}
	if len(labels) > 0 {
		t.b = append(t.b, '}')
	}
	t.b = append(t.b, " "+formatNumber(value)+"\n"...)
}

// escapeLabel escapes the value of a label, which is UTF-8 in the text.
func escapeLabel(value string) string {
	return strings.NewReplacer(`\`, `\\`, "\n", `\n`, `"`, `\"`).Replace(strings.ToValidUTF8(value, "\uFFFD"))
}

func formatNumber(value float64) string { return strconv.FormatFloat(value, 'g', -1, 64) }
