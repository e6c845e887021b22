package payments

import (
	"slices"
	"strings"
)

// Reaches reports whether a page goes up to a cursor that was the end of the feed when the reading began, or beyond:
// while events are added all the time, no page is empty. If only some types are read, the last event need not be among
// them. Then the order of the cursors decides, if the page shows that they have one; those of another service need not.
func (p EventPage) Reaches(end string) bool {
	if len(p.Data) == 0 {
		return true
	}
	inOrder := slices.IsSortedFunc(p.Data, func(a, b Event) int { return strings.Compare(a.ID, b.ID) })
	if inOrder && len(p.Data) < LargestPage && len(p.Cursor) == len(end) && p.Cursor >= p.Data[len(p.Data)-1].ID {
		return p.Cursor >= end
	}
	return slices.ContainsFunc(p.Data, func(e Event) bool { return e.ID == end })
}
