package sandbox_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/store"
)

// log adds requests to the log.
func (w *tested) log(requests int) {
	entry := payments.SandboxRequest{Time: w.Now(), Path: strings.Repeat("x", 5000), Operation: "listAccounts"}
	for range requests {
		w.LogRequest(w.Instance(), entry, "key", payments.RequestContent{})
	}
}

// logged lists the numbers of the requests in the log, page by page.
func (w *tested) logged(q payments.PageQuery, between ...func()) (numbers []int) {
	w.t.Helper()
	for {
		page := must(w.ListSandboxRequests(w.t.Context(), q))
		for _, r := range page.Data {
			require.LessOrEqual(w.t, len(r.Path), 256)
			numbers = append(numbers, r.Number)
		}
		if page.NextCursor == nil {
			return numbers
		}
		q.Cursor = *page.NextCursor
		for _, do := range between {
			do()
		}
	}
}

// The log keeps the latest entries, newest first. New requests do not disturb its pages.
func TestPagesOfTheRequestLog(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	requireFrom := func(newest, count int, numbers []int) {
		t.Helper()
		require.Len(t, numbers, count)
		for i, number := range numbers {
			require.Equal(t, newest-i, number)
		}
	}
	w.log(250)
	requireFrom(250, 250, w.logged(payments.PageQuery{Limit: 100}, func() { w.log(1) }))
	w.log(2*store.KeptRequests + 98)
	requireFrom(2*store.KeptRequests+350, store.KeptRequests, w.logged(payments.PageQuery{Limit: 100}))
	require.NoError(t, w.ClearSandboxRequests(t.Context()))
	require.Empty(t, w.logged(payments.PageQuery{}))
	w.log(1)
	require.Equal(t, []int{1}, w.logged(payments.PageQuery{}))
}

// A long request may begin before other requests and end after them. It does not hide them from later pages.
func TestRequestLogAfterAMoment(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, began := range []time.Duration{time.Minute, 2 * time.Minute, 0, 3 * time.Minute} {
		w.LogRequest(w.Instance(), payments.SandboxRequest{Time: start.Add(began)}, "", payments.RequestContent{})
	}
	require.Equal(t, []int{4, 2, 1}, w.logged(payments.PageQuery{Limit: 2, CreatedAfter: start}))
}
