package watchui

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/follow"
	"github.com/payctl/payctl/internal/payments"
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
	releaseKeys func() error
	kind        Kind
	hasGoal     bool
	live        *live.View
	actions     *actions
	records     *records // nil: none are read

	mu   sync.Mutex
	ids  map[string]bool // the subjects of last, as long as they are not too many
	last []follow.Change
}

// newView returns nil if there is no keyboard to close the view with.
func newView(d *cmdutil.Deps, o *Options, kind Kind) *view {
	keys, release, err := live.Keyboard(d.Streams)
	if err != nil {
		return nil
	}
	title := kind.Title
	if len(o.until) > 0 {
		title += ", until " + strings.Join(o.until, " or ")
	}
	can := &actions{Actions: kind.Actions, deps: d, kind: kind, trusted: map[string]bool{}}
	v := &view{
		actions: can, releaseKeys: release, kind: kind, hasGoal: len(o.until) > 0, ids: map[string]bool{},
		live: live.New(live.Config{
			Streams: d.Streams, Keys: keys, Title: title, Noun: kind.Nouns, Groups: groups, Columns: kind.columns(),
			Complete: completeRow, Details: kind.Details, Actions: can.all(), Now: d.Now, Environ: os.Environ(),
		}),
	}
	if o.All && kind.Record != nil {
		v.records = newRecords(kind.Record, func(id string, record follow.Record) {
			v.live.Edit(id, func(row *live.Row) { row.Data = record })
		})
	}
	return v
}

// run runs a watch under the view. Closing the view interrupts a watch that has a goal, or has not read its list yet, and ends
// any other.
func (v *view) run(
	ctx context.Context, watch func(context.Context) (follow.Summary, error),
) (summary follow.Summary, err error) {
	err = v.live.Run(ctx, func(ctx context.Context) (err error) {
		if v.records != nil {
			reading, stop := context.WithCancel(ctx)
			var reader sync.WaitGroup
			reader.Go(func() { v.records.run(reading) })
			defer reader.Wait()
			defer stop()
		}
		summary, err = watch(ctx)
		return err
	})
	if errors.Is(err, live.ErrQuit) {
		err = nil
		if v.hasGoal || summary.Unlisted {
			err = ui.ErrInterrupted
		}
	}
	return summary, err
}

func (v *view) change(c follow.Change) {
	v.mu.Lock()
	if len(v.ids) <= mostLeftSubjects {
		v.ids[c.ID] = true
		v.last = append(v.last[max(0, len(v.last)-mostLeftChanges+1):], c)
	}
	v.mu.Unlock()
	row := live.Row{ID: c.ID, Group: v.group(c), Status: v.kind.Status(c.Status), Since: c.Since, Why: c.Why(), Data: c.Record}
	if c.From == nil {
		v.live.Put(row)
	} else {
		v.live.Change(row, v.kind.Status(*c.From))
	}
	if v.records != nil {
		v.records.add(c.ID, c.Record)
	}
}

// group is whose turn it is: what a watch waits for is done, and what cannot get there any more has failed.
func (v *view) group(c follow.Change) int {
	turn := v.kind.Turn(c.Status)
	switch c.Verdict {
	case follow.Reached:
		turn = payments.TurnDone
	case follow.Failed:
		turn = payments.TurnFailed
	}
	return slices.Index(payments.Turns, turn)
}

// groups are the parts of the list, one for each of payments.Turns.
var groups = []live.Group{
	{Name: "staff", Short: "stf", Tone: ui.Staff, Mark: [2]string{"!", "!"}},
	{Name: "applicant", Short: "app", Tone: ui.Applicant, Mark: [2]string{"?", "?"}},
	{Name: "failed", Short: "fail", Tone: ui.Bad, Ends: true, Mark: [2]string{"x", "✗"}},
	{Name: "progress", Short: "prog", Tone: ui.Provider, Mark: [2]string{"~", "…"}},
	{Name: "done", Short: "done", Tone: ui.Good, Ends: true, Mark: [2]string{"-", "✓"}},
}

// columns are those of the live view.
func (k Kind) columns() []live.Column {
	if k.Columns != nil {
		return k.Columns
	}
	return []live.Column{
		live.IDColumn(k.Noun, "id"), live.StatusColumn("Status", "status"), live.AgeColumn(), live.DeadlineColumn(), live.WhyColumn(),
	}
}

// completeRow adds to a row what an earlier one knows of the subject.
func completeRow(row, earlier *live.Row) {
	record, _ := row.Data.(follow.Record)
	before, _ := earlier.Data.(follow.Record)
	if newest := follow.Newest(record, before); newest != nil {
		row.Data = newest
	}
	if row.Deadline.IsZero() && row.Status == earlier.Status {
		row.Deadline = earlier.Deadline
	}
}

// setTrouble shows that the service does not answer; nil, that it answers again.
func (v *view) setTrouble(err error) {
	if err != nil {
		v.live.SetTrouble("The service does not answer; trying again: " + cmdutil.Reason(err))
		return
	}
	v.live.SetTrouble("")
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
