package events

import (
	"context"
	"io"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/settings"
	"github.com/payctl/payctl/internal/ui"
)

// The order of cursors ends a list only if a page shows that they have one: a list that ends early would lose events.
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
		{page("d", "a", "d"), "c", true}, // the one at the end is of another type
		{page("d", "b", "a"), "c", false},
		{page("d", "b", "c", "a"), "c", true},
		{page("a", "b", "d"), "a", false},
		{page("zz", "a", "b"), "c", false},
	} {
		require.Equal(t, c.want, reaches(c.page, c.end), "%v", c)
	}
}

// oneMore is a feed that always has one more page, and no end that a page could reach.
type oneMore struct {
	payments.Service
	asked   int
	cursors int // how many different ones there are
}

func (f *oneMore) ListEvents(_ context.Context, filter payments.EventFilter) (payments.EventPage, error) {
	if filter.After == payments.LatestEvent {
		return payments.EventPage{Cursor: "the end"}, nil
	}
	if f.asked++; f.asked > 100 {
		return payments.EventPage{}, context.Canceled
	}
	id := "evt_" + strconv.Itoa(f.asked%f.cursors)
	return payments.EventPage{Data: []payments.Event{{ID: id}}, Cursor: id + "_after"}, nil
}

func TestAListOfEventsWithoutAnEnd(t *testing.T) {
	t.Parallel()
	feed := &oneMore{cursors: 7}
	d := &cmdutil.Deps{
		Streams:  &ui.Streams{Out: io.Discard, Err: io.Discard},
		Options:  &cmdutil.Options{},
		Now:      time.Now,
		Settings: func() (settings.Settings, error) { return settings.Settings{Output: "table"}, nil },
		Payments: func() (payments.Service, error) { return feed, nil },
	}
	require.ErrorIs(t, list(t.Context(), d, &listOptions{all: true}), payments.ErrEndless)
	require.Less(t, feed.asked, 20)
}
