package refserver_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/refserver"
	"github.com/payctl/payctl/internal/server"
	"github.com/payctl/payctl/internal/test/paytest"
)

// measured is a service with metrics, asked without a network between.
type measured struct {
	t             *testing.T
	service       *refserver.Server
	authorization string

	mu         sync.Mutex
	violations []contract.Violation
}

func measure(t *testing.T, config refserver.Config) *measured {
	t.Helper()
	m := &measured{t: t}
	config.Metrics, config.Check = true, true
	config.Version = "1.2.3"
	config.OnResponse = func(response server.ResponseSummary) {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.violations = append(m.violations, response.Violations...)
	}
	service, err := refserver.New(config)
	require.NoError(t, err)
	m.service = service
	t.Cleanup(func() {
		require.NoError(t, service.Close())
		require.Empty(t, m.violations)
	})
	basic := http.Request{Header: http.Header{}}
	basic.SetBasicAuth(paytest.ClientID, paytest.ClientSecret)
	m.authorization = basic.Header.Get("Authorization")
	token := m.ask(t.Context(), http.MethodPost, "/identity/auth/tokens/current/v1", "")
	require.Equal(t, http.StatusOK, token.Code)
	_, rest, _ := strings.Cut(token.Body.String(), `"access_token":"`)
	secret, _, _ := strings.Cut(rest, `"`)
	m.authorization = "Bearer " + secret
	return m
}

func (m *measured) ask(ctx context.Context, method, path, body string, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequestWithContext(ctx, method, path, strings.NewReader(body))
	r.Header.Set("Authorization", m.authorization)
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	m.service.Handler.ServeHTTP(w, r)
	return w
}

// scrape reads the metrics with the parser of Prometheus.
func (m *measured) scrape() map[string]*dto.MetricFamily {
	m.t.Helper()
	w := m.ask(m.t.Context(), http.MethodGet, "/metrics", "", "Authorization", "",
		"Accept", "application/openmetrics-text;version=1.0.0;q=0.6,text/plain;version=0.0.4;q=0.5,*/*;q=0.1")
	require.Equal(m.t, http.StatusOK, w.Code, w.Body)
	require.Equal(m.t, expfmt.TypeTextPlain, expfmt.Format(w.Header().Get("Content-Type")).FormatType())
	parser := expfmt.NewTextParser(model.LegacyValidation)
	families, err := parser.TextToMetricFamilies(w.Body)
	require.NoError(m.t, err)
	return families
}

// find returns the metric with labels, which are names and values in turn; nil if there is none.
func find(families map[string]*dto.MetricFamily, name string, labels ...string) *dto.Metric {
	for _, metric := range families[name].GetMetric() {
		matching := 0
		for _, label := range metric.GetLabel() {
			for i := 0; i < len(labels); i += 2 {
				if label.GetName() == labels[i] && label.GetValue() == labels[i+1] {
					matching++
				}
			}
		}
		if matching == len(labels)/2 {
			return metric
		}
	}
	return nil
}

// The number of series does not depend on what clients send.
func TestSeriesAreBounded(t *testing.T) {
	t.Parallel()
	m := measure(t, refserver.Config{})
	series := func() (count int) {
		for _, family := range m.scrape() {
			count += len(family.GetMetric())
		}
		return count
	}
	ask := func(name string) {
		m.ask(t.Context(), http.MethodGet, "/"+name, "")
		m.ask(t.Context(), name, "/accounts/v1", "")
		m.ask(t.Context(), http.MethodGet, "/accounts/"+name+"/v1", "")
	}
	ask("A")
	series()
	before := series()
	for _, name := range []string{"B", "C", "D"} {
		ask(name)
	}
	require.Equal(t, before, series())
}

func TestMetricsOfWatchers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := measure(t, refserver.Config{})
		watchers := func(kind string) float64 {
			return find(m.scrape(), "payctl_watchers", "kind", kind).GetGauge().GetValue()
		}
		page := m.ask(t.Context(), http.MethodGet, "/events/v1", "").Body.String()
		_, rest, _ := strings.Cut(page, `"cursor":"`)
		cursor, _, _ := strings.Cut(rest, `"`)
		require.NotEmpty(t, cursor)
		ctx, leave := context.WithCancel(t.Context())
		var asked sync.WaitGroup
		asked.Go(func() { m.ask(ctx, http.MethodGet, "/events/v1", "", "Accept", "text/event-stream") })
		for range 2 {
			asked.Go(func() { m.ask(t.Context(), http.MethodGet, "/events/v1?after="+cursor, "", "Prefer", "wait=20") })
		}
		synctest.Wait()
		require.Equal(t, 1.0, watchers("event_stream"))
		require.Equal(t, 2.0, watchers("long_poll"))
		require.Equal(t, 3.0, find(m.scrape(), "payctl_requests_in_flight").GetGauge().GetValue())
		leave()
		asked.Wait()
		require.Zero(t, watchers("event_stream"))
		require.Zero(t, watchers("long_poll"))
		families := m.scrape()
		require.Zero(t, find(families, "payctl_requests_in_flight").GetGauge().GetValue())
		listed := find(families, "payctl_requests_total", "operation", "listEvents", "status", "200")
		require.Equal(t, 4.0, listed.GetCounter().GetValue())
		took := find(families, "payctl_request_duration_seconds", "operation", "listEvents").GetHistogram()
		require.Equal(t, uint64(1), took.GetSampleCount(), "those that wait are not slow")
	})
}

// What a store cannot serve is counted as its failures.
func TestMetricsOfAStore(t *testing.T) {
	t.Parallel()
	m := measure(t, refserver.Config{Data: t.TempDir()})
	before := m.scrape()
	require.Zero(t, find(before, "payctl_store_failures_total", "operation", "update").GetCounter().GetValue())
	require.NoError(t, m.service.Close())
	body := `{"type":"individual","firstName":"Ada","lastName":"Lovelace","email":"ada@example.com","country":"GB"}`
	require.Equal(t, http.StatusServiceUnavailable, m.ask(t.Context(), http.MethodPost, "/accounts/v1", body).Code)
	families := m.scrape()
	failures := find(families, "payctl_store_failures_total", "operation", "update")
	require.GreaterOrEqual(t, failures.GetCounter().GetValue(), 1.0)
}
