package payments

import (
	"errors"
	"math"
	"strings"
	"time"
)

// ErrNotDuration is the reason why a text is refused as a duration.
var ErrNotDuration = errors.New("must be a duration such as 90s or 25h, or as ISO 8601 writes it, such as PT90S or P1DT1H (without months and years)")

// ParseDuration reads a positive length of time, as Go writes it (1h30m) or as ISO 8601 does (PT1H30M). Months and years
// have no fixed length and are refused, as is more than some 292 years. The error is ErrNotDuration.
func ParseDuration(text string) (time.Duration, error) {
	if rest, iso := strings.CutPrefix(text, "P"); iso {
		return parseISODuration(rest)
	}
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 {
		return 0, ErrNotDuration
	}
	return d, nil
}

// isoUnits are the designators of ISO 8601 section 5.5.2 in their order, with their length in a unit that Go knows.
var isoUnits = [...]struct {
	designator string
	time       bool // it stands behind the T
	unit       string
	times      int64
}{
	{"W", false, "h", 7 * 24}, {"D", false, "h", 24}, {"H", true, "h", 1}, {"M", true, "m", 1}, {"S", true, "s", 1},
}

// parseISODuration reads what follows the P.
func parseISODuration(rest string) (time.Duration, error) {
	sum := int64(0) // nanoseconds
	behind := false
	for _, u := range isoUnits {
		if u.time && !behind && strings.HasPrefix(rest, "T") && len(rest) > 1 {
			rest, behind = rest[1:], true
		}
		end := strings.IndexFunc(rest, func(c rune) bool { return c >= 'A' })
		if end < 1 || rest[end:end+1] != u.designator || u.time != behind {
			continue
		}
		number := rest[:end]
		if integer, _, _ := strings.Cut(number, "."); !digits(integer, 19) || u.designator != "S" && integer != number {
			return 0, ErrNotDuration // only the seconds have a fraction
		}
		part, err := time.ParseDuration(number + u.unit)
		if err != nil || int64(part) > math.MaxInt64/u.times || sum > math.MaxInt64-int64(part)*u.times {
			return 0, ErrNotDuration
		}
		sum += int64(part) * u.times
		rest = rest[end+1:]
	}
	if rest != "" || sum <= 0 {
		return 0, ErrNotDuration
	}
	return time.Duration(sum), nil
}
