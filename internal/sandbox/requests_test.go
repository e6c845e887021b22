package sandbox_test

import (
	"runtime"
	"strings"
	"testing"
	"time"
	"unsafe"
	"weak"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/store"
)

// Pages of the log stay whole while requests are added.
func TestPagesOfTheRequestLog(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for range 250 {
		w.LogRequest(w.Instance(), payments.SandboxRequest{Time: w.Now(), Path: strings.Repeat("x", 5000)}, "", payments.RequestContent{})
	}
	var numbers []int
	q := payments.PageQuery{Limit: 100}
	for more := true; more; {
		page, err := w.ListSandboxRequests(t.Context(), q)
		require.NoError(t, err)
		for _, r := range page.Data {
			numbers = append(numbers, r.Number)
			require.Len(t, r.Path, 256)
		}
		if more = page.NextCursor != nil; more {
			q.Cursor = *page.NextCursor
		}
		w.LogRequest(w.Instance(), payments.SandboxRequest{Time: w.Now()}, "", payments.RequestContent{})
	}
	require.Len(t, numbers, 250)
	for i, n := range numbers {
		require.Equal(t, 250-i, n)
	}
}

// The log keeps the latest entries, newest first.
func TestRequestLogIsBounded(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.log(2*store.KeptRequests + 100)
	numbers := w.logged()
	require.Len(t, numbers, store.KeptRequests)
	for i, number := range numbers {
		require.Equal(t, 2*store.KeptRequests+100-i, number)
	}
	require.NoError(t, w.ClearSandboxRequests(t.Context()))
	require.Empty(t, w.logged())
	w.log(1)
	require.Equal(t, []int{1}, w.logged())
}

// The log keeps nothing of a request's target but the path, which is a part of it.
func TestRequestLogKeepsPathsOnly(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	target := strings.Repeat("x", 8000)
	kept := weak.Make(unsafe.StringData(target))
	w.LogRequest(w.Instance(), payments.SandboxRequest{Time: w.Now(), Path: target[:100]}, "", payments.RequestContent{})
	runtime.GC()
	require.Nil(t, kept.Value())
	page, err := w.ListSandboxRequests(t.Context(), payments.PageQuery{})
	require.NoError(t, err)
	require.Len(t, page.Data[0].Path, 100)
}

// A long request that began before others ended after them. It does not hide them from who asks for what came after it.
func TestRequestLogAfterAMoment(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, began := range []time.Duration{time.Minute, 2 * time.Minute, 0, 3 * time.Minute} {
		w.LogRequest(w.Instance(), payments.SandboxRequest{Time: start.Add(began)}, "", payments.RequestContent{})
	}
	var numbers []int
	q := payments.PageQuery{Limit: 2, CreatedAfter: start}
	for more := true; more; {
		page, err := w.ListSandboxRequests(t.Context(), q)
		require.NoError(t, err)
		for _, r := range page.Data {
			numbers = append(numbers, r.Number)
		}
		if more = page.NextCursor != nil; more {
			q.Cursor = *page.NextCursor
		}
	}
	require.Equal(t, []int{4, 2, 1}, numbers)
}
