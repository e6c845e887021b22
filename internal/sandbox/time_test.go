package sandbox_test

import (
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/sandbox"
	"github.com/payctl/payctl/internal/service"
)

func TestAdvanceMakesEverythingDueHappen(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	account := w.open("ada@example.com")
	clock := must(w.AdvanceSandboxClock(t.Context(), payments.SandboxAdvance{Duration: "2s"}, once))
	require.Equal(t, payments.SandboxClock{Mode: payments.ClockModeManual, Now: start.Add(2 * time.Second)}, clock.Value)
	require.Equal(t, payments.KYCStatusApproved, w.kyc(account.ID).Status)

	for range 2 {
		must(w.AdvanceSandboxClock(t.Context(), payments.SandboxAdvance{Duration: "3d"}, keyed))
		require.Equal(t, start.Add(72*time.Hour+2*time.Second), w.Now(), "once, even after the lifetime of its key")
	}

	late := time.Date(9990, 1, 1, 0, 0, 0, 0, time.UTC)
	must(w.SetSandboxClock(t.Context(), payments.SandboxClockSettings{Mode: payments.ClockModeManual, Now: &late}))
	for _, duration := range []string{"", "-1s", "999us", "P1M", "87600h"} {
		_, err := w.AdvanceSandboxClock(t.Context(), payments.SandboxAdvance{Duration: duration}, once)
		require.Contains(t, refused(t, err, payments.ProblemValidation).Errors, "duration")
	}
}

func TestSetClock(t *testing.T) {
	t.Parallel()
	at := start
	w := newWorld(t, func(c *sandbox.Config) { c.Machine = func() time.Time { return at } })
	account := w.open("ada@example.com")
	set := func(settings payments.SandboxClockSettings) (payments.SandboxClock, error) {
		return w.SetSandboxClock(t.Context(), settings)
	}
	clock := must(set(payments.SandboxClockSettings{Mode: payments.ClockModeScaled, Scale: 10}))
	require.Equal(t, payments.SandboxClock{Mode: payments.ClockModeScaled, Now: start, Scale: 10}, clock,
		"it continues from its present time")
	at = at.Add(200 * time.Millisecond)
	require.Equal(t, payments.KYCStatusApproved, w.kyc(account.ID).Status)

	later := start.AddDate(2, 0, 0)
	clock = must(set(payments.SandboxClockSettings{Mode: payments.ClockModeReal, Now: &later}))
	require.Equal(t, payments.SandboxClock{Mode: payments.ClockModeReal, Now: later, Scale: 1}, clock)
	require.Equal(t, payments.KYCStatusExpired, w.kyc(account.ID).Status, "jobs that were due earlier have run")
	at = at.Add(time.Second)
	clock = must(w.GetSandboxClock(t.Context()))
	require.Equal(t, later.Add(time.Second), clock.Now)

	earlier := payments.SandboxClockSettings{Mode: payments.ClockModeManual, Now: &later}
	refused(t, errOf(set(earlier)), payments.ProblemInvalidState)
	never := time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)
	for settings, field := range map[payments.SandboxClockSettings]string{
		{Mode: payments.ClockModeScaled}: "scale", {Mode: payments.ClockModeManual, Scale: 3}: "scale",
		{Mode: payments.ClockModeManual, Now: &never}: "now",
	} {
		require.Contains(t, refused(t, errOf(set(settings)), payments.ProblemValidation).Errors, field)
	}
}

// A held read returns on time after the clock was started, made faster or advanced.
func TestHeldReadsFollowTheClocksPace(t *testing.T) {
	t.Parallel()
	manual := payments.SandboxClockSettings{Mode: payments.ClockModeManual}
	real := payments.SandboxClockSettings{Mode: payments.ClockModeReal}
	fast := payments.SandboxClockSettings{Mode: payments.ClockModeScaled, Scale: 10}
	for name, test := range map[string]struct {
		from, to payments.SandboxClockSettings
		advance  time.Duration
		after    time.Duration
	}{
		"started":  {from: manual, to: real, after: kycDelay},
		"faster":   {from: real, to: fast, after: kycDelay / 10},
		"advanced": {from: real, to: real, advance: kycDelay / 2, after: kycDelay / 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t)
				must(w.SetSandboxClock(t.Context(), test.from))
				account := w.open("ada@example.com")
				known := must(w.GetKYCStatus(t.Context(), account.ID, service.ReadOptions{}))
				began, waited := time.Now(), make(chan time.Duration, 1)
				go func() {
					_, err := w.GetKYCStatus(t.Context(), account.ID, service.ReadOptions{ETag: known.ETag, Wait: time.Minute})
					assert.NoError(t, err)
					waited <- time.Since(began)
				}()
				synctest.Wait()
				if test.advance > 0 {
					w.advance(test.advance)
				} else {
					must(w.SetSandboxClock(t.Context(), test.to))
				}
				require.Equal(t, test.after, <-waited)
				synctest.Wait()
			})
		})
	}
}

// The time of a world only goes forward during concurrent writes and changes of its clock.
func TestClockChangesBesideWrites(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var all sync.WaitGroup
	for i := range 4 {
		all.Go(func() {
			for range 50 {
				switch i {
				case 0:
					must(w.SetSandboxClock(t.Context(),
						payments.SandboxClockSettings{Mode: payments.ClockModeScaled, Scale: 1000}))
				case 1:
					require.NoError(t, w.Advance(t.Context(), time.Second))
				case 2:
					must(w.SetSandboxClock(t.Context(), payments.SandboxClockSettings{Mode: payments.ClockModeManual}))
				default:
					w.open("ada@example.com")
				}
			}
		})
	}
	all.Wait()
	page := must(w.ListAccounts(t.Context(), payments.AccountFilter{PageQuery: payments.PageQuery{Limit: 100}}))
	require.Len(t, page.Data, 50)
	for i := 1; i < len(page.Data); i++ {
		require.False(t, page.Data[i].CreatedAt.After(page.Data[i-1].CreatedAt))
	}
}
