package report

import (
	"cmp"
	"hash/maphash"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/payctl/payctl/internal/payments"
)

// isOpen reports whether an identity check in a status still needs an action of the staff, the applicant or the
// service.
func isOpen(s payments.KYCStatus) bool {
	turn := s.Turn()
	return turn != payments.TurnFailed && turn != payments.TurnDone
}

// Verdicts are the statuses that answer a submission, good news first.
func Verdicts() []payments.KYCStatus {
	return []payments.KYCStatus{
		payments.KYCStatusApproved, payments.KYCStatusResubmissionRequired, payments.KYCStatusRejected,
	}
}

// isVerdict reports whether a change of status is a verdict: a check is approved, rejected, or needs another
// submission. An approval that comes back after a pause is none.
func isVerdict(from, to payments.KYCStatus) bool {
	return slices.Contains(Verdicts(), to) && from != payments.KYCStatusPaused
}

// An Observation is what is known of one identity check.
type Observation struct {
	ID     string // of the account
	Status payments.KYCStatus
	// Since is when the check got its status, or a later time if that is not known.
	Since   time.Time
	Created time.Time
}

// A Change is a change of an identity check's status.
type Change struct {
	ID       string // of the account
	At       time.Time
	From, To payments.KYCStatus
	Reasons  []payments.KYCReason
}

// hoursKept is two days: enough to compare an hour with the same one of the day before.
const hoursKept = 48

// maxReasons bounds the codes of reasons for each day by their memory. The reference service has eleven.
const maxReasons = 1000

// Checks adds up identity checks and their verdicts. It keeps about 60 bytes for each check, and for verdicts as much
// as their days and reasons need.
type Checks struct {
	zone *time.Location
	days int

	seed     maphash.Seed
	checks   map[uint64]*check // by hashes of the accounts' identifiers
	statuses []payments.KYCStatus
	latest   time.Time             // of all times that were seen
	first    time.Time             // of the first change that was seen
	perDay   map[int64]*verdictDay // by dayOf
	perHour  map[int64]int         // verdicts, by hourOf
}

type check struct {
	status         int32 // its index in statuses
	isWhole        bool  // its first change was seen
	since, created int64 // in seconds since 1970
}

type verdictDay struct {
	verdicts map[payments.KYCStatus]int
	reasons  map[string]*ReasonCount
}

// NewChecks returns an account of no checks. Verdicts are kept for so many days of the zone, up to the latest.
func NewChecks(zone *time.Location, days int) *Checks {
	return &Checks{
		zone: zone, days: days, seed: maphash.MakeSeed(), checks: map[uint64]*check{},
		perDay: map[int64]*verdictDay{}, perHour: map[int64]int{},
	}
}

// Observe adds a check. A check counts once; what is observed last holds.
func (c *Checks) Observe(o Observation) {
	status := slices.Index(c.statuses, o.Status)
	if status < 0 {
		status = len(c.statuses)
		c.statuses = append(c.statuses, payments.KYCStatus(strings.Clone(string(o.Status))))
	}
	c.checks[maphash.String(c.seed, o.ID)] = &check{
		status: int32(status), since: o.Since.Unix(), created: o.Created.Unix(),
	}
	c.see(o.Since)
}

// Change adds a change of a check that was observed; others do not count. Changes come in the order in which they
// happened, and those of a check after the check itself: the last one tells since when it has its status.
func (c *Checks) Change(change Change) {
	if c.first.IsZero() {
		c.first = change.At
	}
	known := c.checks[maphash.String(c.seed, change.ID)]
	if known == nil {
		return
	}
	c.see(change.At)
	known.isWhole = known.isWhole || change.From == ""
	if c.statuses[known.status] == change.To {
		known.since = change.At.Unix()
	}
	if !isVerdict(change.From, change.To) {
		return
	}
	c.perHour[hourOf(change.At)]++
	at := dayOf(change.At.In(c.zone))
	day := c.perDay[at]
	if day == nil {
		day = &verdictDay{map[payments.KYCStatus]int{}, map[string]*ReasonCount{}}
		c.perDay[at] = day
	}
	day.verdicts[change.To]++
	for _, reason := range change.Reasons {
		addReason(day.reasons, ReasonCount{Code: reason.Code, Message: reason.Message, Count: 1})
	}
}

// addReason adds to the count of a reason. The message of a code is the one that it had last.
func addReason(all map[string]*ReasonCount, reason ReasonCount) {
	key := reason.Code
	if key == "" {
		key = reason.Message
	}
	known := all[key]
	switch {
	case known != nil:
		known.Count += reason.Count
		known.Message = reason.Message
	case len(all) < maxReasons:
		all[key] = &reason
	}
}

func (c *Checks) see(at time.Time) {
	if at.After(c.latest) {
		c.latest = at
	}
}

func hourOf(t time.Time) int64 { return floor(t.Unix(), int64(time.Hour/time.Second)) }

// dayOf numbers the days of the calendar of t's zone.
func dayOf(t time.Time) int64 {
	year, month, day := t.Date()
	return floor(time.Date(year, month, day, 0, 0, 0, 0, time.UTC).Unix(), int64(24*time.Hour/time.Second))
}

func floor(n, by int64) int64 {
	if n < 0 {
		n -= by - 1
	}
	return n / by
}

// AgeSummary describes how long checks have had their status.
type AgeSummary struct {
	Accounts int `json:"accounts"`
	// The ages in seconds; nil if there is no account. Median and 90th percentile are nearest ranks: half of the
	// accounts have the median or less, and nine of ten the 90th percentile or less.
	Median *int64 `json:"medianAgeSeconds"`
	P90    *int64 `json:"p90AgeSeconds"`
	Oldest *int64 `json:"oldestAgeSeconds"`
}

// StatusCount is how many checks have a status, and for how long.
type StatusCount struct {
	Status payments.KYCStatus `json:"status"`
	IsOpen bool               `json:"open"`
	AgeSummary
}

// DayCount is how many verdicts there were on a day.
type DayCount struct {
	Day      string `json:"day"` // such as 2026-01-31
	Approved int    `json:"approved"`
	Resubmit int    `json:"resubmission_required"`
	Rejected int    `json:"rejected"`
}

// Of is how many verdicts led to a status.
func (d DayCount) Of(s payments.KYCStatus) int {
	switch s {
	case payments.KYCStatusApproved:
		return d.Approved
	case payments.KYCStatusResubmissionRequired:
		return d.Resubmit
	}
	return d.Rejected
}

// Sum is how many verdicts there were.
func (d DayCount) Sum() int { return d.Approved + d.Resubmit + d.Rejected }

// HourCount is how many verdicts there were in an hour.
type HourCount struct {
	Begin    time.Time `json:"hour"`
	Verdicts int       `json:"verdicts"`
}

// ReasonCount is how often a verdict had a reason.
type ReasonCount struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	Count   int    `json:"count"`
}

// At is the time at which ages end: now, or the latest time that was seen if the clock of the service is ahead.
func (c *Checks) At(now time.Time) time.Time {
	if c.latest.After(now) {
		return c.latest
	}
	return now
}

// Len is how many checks were observed.
func (c *Checks) Len() int { return len(c.checks) }

// Ages returns how long the checks of a time at have had their status: a row for each status that was observed or is
// given, in the order of whose turn it is, then of the given ones, then of their names, and the ages of all open
// checks, in order.
func (c *Checks) Ages(at time.Time, given []payments.KYCStatus) (rows []StatusCount, open []time.Duration) {
	ages := map[payments.KYCStatus][]time.Duration{}
	for _, status := range given {
		ages[status] = nil
	}
	for _, check := range c.checks {
		status := c.statuses[check.status]
		ages[status] = append(ages[status], max(at.Sub(time.Unix(check.since, 0)), 0))
	}
	for status, all := range ages {
		slices.Sort(all)
		rows = append(rows, StatusCount{Status: status, IsOpen: isOpen(status), AgeSummary: SummarizeAges(all)})
		if isOpen(status) {
			open = append(open, all...)
		}
	}
	slices.Sort(open)
	place := func(s payments.KYCStatus) int {
		if at := slices.Index(given, s); at >= 0 {
			return at
		}
		return len(given)
	}
	slices.SortFunc(rows, func(a, b StatusCount) int {
		return cmp.Or(cmp.Compare(a.Status.Turn(), b.Status.Turn()), cmp.Compare(place(a.Status), place(b.Status)),
			cmp.Compare(a.Status, b.Status))
	})
	return rows, open
}

// SummarizeAges describes ages that are in order.
func SummarizeAges(ages []time.Duration) AgeSummary {
	s := AgeSummary{Accounts: len(ages)}
	if len(ages) > 0 {
		rank := func(percent int) *int64 { return new(int64(ages[(len(ages)*percent+99)/100-1] / time.Second)) }
		s.Median, s.P90, s.Oldest = rank(50), rank(90), rank(100)
	}
	return s
}

// PerDay returns the verdicts of each day up to the one of a time, also of days without any, and how often each reason
// was given on these days, the most frequent first.
func (c *Checks) PerDay(at time.Time) (days []DayCount, reasons []ReasonCount) {
	today := dayOf(at.In(c.zone))
	all := map[string]*ReasonCount{}
	for day := today - int64(c.days) + 1; day <= today; day++ {
		count := DayCount{Day: time.Unix(day*int64(24*time.Hour/time.Second), 0).UTC().Format(time.DateOnly)}
		if seen := c.perDay[day]; seen != nil {
			count.Approved = seen.verdicts[payments.KYCStatusApproved]
			count.Resubmit = seen.verdicts[payments.KYCStatusResubmissionRequired]
			count.Rejected = seen.verdicts[payments.KYCStatusRejected]
			for _, key := range slices.Sorted(maps.Keys(seen.reasons)) {
				addReason(all, *seen.reasons[key])
			}
		}
		days = append(days, count)
	}
	reasons = []ReasonCount{}
	for _, reason := range all {
		reasons = append(reasons, *reason)
	}
	slices.SortFunc(reasons, func(a, b ReasonCount) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Code, b.Code), cmp.Compare(a.Message, b.Message))
	})
	return days, reasons
}

// PerHour returns the verdicts of each of the 48 hours up to the one of a time.
func (c *Checks) PerHour(at time.Time) (hours []HourCount) {
	for hour := hourOf(at) - hoursKept + 1; hour <= hourOf(at); hour++ {
		begin := time.Unix(hour*int64(time.Hour/time.Second), 0).UTC()
		hours = append(hours, HourCount{Begin: begin, Verdicts: c.perHour[hour]})
	}
	return hours
}

// Gap returns the time of the first change that was seen if changes before it are missing in the days up to a time: a
// check is older, and its first change was not seen. It is zero if nothing is missing, and at if no change was seen at
// all.
func (c *Checks) Gap(at time.Time) time.Time {
	first := c.first
	if first.IsZero() {
		first = at
	}
	if dayOf(first.In(c.zone)) <= dayOf(at.In(c.zone))-int64(c.days) {
		return time.Time{}
	}
	for _, check := range c.checks {
		if !check.isWhole && check.created < first.Unix() {
			return first
		}
	}
	return time.Time{}
}
