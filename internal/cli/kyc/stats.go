package kyc

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/follow"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/report"
	"github.com/payctl/payctl/internal/ui"
)

type statsOptions struct {
	cmdutil.AccountFilters
	cmdutil.Interval
	days int
}

// mostDays bounds --days: a year.
const mostDays = 366

func newStats(d *cmdutil.Deps) *cobra.Command {
	o := &statsOptions{}
	cmd := &cobra.Command{
		Use:   "stats",
		Short: "Count identity checks by status, age, verdict and reason",
		Long: `Count the identity checks of the selected accounts: how many have which status and for how long, the
verdicts of each day and their reasons. Verdicts come from the event feed, as far back as it goes;
--days 0 leaves them out.`,
		Example: `  payctl kyc stats
  payctl kyc stats --days 30 --tz Europe/Berlin --country DE
  payctl kyc stats --days 0 --jq '.open.medianAgeSeconds'
  payctl kyc stats -o csv > stats.csv`,
		Args: cmdutil.Args(),
		RunE: func(cmd *cobra.Command, _ []string) error { return stats(cmd.Context(), d, o) },
	}
	cmd.Flags().IntVar(&o.days, "days", 14, "count the verdicts of the last `N` days; 0: of none")
	o.AccountFilters.AddTo(d, cmd)
	o.Interval.AddTo(cmd)
	return cmd
}

// A statistics is what the command prints.
type statistics struct {
	At       time.Time            `json:"at"`
	TimeZone string               `json:"timeZone"`
	Accounts int                  `json:"accounts"`
	Statuses []report.StatusCount `json:"statuses"`
	Open     openChecks           `json:"open"`
	// Verdicts is nil if no events were read.
	Verdicts *verdicts `json:"verdicts"`
}

type openChecks struct {
	report.AgeSummary
	Ages []ageCount `json:"ages"`
}

type ageCount struct {
	Age      string `json:"age"` // such as <1h or 1d-3d
	Accounts int    `json:"accounts"`
}

type verdicts struct {
	// Since is when the events begin if older ones of these days are missing.
	Since   *time.Time           `json:"since"`
	Days    []report.DayCount    `json:"days"`
	Hours   []report.HourCount   `json:"hours"`
	Reasons []report.ReasonCount `json:"reasons"`
}

func stats(ctx context.Context, d *cmdutil.Deps, o *statsOptions) error {
	if o.days < 0 || o.days > mostDays {
		return cmdutil.Usage("--days must be 0 to %d", mostDays)
	}
	printer, err := d.Printer(ctx)
	if err != nil {
		return err
	}
	query, err := o.Query(ctx, d)
	if err != nil {
		return err
	}
	if query.Period, err = o.Period(d); err != nil {
		return err
	}
	service, err := d.Payments()
	if err != nil {
		return err
	}
	checks := report.NewChecks(o.Location(), o.days)
	hasFeed, err := countChecks(ctx, d, service, query, checks, o.days > 0)
	if err != nil {
		return err
	}
	at := checks.At(d.Now()).In(o.Location()).Truncate(time.Second)
	s := newStatistics(d, checks, at, hasFeed)
	err = printer.Print(s, func() ui.View { return s.table() })
	switch {
	case o.days > 0 && !hasFeed:
		d.Notef("The service has no event feed that this login may read: verdicts and reasons are not known, and ages are " +
			"since the accounts last changed.")
	case hasFeed && s.Verdicts.Since != nil:
		d.Notef("The service has no events before %s any more: older verdicts and their reasons are not counted.",
			cmdutil.Time(*s.Verdicts.Since))
	}
	return err
}

// countChecks reads the accounts of a query and, if it is asked to, the changes of their checks up to the time before.
// hasFeed reports whether changes were read.
func countChecks(
	ctx context.Context, d *cmdutil.Deps, service payments.Service, query *cmdutil.Query[payments.Account],
	checks *report.Checks, readFeed bool,
) (hasFeed bool, err error) {
	var read atomic.Pointer[string] // what was read, in words
	hide := func() {}
	defer func() { hide() }()
	show := func(text string) { // when a page was read and another one follows
		if read.Swap(&text) == nil {
			hide = d.ShowStatus(func(int) []ui.Cell { return []ui.Cell{ui.Toned(ui.Dim, *read.Load())} })
		}
	}
	filter := payments.EventFilter{Types: []payments.EventType{payments.EventTypeKYCStatusChanged}}
	end := ""
	if readFeed {
		latest := filter
		latest.After, latest.Limit = payments.LatestEvent, 1
		page, err := service.ListEvents(ctx, latest)
		if err != nil && (ctx.Err() != nil || !follow.HasNoFeed(err)) {
			return false, err
		}
		hasFeed, end = err == nil, page.Cursor
	}
	if _, err := query.Each(d, 0, func(accounts []payments.Account, last bool) error {
		for _, a := range accounts {
			checks.Observe(report.Observation{ID: a.ID, Status: a.KYCStatus, Since: a.UpdatedAt, Created: a.CreatedAt})
		}
		if !last {
			show(cmdutil.Count(checks.Len(), "account(s)") + " read")
		}
		return nil
	}); err != nil || !hasFeed {
		return hasFeed, err
	}
	return true, countChanges(ctx, service, filter, end, checks, show)
}

// countChanges reads the changes of checks up to a cursor, which is the end of the feed.
func countChanges(
	ctx context.Context, service payments.Events, filter payments.EventFilter, end string, checks *report.Checks,
	show func(text string),
) error {
	var guard payments.PageGuard
	filter.Limit = payments.LargestPage
	for events := 0; ; {
		page, err := service.ListEvents(ctx, filter)
		if err != nil {
			return err
		}
		for _, e := range page.Data {
			if filter.Matches(e) {
				checks.Change(report.Change{
					ID: e.SubjectID, At: e.OccurredAt, Reasons: e.Data.Reasons,
					From: payments.KYCStatus(cmdutil.Text(e.From)), To: payments.KYCStatus(cmdutil.Text(e.To)),
				})
			}
		}
		if page.Reaches(end) {
			return nil
		}
		if err := guard.Step(len(page.Data), page.Cursor); err != nil {
			return err
		}
		filter.After = page.Cursor
		events += len(page.Data)
		show(fmt.Sprintf("%s and %s read, up to %s", cmdutil.Count(checks.Len(), "account(s)"),
			cmdutil.Count(events, "event(s)"), cmdutil.Time(page.Data[len(page.Data)-1].OccurredAt)))
	}
}

// newStatistics returns the statistics of checks at a time.
func newStatistics(d *cmdutil.Deps, checks *report.Checks, at time.Time, hasFeed bool) *statistics {
	var known []payments.KYCStatus
	for _, status := range d.Enum("listAccounts", "kycStatus") {
		known = append(known, payments.KYCStatus(status))
	}
	s := &statistics{At: at, TimeZone: at.Location().String(), Accounts: checks.Len()}
	if at.Location() == time.Local { // which names no zone to another machine
		s.TimeZone = at.Format("-07:00")
	}
	var open []time.Duration
	s.Statuses, open = checks.Ages(at, known)
	s.Open.AgeSummary = report.SummarizeAges(open)
	s.Open.Ages = countAges(open)
	if hasFeed {
		s.Verdicts = &verdicts{Hours: checks.PerHour(at)}
		s.Verdicts.Days, s.Verdicts.Reasons = checks.PerDay(at)
		if gap := checks.Gap(at); !gap.IsZero() {
			s.Verdicts.Since = &gap
		}
	}
	return s
}

// countAges counts ages in classes, the youngest first, such as 4h-1d: four hours or more, and less than a day.
func countAges(ages []time.Duration) []ageCount {
	const day = 24 * time.Hour
	bounds := []time.Duration{time.Hour, 4 * time.Hour, day, 3 * day, 7 * day, 14 * day, 28 * day}
	counts := []ageCount{{Age: "<1h"}, {Age: "1h-4h"}, {Age: "4h-1d"}, {Age: "1d-3d"}, {Age: "3d-1w"}, {Age: "1w-2w"},
		{Age: "2w-4w"}, {Age: "4w+"}}
	for _, age := range ages {
		class, isBound := slices.BinarySearch(bounds, age)
		if isBound {
			class++
		}
		counts[class].Accounts++
	}
	return counts
}

// table returns the statistics as rows.
func (s *statistics) table() ui.Table {
	t := ui.Table{Columns: []ui.Column{
		{Header: "Measure"}, {Header: "About"}, {Header: "Status"}, {Header: "Value", Right: true},
	}}
	add := func(measure, about string, status payments.KYCStatus, value int64) {
		t.Rows = append(t.Rows, []ui.Cell{
			ui.Text(measure), ui.Optional(about), ui.Optional(string(status)), ui.Text(strconv.FormatInt(value, 10)),
		})
	}
	for _, row := range s.Statuses {
		add("accounts", "", row.Status, int64(row.Accounts))
		if row.Accounts > 0 {
			add("medianAgeSeconds", "", row.Status, *row.Median)
			add("p90AgeSeconds", "", row.Status, *row.P90)
			add("oldestAgeSeconds", "", row.Status, *row.Oldest)
		}
	}
	for _, row := range s.Open.Ages {
		add("openAccounts", row.Age, "", int64(row.Accounts))
	}
	if s.Open.Accounts > 0 {
		add("openMedianAgeSeconds", "", "", *s.Open.Median)
		add("openP90AgeSeconds", "", "", *s.Open.P90)
		add("openOldestAgeSeconds", "", "", *s.Open.Oldest)
	}
	if s.Verdicts == nil {
		return t
	}
	for _, day := range s.Verdicts.Days {
		for _, verdict := range report.Verdicts() {
			add("verdicts", day.Day, verdict, int64(day.Of(verdict)))
		}
	}
	for _, reason := range s.Verdicts.Reasons {
		add("reasons", cmp.Or(reason.Code, reason.Message), "", int64(reason.Count))
	}
	return t
}
