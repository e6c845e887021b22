package events

import (
	"slices"
	"strings"

	"github.com/payctl/payctl/internal/payments"
)

// reaches reports whether a page goes up to a cursor that was the end of the feed when the reading began, or beyond:
// while events are added all the time, no page is empty. If only some types are read, the last event need not be among
// them. Then the order of the cursors decides, if the page shows that they have one; those of another service need not.
func reaches(p payments.EventPage, end string) bool {
	if len(p.Data) == 0 {
		return true
	}
	inOrder := slices.IsSortedFunc(p.Data, func(a, b payments.Event) int { return strings.Compare(a.ID, b.ID) })
	if inOrder && len(p.Data) < payments.LargestPage && len(p.Cursor) == len(end) && p.Cursor >= p.Data[len(p.Data)-1].ID {
		return p.Cursor >= end
	}
	return slices.ContainsFunc(p.Data, func(e payments.Event) bool { return e.ID == end })
}
