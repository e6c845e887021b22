package watchui

import (
	"cmp"
	"context"
	"strings"
	"sync"

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
}

// newView returns nil where lines are printed.
func newView(d *cmdutil.Deps, o *Options, kind Kind) *view {
	title := kind.Title
	if len(o.until) > 0 {
		title += ", until " + strings.Join(o.until, " or ")
	}
	v := &view{
		kind: kind, hasGoal: len(o.until) > 0, deps: d, ids: map[string]bool{}, loaded: make(chan struct{}),
	}
	config := live.Config{
		Title: title, Noun: kind.Nouns, Groups: kind.groups(), GroupHeader: "Turn", Compare: longestFirst, Columns: kind.Columns,
		Actions: v.actions(), HasPersonal: kind.HasPersonal, ShowPersonal: kind.ShowPersonal, Loading: true,
		Details: kind.Details,
	}
	if v.live = NewScreen(d, config); v.live == nil {
		return nil
	}
	v.records = newRecords(kind, func(id string, record follow.Record) {
		v.live.Edit(id, func(row *live.Row) {
			row.Data, row.Deadline = record, kind.Deadline(row.Status.Text, record)
			row.Why = cmp.Or(row.Why, kind.Why(row.Status.Text, record))
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
	v.mu.Unlock()
	v.records.add(c, func(known follow.Record) {
		row := live.Row{
			ID: c.ID, Group: v.kind.group(c), Status: v.kind.Status(c.Status), Since: c.Since,
			Deadline: v.kind.Deadline(c.Status, known), Why: cmp.Or(c.Why(), v.kind.Why(c.Status, known)),
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

// lastChanges returns what is printed after the view has been closed: nothing if there were many subjects.
func (v *view) lastChanges() []follow.Change {
	v.mu.Lock()
	defer v.mu.Unlock()
	if len(v.ids) > mostLeftSubjects {
		return nil
	}
	return v.last
}
