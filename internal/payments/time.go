package payments

import (
	"cmp"
	"errors"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/payctl/payctl/internal/textutil"
)

// dateTime is the form of RFC 3339 section 5.6. time.Parse accepts more, such as an hour of one digit.
const dateTime = `^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$`

// ParseTime parses a time of RFC 3339 section 5.6. T and Z may be small letters. A leap second is the last second of a
// month in UTC (section 5.7). It becomes the first second of the next month.
func ParseTime(text string) (at time.Time, ok bool) {
	text = strings.ToUpper(text)
	if !textutil.Regexp(dateTime).MatchString(text) {
		return time.Time{}, false
	}
	const seconds = len("2006-01-02T15:04:")
	leap := text[seconds:seconds+2] == "60"
	if leap {
		text = text[:seconds] + "59" + text[seconds+2:]
	}
	at, err := time.Parse(time.RFC3339, text)
	if err == nil && leap {
		at = at.Add(time.Second)
		if utc := at.UTC(); utc.Day() != 1 || utc.Hour() != 0 || utc.Minute() != 0 {
			return time.Time{}, false
		}
	}
	return at, err == nil
}

// ErrNotDuration is the error of a text that is not a duration.
var ErrNotDuration = errors.New("must be a duration such as 90s, 25h or 2d")

// ParseDuration reads a positive duration in Go's form, also with weeks and days of 24 hours (2w, 1d12h). The error is
// ErrNotDuration.
func ParseDuration(text string) (time.Duration, error) {
	if plain, err := time.ParseDuration(text); err == nil && plain > 0 {
		return plain, nil
	}
	parts := textutil.Regexp(`(?s)^(?:(\d{1,5})w)?(?:(\d{1,6})d)?(.*)$`).FindStringSubmatch(text)
	weeks, _ := strconv.Atoi(parts[1]) // zero without any
	days, _ := strconv.Atoi(parts[2])
	rest, err := time.ParseDuration(cmp.Or(parts[3], "0s"))
	const day, most = 24 * time.Hour, math.MaxInt64 / (24 * time.Hour)
	sum := time.Duration(7*weeks+days)*day + rest
	if err != nil || time.Duration(7*weeks+days) > most || rest < 0 || sum <= 0 {
		return 0, ErrNotDuration
	}
	return sum, nil
}

// FormatTime returns a time for a person, in UTC and to the second. It is empty for the zero time.
func FormatTime(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format("2006-01-02 15:04:05Z")
}
