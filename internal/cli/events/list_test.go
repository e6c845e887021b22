package events

import (
	"bytes"
	"context"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/settings"
	"github.com/payctl/payctl/internal/ui"
)

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
	d, _, _ := process(feed)
	require.ErrorIs(t, list(t.Context(), d, &listOptions{all: true}), payments.ErrEndless)
	require.Less(t, feed.asked, 20)
}

// process is what a command needs that prints events as CSV.
func process(service payments.Service) (d *cmdutil.Deps, out, notes *bytes.Buffer) {
	out, notes = &bytes.Buffer{}, &bytes.Buffer{}
	return &cmdutil.Deps{
		Streams:  &ui.Streams{Out: out, Err: notes},
		Options:  &cmdutil.Options{},
		Now:      time.Now,
		Settings: func() (settings.Settings, error) { return settings.Settings{Output: "csv"}, nil },
		Payments: func() (payments.Service, error) { return service, nil },
	}, out, notes
}

// simpleFeed is a feed of 250 events about two subjects in turn, which ignores or refuses the filters.
type simpleFeed struct {
	payments.Service
	refusal string // of subjectId; empty: it is ignored
	asked   []payments.EventFilter
}

func (f *simpleFeed) ListEvents(_ context.Context, filter payments.EventFilter) (payments.EventPage, error) {
	f.asked = append(f.asked, filter)
	if f.refusal != "" && filter.SubjectID != "" {
		problem := payments.NewValidationProblem(payments.FieldErrors{"subjectId": {f.refusal}})
		problem.Status = 400
		return payments.EventPage{}, problem
	}
	page := payments.EventPage{Data: []payments.Event{}, Cursor: "249"}
	after, err := strconv.Atoi(filter.After)
	if err != nil {
		after = -1
	}
	if filter.After == payments.LatestEvent {
		after = 249
	}
	for i := after + 1; i < 250 && len(page.Data) < filter.Limit; i++ {
		page.Cursor = strconv.Itoa(i)
		page.Data = append(page.Data, payments.Event{
			ID: page.Cursor, Type: payments.EventTypeKYCStatusChanged, SubjectID: []string{"acc_even", "acc_odd"}[i%2],
		})
	}
	return page, nil
}

func TestEventsOfAServiceThatDoesNotFilter(t *testing.T) {
	t.Parallel()
	for name, refusal := range map[string]string{"ignores": "", "refuses": "The subjectId parameter is unknown."} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			note := "The service " + name + " --subject; payctl filters the rows itself.\n"
			filtering := selection{subject: "acc_odd"}
			for asked, c := range map[*listOptions]struct {
				rows   int
				cursor string
			}{
				{selection: filtering, limit: 3}:   {3, "5"}, // the page has later events
				{selection: filtering, limit: 70}:  {70, "139"},
				{selection: filtering, limit: 500}: {125, "249"},
				{selection: filtering, all: true}:  {125, "249"},
			} {
				feed := &simpleFeed{refusal: refusal}
				d, out, notes := process(feed)
				require.NoError(t, list(t.Context(), d, asked))
				require.Equal(t, c.rows, strings.Count(out.String(), ",acc_odd,"))
				require.NotContains(t, out.String(), "acc_even")
				require.Equal(t, 1, strings.Count(notes.String(), note), notes)
				require.Contains(t, notes.String(), "--after "+c.cursor+"\n")
			}

			feed := &simpleFeed{refusal: refusal}
			d, out, notes := process(feed)
			filtering.after = "4"
			require.NoError(t, tail(t.Context(), d, &tailOptions{selection: filtering, limit: 2, interval: time.Second}, true))
			require.Equal(t, 2, strings.Count(out.String(), ",acc_odd,"), out)
			require.NotContains(t, out.String(), "acc_even")
			require.Equal(t, 1, strings.Count(notes.String(), note), notes)
			require.Equal(t, "acc_odd", feed.asked[0].SubjectID)
		})
	}
}

// What belongs to the value, and not to the parameter, is an error.
func TestASubjectThatTheServiceRefuses(t *testing.T) {
	t.Parallel()
	d, _, _ := process(&simpleFeed{refusal: "The subjectId field must be an identifier."})
	err := list(t.Context(), d, &listOptions{selection: selection{subject: "x"}, all: true})
	require.ErrorContains(t, err, "subjectId")
}
