package watchui

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/follow"
	"github.com/payctl/payctl/internal/ui"
	"github.com/payctl/payctl/internal/ui/live"
)

// The last changes are printed when the live view has been closed, so that they stay on the terminal. Of more
// subjects than these they would not show the end.
const (
	mostLeftSubjects = 10
	mostLeftChanges  = 50
)

// A view shows a watch in the live view.
type view struct {
	kind    Kind
	hasGoal bool
	deps    *cmdutil.Deps
	live    *Screen
	records *records
	exec    *executor // runs the program of --exec; nil if there is none
	// loaded is closed when the first statuses have been read. Records are read from then on: before, each of these
	// requests would delay the list, and the rows do not stay where they are.
	loaded chan struct{}

	mu   sync.Mutex
	ids  map[string]bool // the subjects of last, as long as they are not too many
	last []follow.Change
	seen map[string][]live.Step // the latest changes of subjects, for their timelines
}

const (
	// keptSteps is how many changes are kept of a subject, and keptHistories of how many subjects: more than happens in a
	// day.
	keptSteps     = 20
	keptHistories = 10_000
)

// newView returns nil where lines are printed.
func newView(d *cmdutil.Deps, o *Options, kind Kind) *view {
	title := kind.Title
	if len(o.until) > 0 {
		title += ", until " + strings.Join(o.until, " or ")
	}
	v := &view{
		kind: kind, hasGoal: len(o.until) > 0, deps: d, ids: map[string]bool{}, seen: map[string][]live.Step{},
		loaded: make(chan struct{}),
	}
	config := live.Config{
		Title: title, Noun: kind.Nouns, Groups: kind.groups(), GroupHeader: "Turn", Compare: longestFirst, Columns: kind.Columns,
		Actions: v.actions(), HasPersonal: kind.HasPersonal, ShowPersonal: kind.ShowPersonal, Loading: true,
	}
	if kind.Details != nil {
		config.Details = v.details
	}
	if v.live = NewScreen(d, config); v.live == nil {
		return nil
	}
	v.records = newRecords(kind, func(id string, record follow.Record) {
		v.live.Edit(id, func(row *live.Row) {
			row.Data, row.Deadline = record, kind.deadline(row.Status.Text, record)
			row.Why = cmp.Or(row.Why, kind.why(row.Status.Text, record))
		})
	})
	return v
}

// run runs a watch under the view. Closing the view interrupts a watch that has a goal, or has not read its list yet,
// and ends any other.
func (v *view) run(
	ctx context.Context, watch func(context.Context) (follow.Summary, error),
) (summary follow.Summary, err error) {
	quit, err := v.live.Run(ctx, func(ctx context.Context) (err error) {
		reading, stop := context.WithCancel(ctx)
		var reader sync.WaitGroup
		reader.Go(func() {
			select {
			case <-v.loaded:
				v.records.run(reading)
			case <-reading.Done():
			}
		})
		defer reader.Wait()
		defer stop()
		summary, err = watch(ctx)
		return err
	})
	if quit && (v.hasGoal || summary.Unlisted) {
		err = ui.ErrInterrupted
	}
	return summary, err
}

// change shows a change; isNew is true for the first status of a subject that has appeared while the view was open.
func (v *view) change(c follow.Change, isNew bool) {
	v.mu.Lock()
	if len(v.ids) <= mostLeftSubjects {
		v.ids[c.ID] = true
		v.last = append(v.last[max(0, len(v.last)-mostLeftChanges+1):], c)
	}
	if c.From != nil {
		v.keepStep(c.ID, live.Step{At: c.Since, From: v.kind.Status(*c.From), To: v.kind.Status(c.Status), Why: c.Why()})
	}
	v.mu.Unlock()
	v.records.add(c, func(known follow.Record) {
		row := live.Row{
			ID: c.ID, Group: v.kind.group(c), Status: v.kind.Status(c.Status), Since: c.Since,
			Deadline: v.kind.deadline(c.Status, known), Why: cmp.Or(c.Why(), v.kind.why(c.Status, known)),
		}
		if known != nil {
			row.Data = known
		}
		if c.From != nil || isNew {
			v.live.Change(row, cmdutil.Text(c.From))
		} else {
			v.live.Put(row)
		}
	})
}

// keepStep keeps a change for the timeline of its subject.
func (v *view) keepStep(id string, step live.Step) {
	steps, known := v.seen[id]
	if known || len(v.seen) < keptHistories {
		v.seen[id] = append(steps[max(0, len(steps)-keptSteps+1):], step)
	}
}

// details reads everything about a subject. Where the service does not have the whole history, the timeline gets what
// was seen in this watch.
func (v *view) details(ctx context.Context, row live.Row) (live.Details, error) {
	details, err := v.kind.Details(ctx, row)
	if err != nil || !details.Incomplete {
		return details, err
	}
	v.mu.Lock()
	seen := slices.Clone(v.seen[row.ID])
	v.mu.Unlock()
	for _, step := range seen {
		if !slices.ContainsFunc(details.Timeline, func(other live.Step) bool { return isSame(step, other) }) {
			details.Timeline = append(details.Timeline, step)
		}
	}
	slices.SortStableFunc(details.Timeline, func(x, y live.Step) int { return x.At.Compare(y.At) })
	return details, nil
}

// isSame reports whether two steps, of which the service and the watch know, are the same one: their times may be
// rounded.
func isSame(x, y live.Step) bool {
	return x.To.Text == y.To.Text && x.At.Sub(y.At).Abs() < time.Second
}

func (k Kind) why(status string, known follow.Record) string {
	if k.Why == nil {
		return ""
	}
	return k.Why(status, known)
}

func (k Kind) deadline(status string, known follow.Record) time.Time {
	if k.Deadline == nil {
		return time.Time{}
	}
	return k.Deadline(status, known)
}

// lastChanges returns what is printed after the view has been closed: nothing if there were many subjects.
func (v *view) lastChanges() []follow.Change {
	v.mu.Lock()
	defer v.mu.Unlock()
	if len(v.ids) > mostLeftSubjects {
		return nil
	}
	return v.last
}
