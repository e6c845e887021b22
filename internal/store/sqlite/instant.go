package sqlite

import "time"

// layout writes moments in one length, so that they sort by their bytes.
const layout = "2006-01-02T15:04:05.000000000Z"

// The moments that the layout has room for. What lies outside is kept as the nearest of them.
var (
	first = time.Date(0, time.January, 1, 0, 0, 0, 0, time.UTC)
	last  = time.Date(9999, time.December, 31, 23, 59, 59, 999_999_999, time.UTC)
)

// instant is a moment as text.
func instant(t time.Time) string {
	t = t.UTC()
	switch {
	case t.Before(first):
		t = first
	case t.After(last):
		t = last
	}
	return t.Format(layout)
}

// moment reads what instant wrote.
func moment(text string) (time.Time, error) { return time.Parse(layout, text) }
