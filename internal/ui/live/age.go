package live

import (
	"fmt"
	"time"
)

// Age returns the time since t in at most two units; a dash for no time.
func Age(t, now time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return twoUnits(max(now.Sub(t), 0))
}

// twoUnits is a duration in at most two units.
func twoUnits(d time.Duration) string {
	s := d / time.Second
	switch {
	case s < 60:
		return fmt.Sprintf("%ds", s)
	case s < 3600:
		return fmt.Sprintf("%dm%02ds", s/60, s%60)
	case s < 24*3600:
		return fmt.Sprintf("%dh%02dm", s/3600, s/60%60)
	case s < 100*24*3600:
		return fmt.Sprintf("%dd%02dh", s/3600/24, s/3600%24)
	}
	return fmt.Sprintf("%dd", s/3600/24)
}

// shortAge is a duration in one unit.
func shortAge(d time.Duration) string {
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%ds", d/time.Second)
	case d < time.Hour:
		return fmt.Sprintf("%dm", d/time.Minute)
	case d < 48*time.Hour:
		return fmt.Sprintf("%dh", d/time.Hour)
	}
	return fmt.Sprintf("%dd", d/(24*time.Hour))
}
