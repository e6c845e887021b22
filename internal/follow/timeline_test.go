package follow

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/payments"
)

// pagedFeed answers the requests for the feed one after the other, the last answer again and again.
type pagedFeed struct {
	pages []payments.EventPage
	err   error // after the pages
	asked []payments.EventFilter
}

func (f *pagedFeed) ListEvents(_ context.Context, filter payments.EventFilter) (payments.EventPage, error) {
	f.asked = append(f.asked, filter)
	if f.err != nil && len(f.asked) > len(f.pages) {
		return payments.EventPage{}, f.err
	}
	return f.pages[min(len(f.asked), len(f.pages))-1], nil
}

// history is n events about a subject from a number on. Number 0 is that it was created.
func history(subject string, from, n int) (events []payments.Event) {
	for i := from; i < from+n; i++ {
		e := payments.Event{ID: strconv.Itoa(i), Type: payments.EventTypeKYCStatusChanged, SubjectID: subject, From: new("a"), To: new("b")}
		if i == 0 {
			e.Type, e.From, e.To = payments.EventTypeAccountCreated, nil, nil
		}
		events = append(events, e)
	}
	return events
}

func TestTimeline(t *testing.T) {
	t.Parallel()
	page := func(cursor string, parts ...[]payments.Event) payments.EventPage {
		return payments.EventPage{Data: slices.Concat(parts...), Cursor: cursor}
	}
	firstStatus := history("acc_1", 1, 2)
	firstStatus[0].From = nil
	refused := payments.NewValidationProblem(payments.FieldErrors{"subjectId": {"The parameter is unknown."}})
	gone := payments.NewProblem(payments.KindGone, "The world was reset.")
	for name, c := range map[string]struct {
		feed     pagedFeed
		requests int
		expected []payments.Event
		complete bool
	}{
		"a page": {pagedFeed{pages: []payments.EventPage{page("9", history("acc_1", 0, 3))}}, 1, history("acc_1", 0, 3), true},
		"a full page and an empty one": {pagedFeed{pages: []payments.EventPage{
			page("99", history("acc_1", 0, 100)), page("99")}}, 2, history("acc_1", 0, 100), true},
		"the most events that are shown": {pagedFeed{pages: []payments.EventPage{
			page("99", history("acc_1", 0, 100)), page("199", history("acc_1", 100, 100)), page("199")}}, 3, history("acc_1", 0, 200), true},
		"more events than are shown": {pagedFeed{pages: []payments.EventPage{
			page("99", history("acc_1", 0, 100)), page("199", history("acc_1", 100, 100)), page("210", history("acc_1", 200, 11)),
		}}, 3, history("acc_1", 11, 200), false},
		"no end": {pagedFeed{pages: []payments.EventPage{
			page("99", history("acc_1", 0, 100)), page("199", history("acc_1", 100, 100)), page("299", history("acc_1", 200, 100)),
		}}, 3, history("acc_1", 100, 200), false},
		"a first status without a creation, for want of a scope": {pagedFeed{pages: []payments.EventPage{page("9", firstStatus)}}, 1, firstStatus, true},
		"old events were dropped":                                {pagedFeed{pages: []payments.EventPage{page("9", history("acc_1", 4, 3))}}, 1, history("acc_1", 4, 3), false},
		"every event was dropped":                                {pagedFeed{pages: []payments.EventPage{page("9")}}, 2, nil, false},
		"empty pages before the events": {pagedFeed{pages: []payments.EventPage{
			page("5"), page("6"), page("7", history("acc_1", 0, 2))}}, 3, history("acc_1", 0, 2), true},
		"empty pages without end": {pagedFeed{pages: []payments.EventPage{page("5"), page("6"), page("7")}}, 3, nil, false},
		"a cursor that leads back": {pagedFeed{pages: []payments.EventPage{
			page("99", history("acc_1", 0, 100)), page("5", history("acc_1", 100, 100)), page("99", history("acc_1", 0, 100)),
		}}, 3, history("acc_1", 0, 200), false},
		"a service that does not filter": {pagedFeed{pages: []payments.EventPage{
			page("4", history("acc_2", 0, 60), history("acc_1", 60, 1), history("acc_3", 61, 39))}}, 1, history("acc_1", 60, 1), false},
		"a service that filters its first page alone": {pagedFeed{pages: []payments.EventPage{
			page("99", history("acc_1", 0, 100)), page("199", history("acc_2", 100, 100))}}, 2, history("acc_1", 0, 100), false},
		"a service that refuses the filter": {pagedFeed{err: refused}, 1, nil, false},
		"a service without a feed":          {pagedFeed{err: &payments.ProblemError{Problem: payments.Problem{Status: 404}}}, 1, nil, false},
		"a client without a feed":           {pagedFeed{err: errors.ErrUnsupported}, 1, nil, false},
		"a cursor that is lost meanwhile": {pagedFeed{err: gone, pages: []payments.EventPage{
			page("99", history("acc_1", 0, 100))}}, 2, history("acc_1", 0, 100), false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			events, complete, err := Timeline(t.Context(), &c.feed, "acc_1", 3)
			require.NoError(t, err)
			require.Equal(t, len(c.expected), len(events))
			for i := range events {
				require.Equal(t, c.expected[i], events[i])
			}
			require.Equal(t, c.complete, complete)
			require.Len(t, c.feed.asked, c.requests)
			for i, filter := range c.feed.asked {
				require.Equal(t, "acc_1", filter.SubjectID)
				require.Equal(t, payments.LargestPage, filter.Limit)
				if i > 0 {
					require.Equal(t, c.feed.pages[min(i, len(c.feed.pages))-1].Cursor, filter.After)
				}
			}
		})
	}
}

func TestTimelineFails(t *testing.T) {
	t.Parallel()
	feed := &pagedFeed{pages: []payments.EventPage{{Data: history("acc_1", 0, 100), Cursor: "99"}}, err: &payments.ProblemError{Problem: payments.Problem{Status: 503}}}
	events, complete, err := Timeline(t.Context(), feed, "acc_1", 3)
	require.ErrorIs(t, err, feed.err)
	require.Empty(t, events)
	require.False(t, complete)

	feed = &pagedFeed{}
	events, complete, err = Timeline(t.Context(), feed, "", 3)
	require.NoError(t, err)
	require.Empty(t, events)
	require.False(t, complete)
	require.Empty(t, feed.asked, "no subject would select every event")

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, _, err = Timeline(ctx, &pagedFeed{err: ctx.Err()}, "acc_1", 3)
	require.ErrorIs(t, err, context.Canceled)
}
