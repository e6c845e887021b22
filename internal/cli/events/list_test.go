package events

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/payments"
)

// Cursors end a list by their order only if the page shows that they are ordered. Ending early would lose events.
func TestWhereTheFeedEnded(t *testing.T) {
	t.Parallel()
	page := func(cursor string, ids ...string) (p payments.EventPage) {
		p.Cursor = cursor
		for _, id := range ids {
			p.Data = append(p.Data, payments.Event{ID: id})
		}
		return p
	}
	for _, c := range []struct {
		page payments.EventPage
		end  string
		want bool
	}{
		{page("b", "a", "b"), "b", true},
		{page("b", "a", "b"), "c", false},
		{page("d", "a", "d"), "c", true}, // the event at the end has another type
		{page("d", "b", "a"), "c", false},
		{page("d", "b", "c", "a"), "c", true},
		{page("a", "b", "d"), "a", false},
		{page("a"), "b", true}, // an empty page is the last
		{page("zz", "a", "b"), "c", false},
	} {
		require.Equal(t, c.want, reaches(c.page, c.end), "%v", c)
	}
}
