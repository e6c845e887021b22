package ui

import (
	"fmt"
	"time"
)

// Age formats how long something has lasted, in at most two units, such as 45s, 3h20m or 12d04h. Less than zero, of a
// clock that is ahead, is zero.
func Age(d time.Duration) string {
	switch s := max(d, 0) / time.Second; {
	case s < 60:
		return fmt.Sprintf("%ds", s)
	case s < 3600:
		return fmt.Sprintf("%dm%02ds", s/60, s%60)
	case s < 24*3600:
		return fmt.Sprintf("%dh%02dm", s/3600, s/60%60)
	case s < 100*24*3600:
		return fmt.Sprintf("%dd%02dh", s/3600/24, s/3600%24)
	default:
		return fmt.Sprintf("%dd", s/3600/24)
	}
}
