package report

import (
	"cmp"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
	_ "time/tzdata" // whatever this machine has

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/payctl/payctl/internal/payments"
)

var noon = time.Date(2026, 3, 29, 12, 0, 0, 0, time.UTC)

func TestAgesOfChecks(t *testing.T) {
	t.Parallel()
	c := NewChecks(time.UTC, 1)
	observe := func(status payments.KYCStatus, hours ...int) {
		for i, h := range hours {
			at := noon.Add(-time.Duration(h) * time.Hour)
			c.Observe(Observation{ID: fmt.Sprint(status, i), Status: status, Since: at, Created: at})
		}
	}
	observe(payments.KYCStatusApproved, 1000)
	observe(payments.KYCStatusPending, 1)
	observe(payments.KYCStatusUnderReview, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1)
	observe("novel", 2)
	require.Equal(t, 13, c.Len())
	rows, open := c.Ages(noon, []payments.KYCStatus{"pending", "approved"})
	var lines []string
	for _, row := range rows {
		lines = append(lines, fmt.Sprintf("%s %v %d: %d %d %d", row.Status, row.IsOpen, row.Accounts,
			*row.Median/3600, *row.P90/3600, *row.Oldest/3600))
	}
	require.Equal(t, []string{ // whose turn it is, then the given order, then others
		"under_review true 10: 5 9 10", "pending true 1: 1 1 1", "novel true 1: 2 2 2", "approved false 1: 1000 1000 1000",
	}, lines)
	require.Len(t, open, 12)
	require.True(t, slices.IsSorted(open))

	rows, _ = NewChecks(time.UTC, 1).Ages(noon, []payments.KYCStatus{"pending"})
	require.Equal(t, []StatusCount{{Status: "pending", IsOpen: true}}, rows, "no age")
}

// The last change to its status is since when a check has it, although the account may have changed after that. A clock
// that is ahead makes no age below zero.
func TestSinceWhen(t *testing.T) {
	t.Parallel()
	c := NewChecks(time.UTC, 1)
	c.Observe(Observation{ID: "a", Status: payments.KYCStatusUnderReview, Since: noon.Add(-time.Hour)})
	c.Observe(Observation{ID: "b", Status: payments.KYCStatusUnderReview, Since: noon.Add(time.Hour)})
	change := func(hours int, from, to payments.KYCStatus) {
		c.Change(Change{ID: "a", At: noon.Add(-time.Duration(hours) * time.Hour), From: from, To: to})
	}
	change(50, payments.KYCStatusPending, payments.KYCStatusUnderReview)
	change(40, payments.KYCStatusUnderReview, payments.KYCStatusResubmissionRequired)
	change(30, payments.KYCStatusPending, payments.KYCStatusUnderReview)
	_, open := c.Ages(noon, nil)
	require.Equal(t, []time.Duration{0, 30 * time.Hour}, open)
	require.Equal(t, noon.Add(time.Hour), c.At(noon))
	require.Equal(t, noon.Add(2*time.Hour), c.At(noon.Add(2*time.Hour)))
}

// A day ends at midnight in its zone, also where it has 23 hours, and what is older than the days is not kept.
func TestVerdictsOfDays(t *testing.T) {
	t.Parallel()
	berlin, err := time.LoadLocation("Europe/Berlin")
	require.NoError(t, err)
	c := NewChecks(berlin, 3)
	c.Observe(Observation{ID: "a", Status: payments.KYCStatusApproved, Since: noon})
	change := func(id, at string, from, to payments.KYCStatus, reasons ...string) {
		when, err := time.Parse(time.RFC3339, at)
		require.NoError(t, err)
		change := Change{ID: id, At: when, From: from, To: to}
		for _, code := range reasons {
			change.Reasons = append(change.Reasons, payments.KYCReason{Code: code, Message: "It is " + code + "."})
		}
		c.Change(change)
	}
	const pending, review, approved = payments.KYCStatusPending, payments.KYCStatusUnderReview, payments.KYCStatusApproved
	const rejected, again, paused = payments.KYCStatusRejected, payments.KYCStatusResubmissionRequired, payments.KYCStatusPaused
	change("a", "2026-03-26T22:59:59Z", pending, rejected, "old")
	change("a", "2026-03-26T23:00:00Z", pending, again, "blurred", "expired")
	change("a", "2026-03-28T22:59:59Z", pending, again, "blurred")
	change("a", "2026-03-28T23:00:00Z", review, approved) // midnight in Berlin; the day has 23 hours
	change("a", "2026-03-29T10:00:00Z", paused, approved)
	change("a", "2026-03-29T11:00:00Z", pending, review, "manual")
	change("other", "2026-03-29T11:00:00Z", pending, rejected, "other")
	change("a", "2026-03-29T12:00:00Z", approved, rejected, "fraud", "")
	days, reasons := c.PerDay(noon)
	require.Equal(t, []DayCount{
		{Day: "2026-03-27", Resubmit: 1}, {Day: "2026-03-28", Resubmit: 1}, {Day: "2026-03-29", Approved: 1, Rejected: 1},
	}, days)
	require.Equal(t, []ReasonCount{
		{"blurred", "It is blurred.", 2}, {"", "It is .", 1}, {"expired", "It is expired.", 1}, {"fraud", "It is fraud.", 1},
	}, reasons)
	hours := c.PerHour(noon)
	require.Len(t, hours, 48)
	require.Equal(t, HourCount{Begin: noon, Verdicts: 1}, hours[47])
	require.Equal(t, HourCount{Begin: noon.Add(-13 * time.Hour), Verdicts: 1}, hours[34])

	days, reasons = c.PerDay(noon.AddDate(0, 0, 5))
	require.Equal(t, DayCount{Day: "2026-04-01"}, days[0])
	require.Empty(t, reasons)
}

// Changes are missing if the feed begins later than a check, and within the days.
func TestGap(t *testing.T) {
	t.Parallel()
	day := 24 * time.Hour
	for name, c := range map[string]struct {
		created time.Duration // before noon
		changes []Change
		want    time.Time
	}{
		"the whole feed":              {5 * day, []Change{{ID: "a", At: noon.Add(-5*day + time.Second)}}, time.Time{}},
		"a feed that begins later":    {5 * day, []Change{{ID: "b", At: noon.Add(-day)}, {ID: "a", At: noon, From: "pending"}}, noon.Add(-day)},
		"that begins before the days": {50 * day, []Change{{ID: "a", At: noon.Add(-9 * day), From: "pending"}}, time.Time{}},
		"a check of after the feed":   {time.Hour, []Change{{ID: "b", At: noon.Add(-day)}}, time.Time{}},
		"an empty feed":               {day, nil, noon},
	} {
		checks := NewChecks(time.UTC, 7)
		checks.Observe(Observation{ID: "a", Status: "pending", Since: noon, Created: noon.Add(-c.created)})
		for _, change := range c.changes {
			checks.Change(change)
		}
		require.Equal(t, c.want, checks.Gap(noon), name)
	}
	require.Zero(t, NewChecks(time.UTC, 7).Gap(noon), "no check")
}

// However checks and changes come, the numbers are those of a simple count, and a rank is one of the ages.
func TestChecksAreCounted(t *testing.T) {
	t.Parallel()
	statuses := []payments.KYCStatus{"pending", "under_review", "approved", "rejected", "resubmission_required", "paused"}
	rapid.Check(t, func(r *rapid.T) {
		const days = 3
		c := NewChecks(time.UTC, days)
		ages := map[payments.KYCStatus][]int64{}
		observed := rapid.SliceOfNDistinct(rapid.IntRange(0, 30), 0, 30, rapid.ID[int]).Draw(r, "observed")
		for _, id := range observed {
			status, age := rapid.SampledFrom(statuses).Draw(r, "status"), rapid.Int64Range(0, 1e6).Draw(r, "age")
			ages[status] = append(ages[status], age)
			at := noon.Add(-time.Duration(age) * time.Second)
			c.Observe(Observation{ID: fmt.Sprint(id), Status: status, Since: at, Created: at})
		}
		want := map[string]int{}
		at := noon.Add(-10 * 24 * time.Hour)
		hours := make([]int, hoursKept)
		for at.Before(noon) {
			id, to := rapid.IntRange(0, 30).Draw(r, "id"), rapid.SampledFrom(statuses).Draw(r, "to")
			c.Change(Change{ID: fmt.Sprint(id), At: at, From: "novel", To: to + "!"}) // no verdict
			if to != "pending" && to != "under_review" && to != "paused" && slices.Contains(observed, id) {
				want[at.Format(time.DateOnly)+" "+string(to)]++
				if ago := int(noon.Sub(at.Truncate(time.Hour)) / time.Hour); ago < hoursKept {
					hours[hoursKept-1-ago]++
				}
			}
			c.Change(Change{ID: fmt.Sprint(id), At: at, From: "novel", To: to})
			at = at.Add(time.Duration(rapid.IntRange(1, 40*3600).Draw(r, "pause")) * time.Second)
		}
		rows, open := c.Ages(noon, nil)
		for _, row := range rows {
			require.Equal(r, len(ages[row.Status]), row.Accounts)
			require.True(r, *row.Median <= *row.P90 && *row.P90 <= *row.Oldest)
		}
		require.Len(r, open, len(ages["pending"])+len(ages["under_review"])+len(ages["resubmission_required"])+len(ages["paused"]))
		counts, _ := c.PerDay(noon)
		require.Len(r, counts, days)
		for i, count := range counts {
			require.Equal(r, noon.AddDate(0, 0, i+1-days).Format(time.DateOnly), count.Day)
			for _, verdict := range Verdicts() {
				require.Equal(r, want[count.Day+" "+string(verdict)], count.Of(verdict), "%s %s", count.Day, verdict)
			}
		}
		for i, hour := range c.PerHour(noon) {
			require.Equal(r, hours[i], hour.Verdicts)
		}
	})
}

// The median and the 90th percentile are the least ages that half and nine tenths of the checks do not exceed.
func TestNearestRanks(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		seconds := rapid.SliceOfN(rapid.Int64Range(0, 50), 1, 40).Draw(r, "ages")
		slices.Sort(seconds)
		var ages []time.Duration
		for _, s := range seconds {
			ages = append(ages, time.Duration(s)*time.Second)
		}
		upTo := func(age int64) (n int) {
			for _, s := range seconds {
				if s <= age {
					n++
				}
			}
			return n
		}
		s := SummarizeAges(ages)
		for percent, age := range map[int]int64{50: *s.Median, 90: *s.P90, 100: *s.Oldest} {
			require.Contains(r, seconds, age)
			require.GreaterOrEqual(r, upTo(age)*100, len(seconds)*percent)
			require.Less(r, upTo(age-1)*100, len(seconds)*percent)
		}
	})
}

// A service whose reasons are all different does not fill the memory.
func TestTooManyReasons(t *testing.T) {
	t.Parallel()
	c := NewChecks(time.UTC, 2)
	c.Observe(Observation{ID: "a", Status: "pending"})
	for i := range 3 * maxReasons {
		c.Change(Change{ID: "a", At: noon, To: payments.KYCStatusRejected, Reasons: []payments.KYCReason{{Code: fmt.Sprint(i % (2 * maxReasons))}}})
	}
	days, reasons := c.PerDay(noon)
	require.Equal(t, 3*maxReasons, days[1].Rejected)
	require.Len(t, reasons, maxReasons)
	require.True(t, slices.IsSortedFunc(reasons, func(a, b ReasonCount) int {
		return cmp.Or(b.Count-a.Count, strings.Compare(a.Code, b.Code))
	}))
}

// 100,000 checks with a million changes take less than 30 MB.
func TestMemoryOfManyChecks(t *testing.T) {
	const accounts = 100_000
	ids := make([]string, accounts)
	for i := range ids {
		ids[i] = fmt.Sprintf("acc_%026d", i)
	}
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	c := NewChecks(time.UTC, 366)
	began := noon.AddDate(-2, 0, 0)
	for _, id := range ids {
		c.Observe(Observation{ID: id, Status: payments.KYCStatusRejected, Since: noon, Created: began})
	}
	reasons := []payments.KYCReason{{Code: "poor_quality_document", Message: "It cannot be read."}}
	for i := range 10 * accounts {
		c.Change(Change{
			ID: ids[i%accounts], At: began.Add(time.Duration(i) * time.Minute), From: payments.KYCStatusPending,
			To: payments.KYCStatusRejected, Reasons: reasons,
		})
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	runtime.KeepAlive(ids)
	require.Equal(t, accounts, c.Len())
	days, counted := c.PerDay(began.Add(10 * accounts * time.Minute))
	require.Len(t, days, 366)
	require.Equal(t, 1440, days[100].Rejected)
	require.Greater(t, counted[0].Count, 1440*365)
	require.Less(t, after.HeapAlloc-before.HeapAlloc, uint64(30<<20))
	t.Logf("%d bytes a check", (after.HeapAlloc-before.HeapAlloc)/accounts)
}
