package server

import (
	"cmp"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/metrics"
)

// getMetrics is the operation that answers with metrics. The contract does not have it, as it is for those who run the
// service, and not for its clients.
var getMetrics = contract.Operation{
	ID: "getMetrics", Method: http.MethodGet, Path: MetricsPath, Access: contract.Open, Success: http.StatusOK,
	Responses: append([]contract.StatusResponse{
		{Status: http.StatusOK, Response: &contract.Response{Content: []contract.Media{{Type: metrics.ContentType}}}},
	}, contract.GetHealth.Responses[1:]...), // its problems
}

// MetricsPath is the path of metrics.
const MetricsPath = "/metrics"

func (x *exchange) serveMetrics() error {
	x.w.Header()["Cache-Control"] = noStore
	return x.send(http.StatusOK, []string{metrics.ContentType}, x.server.config.MetricsText())
}

// Metrics counts the requests to a server, and its responses. What is counted takes neither locks nor memory while a
// request is answered, and the number of operations and statuses bounds the number of series.
type Metrics struct {
	inFlight   atomic.Int64
	watchers   [len(watcherNames)]atomic.Int64           // by watcherKind
	operations map[*contract.Operation]*operationMetrics // never changes
}

// A watcherKind is how a request waits for changes.
type watcherKind int

const (
	notWatching watcherKind = iota
	eventStream
	longPoll
)

// watcherNames are the labels of the kinds.
var watcherNames = [...]string{eventStream: "event_stream", longPoll: "long_poll"}

// operationMetrics counts the requests to an operation, and its responses.
type operationMetrics struct {
	name     string
	statuses [maxStatus + 1]atomic.Uint64
	took     metrics.Histogram
}

const (
	// maxStatus is the greatest status of a response.
	maxStatus = 599
	// noOperation is the label of requests that no operation answers: broken ones, and those for paths or methods that
	// do not exist.
	noOperation = "none"
)

// NewMetrics returns metrics of a server that has answered nothing yet.
func NewMetrics() *Metrics {
	m := &Metrics{operations: map[*contract.Operation]*operationMetrics{}}
	add := func(op *contract.Operation, name string) { m.operations[op] = &operationMetrics{name: name} }
	for _, op := range append(slices.Clone(contract.Operations), &getMetrics) {
		add(op, op.ID)
	}
	add(nil, noOperation)
	return m
}

// begin counts a request to an operation as one in flight; end counts that it has been answered. The request for the
// metrics itself is not counted there.
func (m *Metrics) begin(x *exchange) {
	if m != nil && x.op != &getMetrics {
		m.inFlight.Add(1)
	}
}

func (m *Metrics) end(x *exchange) {
	if m != nil && x.op != &getMetrics {
		m.inFlight.Add(-1)
	}
	if m != nil && x.watches != notWatching {
		m.watchers[x.watches].Add(-1)
	}
}

// watch counts the request as one that waits for changes, until it has been answered.
func (x *exchange) watch(kind watcherKind) {
	x.watches = kind
	if m := x.server.config.Metrics; m != nil {
		m.watchers[kind].Add(1)
	}
}

// count counts the response to a request. How long it took does not count if the request asked to wait for a change.
func (m *Metrics) count(x *exchange) {
	of := m.operations[x.op]
	of.statuses[min(x.response.status, maxStatus)].Add(1)
	if x.watches == notWatching {
		of.took.Observe(time.Since(x.info.Start))
	}
}

// AddTo adds the metrics to a text.
func (m *Metrics) AddTo(t *metrics.Text) {
	all := slices.SortedFunc(maps.Values(m.operations), func(a, b *operationMetrics) int {
		return cmp.Compare(a.name, b.name)
	})
	t.Begin("payctl_requests_total", "counter",
		"Requests by operation and status of the response. Status 0 means that the connection ended before a response.")
	for _, op := range all {
		for status := range op.statuses {
			if count := op.statuses[status].Load(); count > 0 {
				t.Add(float64(count), "operation", op.name, "status", strconv.Itoa(status))
			}
		}
	}
	t.Begin("payctl_request_duration_seconds", "histogram", "Time from the head of a request to the end of its response, by "+
		"operation. Requests that ask to wait for a change are not in it.")
	for _, op := range all {
		t.AddHistogram(&op.took, "operation", op.name)
	}
	t.Begin("payctl_requests_in_flight", "gauge", "Requests that have not been answered yet.")
	t.Add(float64(m.inFlight.Load()))
	t.Begin("payctl_watchers", "gauge", "Requests that wait for changes, by kind.")
	for kind := eventStream; kind <= longPoll; kind++ {
		t.Add(float64(m.watchers[kind].Load()), "kind", watcherNames[kind])
	}
}
