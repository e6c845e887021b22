package sql

import "time"

// timeLayout writes times in one length, so that they sort as their texts do.
const timeLayout = "2006-01-02T15:04:05.000000000Z"

// The times that the layout has room for. Others are kept as the nearest of these.
var (
	earliest = time.Date(0, time.January, 1, 0, 0, 0, 0, time.UTC)
	latest   = time.Date(9999, time.December, 31, 23, 59, 59, 999_999_999, time.UTC)
)

// timeText is a time as the tables have it.
func timeText(t time.Time) string {
	t = t.UTC()
	switch {
	case t.Before(earliest):
		t = earliest
	case t.After(latest):
		t = latest
	}
	return t.Format(timeLayout)
}

func parseTimeText(text string) (time.Time, error) { return time.Parse(timeLayout, text) }
