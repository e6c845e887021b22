package payments

import (
	"errors"
	"math"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
)

// dateTime is the form of RFC 3339 section 5.6. time.Parse accepts more, such as an hour of one digit.
var dateTime = compiled(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$`)

// ParseTime parses a time in the form of RFC 3339 section 5.6, in which T and Z may be small letters. A leap second is
// the last one of a month in UTC (section 5.7); it becomes the first of the next month.
func ParseTime(text string) (at time.Time, ok bool) {
	text = strings.ToUpper(text)
	if !dateTime().MatchString(text) {
		return time.Time{}, false
	}
	const seconds = len("2006-01-02T15:04:")
	leap := text[seconds:seconds+2] == "60"
	if leap {
		text = text[:seconds] + "59" + text[seconds+2:]
	}
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return time.Time{}, false
	}
	if leap {
		at = at.Add(time.Second)
		utc := at.UTC()
		if utc.Day() != 1 || utc.Hour() != 0 || utc.Minute() != 0 {
			return time.Time{}, false
		}
	}
	return at, true
}

// ErrNotDuration is the error of a text that is not a duration.
var ErrNotDuration = errors.New("must be a duration such as 90s, 25h or 2d, or in ISO 8601 such as PT90S or P1DT1H (without months and years)")

// ParseDuration reads a positive duration in Go's form, also with weeks and days of 24 hours (2w, 1d12h), or in ISO
// 8601 (PT1H30M). Months and years are refused, because their length varies, and so is more than about 292 years. The
// error is ErrNotDuration.
func ParseDuration(text string) (time.Duration, error) {
	if rest, iso := strings.CutPrefix(text, "P"); iso {
		return parseISODuration(rest)
	}
	var sum time.Duration
	for _, unit := range []struct {
		name   string
		length time.Duration
	}{{"w", 7 * 24 * time.Hour}, {"d", 24 * time.Hour}} {
		number, rest, found := strings.Cut(text, unit.name)
		if !found {
			continue
		}
		n, err := strconv.ParseUint(number, 10, 32)
		if err != nil || n > uint64((math.MaxInt64-sum)/unit.length) {
			return 0, ErrNotDuration
		}
		sum, text = sum+time.Duration(n)*unit.length, rest
	}
	if sum > 0 && text == "" {
		return sum, nil
	}
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 || d > math.MaxInt64-sum {
		return 0, ErrNotDuration
	}
	return sum + d, nil
}

// isoDuration are the parts of ISO 8601 section 5.5.2 after the P: only seconds may have a fraction.
var isoDuration = compiled(`^(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d*)?)S)?)?$`)

// isoUnits are the units of those parts, each as a multiple of a unit of Go's.
var isoUnits = [...]struct {
	unit  string
	times int64
}{{"h", 7 * 24}, {"h", 24}, {"h", 1}, {"m", 1}, {"s", 1}}

// parseISODuration reads what follows the P.
func parseISODuration(rest string) (time.Duration, error) {
	parts := isoDuration().FindStringSubmatch(rest)
	if parts == nil || strings.HasSuffix(rest, "T") {
		return 0, ErrNotDuration
	}
	sum := int64(0) // nanoseconds
	for i, u := range isoUnits {
		if parts[i+1] == "" {
			continue
		}
		part, err := time.ParseDuration(parts[i+1] + u.unit)
		if err != nil || int64(part) > math.MaxInt64/u.times || sum > math.MaxInt64-int64(part)*u.times {
			return 0, ErrNotDuration
		}
		sum += int64(part) * u.times
	}
	if sum <= 0 {
		return 0, ErrNotDuration
	}
	return time.Duration(sum), nil
}

// FormatTime returns a time as people read it, in UTC and to the second; empty for the zero time, which is that of a
// member that a service does not show.
func FormatTime(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format("2006-01-02 15:04:05Z")
}

// compiled returns a pattern that is compiled at its first use, since most commands need none.
func compiled(pattern string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern) })
}
