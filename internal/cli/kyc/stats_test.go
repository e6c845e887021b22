package kyc

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/report"
	"github.com/payctl/payctl/internal/settings"
	"github.com/payctl/payctl/internal/ui"
)

var sunday = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

// counted has some accounts, and a feed that begins with the event of the index first.
type counted struct {
	payments.Service
	accounts []payments.Account
	events   []payments.Event
	first    int
	forever  bool // every page of the feed is followed by another
	asked    int
}

func (c *counted) ListAccounts(context.Context, payments.AccountFilter) (payments.AccountPage, error) {
	return payments.AccountPage{Data: c.accounts}, nil
}

func (c *counted) ListEvents(_ context.Context, filter payments.EventFilter) (payments.EventPage, error) {
	begin := c.first
	if c.asked++; filter.After == payments.LatestEvent {
		return payments.EventPage{Cursor: "the end"}, nil
	}
	if filter.After != "" && !c.forever {
		begin, _ = strconv.Atoi(filter.After)
	}
	end := min(begin+filter.Limit, len(c.events))
	return payments.EventPage{Data: c.events[begin:end], Cursor: strconv.Itoa(end)}, nil
}

// add adds an account whose check has taken a way through statuses, a day for each, the last one at noon on Sunday.
func (c *counted) add(way ...payments.KYCStatus) {
	id := fmt.Sprintf("acc_%d", len(c.accounts))
	at := sunday.AddDate(0, 0, 1-len(way))
	account := payments.Account{ID: id, CreatedAt: at, UpdatedAt: sunday}
	var from *string
	for _, status := range way {
		to := string(status)
		c.events = append(c.events, payments.Event{
			ID: fmt.Sprintf("evt_%d", len(c.events)), Type: payments.EventTypeKYCStatusChanged, SubjectID: id, OccurredAt: at,
			From: from, To: &to,
		})
		account.KYCStatus, from, at = status, &to, at.AddDate(0, 0, 1)
	}
	c.accounts = append(c.accounts, account)
}

// statsOf runs the command. At a terminal it is as wide as given; zero: there is none.
func statsOf(t *testing.T, service payments.Service, width int, args ...string) (out, notices string, err error) {
	var stdout, stderr bytes.Buffer
	d := &cmdutil.Deps{
		Streams: &ui.Streams{
			Out: &stdout, Err: &stderr, OutTTY: width > 0, UTF8: true, Columns: func() int { return width },
		},
		Options:  &cmdutil.Options{},
		Now:      func() time.Time { return sunday },
		Settings: func() (settings.Settings, error) { return settings.Settings{Output: "table"}, nil },
		Payments: func() (payments.Service, error) { return service, nil },
		Enum:     func(string, string) []string { return []string{"pending", "approved", "rejected"} },
	}
	if width == 0 {
		d.Settings = func() (settings.Settings, error) { return settings.Settings{Output: "json"}, nil }
	}
	cmd := newStats(d)
	cmd.SetArgs(append(args, "--tz", "UTC"))
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	err = cmd.ExecuteContext(t.Context())
	return stdout.String(), stderr.String(), err
}

func TestStatsAtATerminal(t *testing.T) {
	t.Parallel()
	c := &counted{}
	const pending, approved, rejected = payments.KYCStatusPending, payments.KYCStatusApproved, payments.KYCStatusRejected
	for range 4 {
		c.add(pending, approved)
	}
	c.add(pending, payments.KYCStatusUnderReview, rejected)
	c.add(pending)
	out, notices, err := statsOf(t, c, 70, "--days", "3")
	require.NoError(t, err)
	require.Empty(t, notices)
	require.Equal(t, `Identity checks at 2026-11-22 12:00:00 (UTC)

6 accounts by status                                   median     90 %
rejected 1 ██████████▎
pending  1 ██████████▎                                     0s       0s
approved 4 █████████████████████████████████████████

1 open check by time in their status
median 0s, 90 % up to 0s, oldest 0s
<1h   1 ██████████████████████████████████████████████████████████████
1h-4h 0
4h-1d 0
1d-3d 0
3d-1w 0
1w-2w 0
2w-4w 0
4w+   0

5 verdicts in 3 days
               approved resubmit rejected
Fri 2026-11-20        0        0        0 0
Sat 2026-11-21        0        0        0 0
Sun 2026-11-22        4        0        1 5 ██████████████████████████

Verdicts per hour
▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁█
5 in 48h, most 5, last 5
`, out)
	out, _, err = statsOf(t, &counted{}, 70)
	require.NoError(t, err)
	require.Equal(t, "Identity checks at 2026-11-22 12:00:00 (UTC)\n\n0 accounts by status\n\nNo open checks\n\nNo verdicts in 14 days\n", out)
}

// Verdicts that the service does not have any more are not taken for none.
func TestStatsOfAFeedThatBeginsLate(t *testing.T) {
	t.Parallel()
	c := &counted{}
	c.add(payments.KYCStatusPending, payments.KYCStatusUnderReview, payments.KYCStatusRejected)
	c.first = 2
	for _, days := range []string{"1", "14"} {
		out, notices, err := statsOf(t, c, 0, "--days", days)
		require.NoError(t, err)
		var s statistics
		require.NoError(t, json.Unmarshal([]byte(out), &s))
		require.Equal(t, sunday, *s.Verdicts.Since)
		require.Equal(t, 1, s.Verdicts.Days[len(s.Verdicts.Days)-1].Rejected)
		require.Equal(t, "The service has no events before 2026-11-22 12:00:00Z any more: older verdicts and their reasons are not counted.\n", notices)
	}
	c.first = 0
	out, notices, err := statsOf(t, c, 0)
	require.NoError(t, err)
	require.Empty(t, notices)
	require.Contains(t, out, `"since": null`)
}

// All pages of the feed are read, and no more: a feed without an end is an error.
func TestStatsReadTheWholeFeed(t *testing.T) {
	t.Parallel()
	c := &counted{}
	for range 130 {
		c.add(payments.KYCStatusPending, payments.KYCStatusApproved)
	}
	out, _, err := statsOf(t, c, 0)
	require.NoError(t, err)
	var s statistics
	require.NoError(t, json.Unmarshal([]byte(out), &s))
	require.Equal(t, 130, s.Verdicts.Days[13].Approved)
	require.Equal(t, 5, c.asked, "the end, three pages, and the empty one")
	c.forever = true
	_, _, err = statsOf(t, c, 0)
	require.ErrorIs(t, err, payments.ErrEndless)

	out, _, err = statsOf(t, &decider{}, 0, "--days", "0", "--kyc-status", "aproved")
	require.Error(t, err)
	require.Empty(t, out)
}

// No line is wider than the terminal, whatever the service has written.
func TestStatsFitTheTerminal(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		count := rapid.OneOf(rapid.IntRange(0, 9), rapid.IntRange(0, 1e15))
		s := &statistics{Accounts: count.Draw(r, "accounts"), Verdicts: &verdicts{}}
		summary := func() report.AgeSummary {
			age := rapid.Int64Range(0, 1e10)
			return report.AgeSummary{
				Accounts: count.Draw(r, "n"), Median: new(age.Draw(r, "median")), P90: new(age.Draw(r, "p90")), Oldest: new(age.Draw(r, "oldest")),
			}
		}
		s.Open.AgeSummary = summary()
		for range rapid.IntRange(0, 30).Draw(r, "statuses") {
			status := payments.KYCStatus(rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"under_review", "approved"})).Draw(r, "status"))
			s.Statuses = append(s.Statuses, report.StatusCount{Status: status, IsOpen: rapid.Bool().Draw(r, "open"), AgeSummary: summary()})
		}
		for i := range rapid.IntRange(1, 40).Draw(r, "days") {
			s.Verdicts.Days = append(s.Verdicts.Days, report.DayCount{
				Day: sunday.AddDate(0, 0, i).Format(time.DateOnly), Approved: count.Draw(r, "approved"), Rejected: count.Draw(r, "rejected"),
			})
		}
		for range rapid.IntRange(0, 20).Draw(r, "reasons") {
			s.Verdicts.Reasons = append(s.Verdicts.Reasons, report.ReasonCount{
				Code: rapid.String().Draw(r, "code"), Message: rapid.String().Draw(r, "message"), Count: count.Draw(r, "count"),
			})
		}
		width := rapid.IntRange(40, 300).Draw(r, "width")
		streams := &ui.Streams{UTF8: rapid.Bool().Draw(r, "utf8"), Columns: func() int { return width }}
		for line := range strings.Lines(drawStatistics(streams, s)) {
			line = strings.TrimSuffix(line, "\n")
			require.LessOrEqual(r, ui.CellWidth(line), width, "%q", line)
			require.Equal(r, ui.Sanitize(line), line)
		}
	})
}
