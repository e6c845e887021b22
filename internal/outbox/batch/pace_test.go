package batch

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/payments"
)

func TestTheRateIsHeldTo(t *testing.T) {
	t.Parallel()
	f := newFake(nil)
	change := func(s *Sender) { s.Rate = 10 }
	require.NoError(t, f.machine(t).run(file(t, 51, "1"), &lines{}, change))
	require.InDelta(t, 5, f.took().Seconds(), 0.5, "fifty gaps of a tenth of a second")
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
	require.NoError(t, f.machine(t).run(file(t, 40, "1"), report))
	require.Equal(t, 40, report.count(Created))
	require.GreaterOrEqual(t, f.took(), 10*time.Second)
}

// A service that refuses everything for its rate is not asked for ever, be it by a row or before the first one. What
// it answers in between begins the time anew.
func TestAServiceThatIsAskedTooOftenForever(t *testing.T) {
	t.Parallel()
	limited := refusal(payments.KindRateLimited, 429)
	limited.RetryAfter = 10 * time.Second
	refused := 0
	f := newFake(func(reference string, _ int) (error, error) {
		if refused++; refused > 1000 {
			return errors.New("it was asked for ever"), nil
		}
		if reference == "r-3" && refused%60 != 0 || reference == "r-5" { // 10 minutes
			return limited, nil
		}
		return nil, nil
	})
	f.unique = true // each attempt is one request
	one := func(s *Sender) { s.Concurrency = 1 }
	report := &lines{}
	require.ErrorIs(t, f.machine(t).run(file(t, 30, "1"), report, one), limited)
	require.Equal(t, 5, report.count(Created))
	require.Equal(t, 25, report.count(NotSent))
	require.Greater(t, f.took(), 24*time.Minute)
	require.Less(t, f.took(), 30*time.Minute)

	asked := 0
	f.listing = func(payments.TransferFilter) error {
		if asked++; asked > 1000 {
			return errors.New("it was asked for ever")
		}
		return limited
	}
	require.ErrorIs(t, f.machine(t).run(file(t, 30, "1"), &lines{}), limited)
}
