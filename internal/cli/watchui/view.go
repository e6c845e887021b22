package watchui

import (
	"cmp"
	"context"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/payctl/payctl/internal/follow"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/ui/live"
	"github.com/payctl/payctl/internal/wait"
)

// gcPercent lets the heap of a live view grow by a third of what is in use before garbage is collected. Most of it is
// rows that stay, so collections are few. With Go's default of 100, many rows take half as much memory again.
const gcPercent = 35

// view describes the live view of a watch until some statuses.
func (out *output) view(until []string) live.Config {
	view, title := out.watch.View, out.kind.Title
	if len(until) > 0 {
		title += ", until " + strings.Join(until, " or ")
	}
	view.Streams, view.Environ, view.Now = out.deps.Streams, os.Environ(), out.deps.Now
	view.ServiceNow = func() time.Time { return out.deps.ServiceNow().In(out.zone) }
	view.Title, view.Service, view.Noun = title, out.deps.ServiceLabel(), out.kind.Nouns
	view.Groups, view.Rare = out.kind.Groups(), payments.TurnUnknown.String()
	return view
}

// show shows a change in the live view.
func (out *output) show(c follow.Change, isNews bool) {
	out.live.Update(c.ID, isNews, func(row *live.Row) {
		row.Group, row.Status = slices.Index(out.kind.Turns, out.kind.turnOf(c)), out.kind.Status(c.Status)
		row.Since, row.Deadline, row.Why = c.Since, c.Until, c.Why()
		if c.Record != nil {
			row.Data = c.Record
		}
		if c.Partial || row.Data == nil {
			out.addLacking(c.ID)
		}
	})
}

// addLacking has what a row lacks read in the background. There is room for all rows; a change that finds none is one
// of many, whose row is read with the others.
func (out *output) addLacking(id string) {
	out.lacks.Store(id, nil)
	select {
	case out.lacking <- id:
	default:
	}
}

// nextLacking returns a row that lacks something: one on the screen if there is one. It waits for it until the context
// ends.
func (out *output) nextLacking(ctx context.Context) (id string, ok bool) {
	for ctx.Err() == nil {
		for _, id := range out.live.Visible() {
			if _, lacks := out.lacks.LoadAndDelete(id); lacks {
				return id, true
			}
		}
		select {
		case <-ctx.Done():
			return "", false
		case id := <-out.lacking:
			if _, lacks := out.lacks.LoadAndDelete(id); lacks {
				return id, true
			}
		}
	}
	return "", false
}

// pauseInVain is the pause after a row could not be read: the service may be in trouble.
const pauseInVain = time.Second

// readLacking reads what the rows lack, one after the other, until the context ends.
func (out *output) readLacking(ctx context.Context) {
	for {
		id, ok := out.nextLacking(ctx)
		if !ok {
			return
		}
		row, _ := out.live.Row(id)
		state, err := out.kind.Complete(ctx, out.watch.Service,
			follow.State{ID: id, Status: row.Status.Text, Since: row.Since, Until: row.Deadline, Record: row.Data})
		if err != nil {
			if !payments.IsProblem(err, payments.ProblemNotFound) &&
				!payments.IsProblem(err, payments.ProblemInsufficientScope) {
				out.addLacking(id)
			}
			_ = wait.Sleep(ctx, pauseInVain)
			continue
		}
		out.live.Update(id, false, func(row *live.Row) {
			if row.Data = state.Record; row.Status.Text == state.Status { // else another change is on its way
				row.Deadline, row.Why = state.Until, cmp.Or(state.Why(), row.Why)
			}
		})
	}
}
