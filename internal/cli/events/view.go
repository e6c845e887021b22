package events

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/cli/watchui"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/ui"
	"github.com/payctl/payctl/internal/ui/live"
)

const (
	// mostShown is how many events the live view keeps: more than a person scrolls through, in some 20 MiB of memory.
	mostShown = 10_000
	// mostLeft is how many events are printed when the feed has ended by itself and the view is closed.
	mostLeft = 20
)

// A view shows the events in the live view, the newest first.
type view struct {
	screen *watchui.Screen
	began  time.Time
	shown  int
	counts map[payments.EventType]int
	last   []payments.Event // at most mostLeft
	ended  bool             // by itself
}

// A row is an event with its number, which is the order in which the events came.
type row struct {
	entry
	number int
}

func eventOf(r *live.Row) row {
	event, _ := r.Data.(row)
	return event
}

// groups are the kinds of subjects; the last one has what a newer service may have events about.
var groups = []live.Group{
	{Name: "accounts", Mark: [2]string{"a", "a"}},
	{Name: "contacts", Mark: [2]string{"c", "c"}},
	{Name: "transfers", Mark: [2]string{"t", "t"}},
	{Name: "others", Mark: [2]string{"?", "?"}},
}

// groupOf returns the index of an event's group: the type begins with the kind of the subject.
func groupOf(kind payments.EventType) int {
	switch subject, _, _ := strings.Cut(string(kind), "."); subject {
	case "account", "kyc":
		return 0
	case "contact":
		return 1
	case "transfer":
		return 2
	}
	return len(groups) - 1
}

// newView returns nil where lines are printed.
func newView(d *cmdutil.Deps) *view {
	v := &view{began: d.Now(), counts: map[payments.EventType]int{}}
	v.screen = watchui.NewScreen(d, live.Config{
		Title: "Events", Noun: "events", Groups: groups, GroupHeader: "About", Log: true, Columns: liveColumns(),
		Compare:  func(x, y *live.Row) int { return eventOf(y).number - eventOf(x).number },
		MostRows: mostShown, Details: liveDetails,
		Actions: []live.Action{{Key: "y", Name: "copy subject", Run: copySubject}},
	})
	if v.screen == nil {
		return nil
	}
	return v
}

// run follows the feed under the view. Closing the view interrupts a tail that waits for --limit, and ends any other.
func (v *view) run(ctx context.Context, limit int, follow func(context.Context) error) error {
	quit, err := v.screen.Run(ctx, follow)
	if quit && limit > 0 {
		return ui.ErrInterrupted
	}
	v.ended = !quit
	return err
}

// add shows an event.
func (v *view) add(e payments.Event) {
	r := v.take(e)
	if e.OccurredAt.Before(v.began) {
		v.screen.Put(r)
		return
	}
	v.screen.Change(r, "")
}

// take counts an event and returns its row.
func (v *view) take(e payments.Event) live.Row {
	v.shown++
	v.counts[e.Type]++
	v.last = append(v.last[max(0, len(v.last)-mostLeft+1):], e)
	r := live.Row{
		ID: e.ID, Group: groupOf(e.Type), Status: ui.Text(happened(e.Type)), Since: e.OccurredAt, Why: why(e.Data),
		Data: row{entryOf(e), v.shown},
	}
	if e.To != nil {
		r.Status = state(e.Type, *e.To)
	}
	return r
}

// happened is the last word of an event's type, such as created.
func happened(kind payments.EventType) string {
	_, verb, _ := strings.Cut(string(kind), ".")
	return verb
}

// leave prints what is to stay on the terminal: the last events if the feed has ended by itself, and what was shown.
func (v *view) leave(d *cmdutil.Deps) error {
	if v.ended && v.shown <= mostLeft {
		for _, e := range v.last {
			if err := printLine(d, e); err != nil {
				return err
			}
		}
	}
	parts := []string{}
	for kind, n := range v.counts {
		parts = append(parts, strconv.Itoa(n)+" "+string(kind))
	}
	slices.Sort(parts)
	text := cmdutil.Count(v.shown, "event(s)")
	if len(parts) > 0 {
		text += ": " + strings.Join(parts, ", ")
	}
	d.Notef("%s.", text)
	return nil
}

// liveDetails shows an event in full. Nothing is read for it.
func liveDetails(_ context.Context, r live.Row) (live.Details, error) {
	e := eventOf(&r)
	lines, err := ui.JSONLines(e.entry)
	if err != nil {
		return live.Details{}, err
	}
	document := ui.Field{Label: "JSON"}
	for _, line := range lines {
		document.Cells = append(document.Cells, ui.Text(line))
	}
	fields := slices.Concat(
		cmdutil.Field("Type", string(e.Type)),
		cmdutil.Field("When", cmdutil.Time(e.OccurredAt)),
		cmdutil.Field("Subject", e.SubjectID),
		cmdutil.Field("Why", r.Why),
		ui.Details{document},
	)
	return live.Details{Fields: func(bool) ui.Details { return fields }}, nil
}

// copySubject copies the identifier of the subject of an event.
func copySubject(_ context.Context, rows []live.Row, _ bool) (live.Result, error) {
	return live.CopyID(eventOf(&rows[0]).SubjectID), nil
}
