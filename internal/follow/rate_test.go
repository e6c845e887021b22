package follow_test

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/time/rate"

	"github.com/payctl/payctl/internal/follow"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/refserver"
	"github.com/payctl/payctl/internal/sandbox"
	"github.com/payctl/payctl/internal/test/paytest"
)

// A service without a feed is polled within the budget, whatever fails, and a change is reported within one round.
func TestWatchKeepsToItsBudget(t *testing.T) {
	t.Parallel()
	const (
		perSecond = 400
		accounts  = 200 // half a second a round
	)
	var mu sync.Mutex
	var asked []time.Time
	h := &host{t: t, config: refserver.Config{Clock: sandbox.ClockSetting{Mode: payments.ClockModeManual, Start: paytest.Start}}}
	h.wrap = func(service http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			mu.Lock()
			asked = append(asked, time.Now())
			mu.Unlock()
			if strings.HasPrefix(r.URL.Path, "/events/") {
				http.NotFound(w, r)
				return
			}
			service.ServeHTTP(w, r)
		})
	}
	h.start()
	defer func() { h.stop() }()
	var ids []string
	for n := range accounts {
		h.create(n)
	}
	page, err := h.world().ListAccounts(t.Context(), payments.AccountFilter{PageQuery: payments.PageQuery{Limit: 100}})
	for err == nil {
		for _, a := range page.Data {
			ids = append(ids, a.ID)
		}
		if page.NextCursor == nil {
			break
		}
		page, err = h.world().ListAccounts(t.Context(), payments.AccountFilter{PageQuery: payments.PageQuery{Limit: 100, Cursor: *page.NextCursor}})
	}
	require.NoError(t, err)
	h.fail("getKycStatus=status:503,percent:5", "getKycStatus=status:429,retry-after:1,percent:5")
	c := h.connect(rate.NewLimiter(perSecond, 1).Wait)
	w := newWitness()
	subjects := checks(c)
	subjects.List = nil
	e := &follow.Engine{Service: c, Subjects: subjects, IDs: ids, Interval: time.Millisecond, Parallel: 8, Each: w.each}
	e.Hasten()
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		_, err := e.Run(ctx)
		w.ended <- err
	}()
	w.wait(t, accounts)
	for n := range 3 {
		_, err := h.world().SetSandboxKYC(t.Context(), ids[n*50], payments.SandboxKYC{Status: payments.KYCStatusUnderReview})
		require.NoError(t, err)
		mu.Lock()
		before := len(asked)
		mu.Unlock()
		reported := w.wait(t, accounts+n+1)
		require.Equal(t, line(ids[n*50], new("pending"), "under_review"), reported[accounts+n])
		mu.Lock()
		// A round, and what was repeated in it; those that failed may be asked for a second time in their turn.
		require.LessOrEqual(t, len(asked)-before, 3*accounts)
		mu.Unlock()
	}
	cancel()
	require.ErrorIs(t, <-w.ended, context.Canceled)
	mu.Lock()
	defer mu.Unlock()
	require.Greater(t, len(asked), accounts)
	const slack = 25 // requests that the machine held up and let go together
	for i := range asked {
		for j := i + 1; j < len(asked) && asked[j].Sub(asked[i]) <= time.Second; j++ {
			require.LessOrEqual(t, j-i, int(asked[j].Sub(asked[i]).Seconds()*perSecond)+1+slack)
		}
	}
	whole := asked[len(asked)-1].Sub(asked[0]).Seconds()
	require.LessOrEqual(t, float64(len(asked)), whole*perSecond+1+slack)
}
