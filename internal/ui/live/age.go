package live

import (
	"fmt"
	"time"

	"github.com/payctl/payctl/internal/ui"
)

// Age returns the time since t in at most two units; a dash for no time.
func Age(t, now time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return ui.Age(now.Sub(t))
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
