package batch

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/payments"
)

// The limit halves at the first of the refusals that come together, and grows by one in about as many answers as it is.
func TestTheGateHalvesAndRecovers(t *testing.T) {
	t.Parallel()
	f := newFake(nil)
	g := newGate(8, 0, f.clock, f.sleep)
	for range 8 {
		require.NoError(t, g.enter(t.Context()))
	}
	g.slow(time.Second)
	g.slow(2 * time.Second)
	require.InDelta(t, 4, g.limit, 0)
	for range 8 {
		g.leave(false)
	}
	require.NoError(t, g.enter(t.Context()))
	require.Equal(t, 2*time.Second, f.now.Sub(time.Unix(0, 0)), "the longest pause counts")
	g.leave(true)
	require.InDelta(t, 4.25, g.limit, 0)
	for range 100 {
		require.NoError(t, g.enter(t.Context()))
		g.leave(true)
	}
	require.InDelta(t, 8, g.limit, 0)
}

func TestTheRateIsHeldTo(t *testing.T) {
	t.Parallel()
	f := newFake(nil)
	s := f.sender()
	s.Rate = 10
	require.NoError(t, s.Run(t.Context(), file(t, 51, "1"), &lines{}))
	require.InDelta(t, 5, f.now.Sub(time.Unix(0, 0)).Seconds(), 0.5, "fifty gaps of a tenth of a second")
}

func TestRateLimitsAreObeyedAndTheRowIsSentAgain(t *testing.T) {
	t.Parallel()
	limited := refusal(payments.KindRateLimited, 429)
	limited.RetryAfter = 10 * time.Second
	f := newFake(func(_ string, attempt int) (error, error) {
		if attempt == 1 {
			return limited, nil
		}
		return nil, nil
	})
	report := &lines{}
	require.NoError(t, f.sender().Run(t.Context(), file(t, 40, "1"), report))
	require.Equal(t, 40, report.count(Created))
	require.GreaterOrEqual(t, f.now.Sub(time.Unix(0, 0)), 10*time.Second)
}

// A service that refuses everything for its rate is not asked for ever, be it by a row or before the first one. What it answers in
// between begins the time anew.
func TestAServiceThatIsAskedTooOftenForever(t *testing.T) {
	t.Parallel()
	limited := refusal(payments.KindRateLimited, 429)
	refused := 0
	f := newFake(func(reference string, _ int) (error, error) {
		if refused++; refused > 10_000 {
			return errors.New("it was asked for ever"), nil
		}
		if reference == "r-3" && refused%600 != 0 || reference == "r-5" { // 10 minutes
			return limited, nil
		}
		return nil, nil
	})
	s := f.sender()
	s.Concurrency = 1
	report := &lines{}
	require.ErrorIs(t, s.Run(t.Context(), file(t, 30, "1"), report), limited)
	require.Equal(t, 5, report.count(Created))
	require.Equal(t, 25, report.count(NotSent))
	require.Greater(t, f.now.Sub(time.Unix(0, 0)), 24*time.Minute)
	require.Less(t, f.now.Sub(time.Unix(0, 0)), 30*time.Minute)

	s = f.sender()
	s.Service = &busyLister{fake: f, errs: slices.Repeat([]error{limited}, 10_000)}
	require.ErrorIs(t, s.Run(t.Context(), file(t, 30, "1"), &lines{}), limited)
}
