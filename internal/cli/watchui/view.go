package watchui

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/payctl/payctl/internal/cli/display"
	"github.com/payctl/payctl/internal/cli/invocation"
	"github.com/payctl/payctl/internal/follow"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/shell"
	"github.com/payctl/payctl/internal/ui"
	"github.com/payctl/payctl/internal/ui/live"
	"github.com/payctl/payctl/internal/wait"
)

// A view shows a watch in the live view.
type view struct {
	kind Kind
	live *live.View
	exec *executor // runs the program of --exec; nil if there is none

	lacking chan string   // the rows that lack something that neither the list nor the event feed has told
	isRead  chan struct{} // closed: the first statuses have been read
}

func newView(d *invocation.Deps, o *Options, kind Kind) *view {
	title := kind.Title
	if len(o.until) > 0 {
		title += ", until " + strings.Join(o.until, " or ")
	}
	var groups []ui.Cell
	for _, turn := range kind.Turns {
		groups = append(groups, display.Turn(turn))
	}
	v := &view{kind: kind, lacking: make(chan string, mostWatched), isRead: make(chan struct{})}
	v.live = live.New(live.Config{
		Streams: d.Streams, Environ: os.Environ(), Now: d.Now, ServiceNow: d.ServiceNow,
		Title: title, Noun: kind.Nouns, Groups: groups, Columns: kind.Columns, Actions: v.actions(),
		HasPersonal: kind.HasPersonal, ShowPersonal: kind.ShowPersonal, Details: kind.Details,
	})
	return v
}

// gcPercent lets the heap of a live view grow by a third of what is in use before garbage is collected. Most of it is
// rows that stay, so that collections are few; with Go's default of 100, many rows take half as much memory again.
const gcPercent = 35

// run runs a watch under the view.
func (v *view) run(ctx context.Context, watch func(context.Context) error) error {
	defer debug.SetGCPercent(debug.SetGCPercent(gcPercent))
	return v.live.Run(ctx, func(ctx context.Context) error {
		reading, stop := context.WithCancel(ctx)
		var reader sync.WaitGroup
		reader.Go(func() { v.readLacking(reading) })
		defer reader.Wait()
		defer stop()
		return watch(ctx)
	})
}

// change shows a change.
func (v *view) change(c follow.Change, isNews bool) {
	v.live.Update(c.ID, isNews, func(row *live.Row) {
		row.Group, row.Status = slices.Index(v.kind.Turns, v.kind.turnOf(c)), v.kind.Status(c.Status)
		row.Since, row.Deadline, row.Why = c.Since, c.Until, c.Why()
		if c.Record != nil {
			row.Data = c.Record
		}
		if c.Partial || row.Data == nil {
			v.addLacking(c.ID)
		}
	})
}

// addLacking has what a row lacks read in the background. There is room for all rows; a change that finds none is one of
// many, whose row is read with the others.
func (v *view) addLacking(id string) {
	select {
	case v.lacking <- id:
	default:
	}
}

// loaded is called when the first statuses have been read. What the rows lack is read from then on: before, each of
// these requests would delay the list.
func (v *view) loaded() {
	v.live.Loaded()
	close(v.isRead)
}

// pauseInVain is the pause after a row could not be read: the service may be in trouble.
const pauseInVain = time.Second

// readLacking reads what the rows lack, one after the other, until the context ends.
func (v *view) readLacking(ctx context.Context) {
	select {
	case <-ctx.Done():
	case <-v.isRead:
	}
	for {
		var id string
		select {
		case <-ctx.Done():
			return
		case id = <-v.lacking:
		}
		row, _ := v.live.Row(id)
		state, err := v.kind.Complete(ctx,
			follow.State{ID: id, Status: row.Status.Text, Since: row.Since, Until: row.Deadline, Record: row.Data})
		if err != nil {
			if !payments.IsKind(err, payments.KindNotFound) && !payments.IsKind(err, payments.KindInsufficientScope) {
				v.addLacking(id)
			}
			_ = wait.Sleep(ctx, pauseInVain)
			continue
		}
		v.live.Update(id, false, func(row *live.Row) {
			if row.Data = state.Record; row.Status.Text == state.Status { // else another change is on its way
				row.Deadline, row.Why = state.Until, cmp.Or(state.Why(), row.Why)
			}
		})
	}
}

// actions are what the keys of the live view do with rows.
func (v *view) actions() []live.Action {
	return []live.Action{
		{
			Key: "y", Name: "copy reply",
			Run: func(ctx context.Context, rows []live.Row, personal bool) (live.Result, error) {
				reply, err := v.kind.Reply(ctx, rows[0].ID, personal)
				return live.Result{Said: "Copied the reply, if the terminal allows it.", Copied: reply}, explained(err)
			},
		},
		{Key: "c", Name: "copy id", Run: copyID},
		{
			Key: "!", Name: "run program", Several: true, Question: v.askForProgram,
			Run: func(ctx context.Context, rows []live.Row, _ bool) (live.Result, error) {
				done, err := v.runProgram(ctx, rows)
				return live.Result{Said: done}, explained(err)
			},
		},
	}
}

// copyID copies an identifier as one word that a shell, into which it is pasted, does not run.
func copyID(_ context.Context, rows []live.Row, _ bool) (live.Result, error) {
	word, ok := shell.Word(ui.Sanitize(rows[0].ID))
	if !ok {
		return live.Result{}, errors.New("the identifier has characters that cannot be pasted into a shell")
	}
	return live.Result{Said: "Copied " + word + ".", Copied: word}, nil
}

// explained returns an error as a sentence that has nothing of the service that could control the terminal.
func explained(err error) error {
	if err == nil {
		return nil
	}
	return errors.New(ui.Sanitize(payments.Sentence(err.Error())))
}

// askForProgram asks whether to run the program of --exec. It names the rows, since the filter may hide marked ones.
func (v *view) askForProgram(rows []live.Row) (string, error) {
	if v.exec == nil {
		return "", errors.New("there is no program: start with --exec COMMAND")
	}
	names := make([]string, len(rows))
	for i, row := range rows {
		names[i] = row.ID + " " + row.Status.Text
	}
	all := strings.Join(names, ", ")
	return fmt.Sprintf("Run the program %s for %s (%s)?", v.exec.Path, v.kind.count(len(rows)), all), nil
}

// runProgram runs the program of --exec for rows, one after the other. It gets the present status as a change from
// none, as at the beginning of a watch.
func (v *view) runProgram(ctx context.Context, rows []live.Row) (string, error) {
	failed, first := 0, error(nil)
	for _, row := range rows {
		if v.exec.ctx.Err() != nil {
			return "", errors.New("the watch has ended")
		}
		state, err := v.kind.Subjects.Read(ctx, follow.State{ID: row.ID}) // a row does not have the codes of the reasons
		if err == nil {
			err = v.exec.runChange(v.kind.change(follow.Change{State: state}))
		}
		if err != nil {
			failed, first = failed+1, cmp.Or(first, fmt.Errorf("%s: %w", row.ID, err))
		}
	}
	if failed > 0 {
		return "", fmt.Errorf("the program ran for %s, %d failed: %w", v.kind.count(len(rows)), failed, first)
	}
	return "The program ran for " + v.kind.count(len(rows)) + ".", nil
}
