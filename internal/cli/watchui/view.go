package watchui

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/payctl/payctl/internal/cli/display"
	"github.com/payctl/payctl/internal/follow"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/shell"
	"github.com/payctl/payctl/internal/ui"
	"github.com/payctl/payctl/internal/ui/live"
	"github.com/payctl/payctl/internal/wait"
)

// gcPercent lets the heap of a live view grow by a third of what is in use before garbage is collected. Most of it is
// rows that stay, so that collections are few; with Go's default of 100, many rows take half as much memory again.
const gcPercent = 35

// view describes the live view of a watch until some statuses.
func (out *output) view(until []string) live.Config {
	title := out.kind.Title
	if len(until) > 0 {
		title += ", until " + strings.Join(until, " or ")
	}
	var groups []ui.Cell
	for _, turn := range out.kind.Turns {
		groups = append(groups, display.Turn(turn))
	}
	return live.Config{
		Streams: out.deps.Streams, Environ: os.Environ(), Now: out.deps.Now, ServiceNow: out.deps.ServiceNow,
		Title: title, Noun: out.kind.Nouns, Groups: groups, Columns: out.kind.Columns, Actions: out.actions(),
		HasPersonal: out.kind.HasPersonal, ShowPersonal: out.kind.ShowPersonal, Details: out.kind.Details,
	}
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

// addLacking has what a row lacks read in the background. There is room for all rows; a change that finds none is one of
// many, whose row is read with the others.
func (out *output) addLacking(id string) {
	select {
	case out.lacking <- id:
	default:
	}
}

// pauseInVain is the pause after a row could not be read: the service may be in trouble.
const pauseInVain = time.Second

// readLacking reads what the rows lack, one after the other, until the context ends.
func (out *output) readLacking(ctx context.Context) {
	for {
		var id string
		select {
		case <-ctx.Done():
			return
		case id = <-out.lacking:
		}
		row, _ := out.live.Row(id)
		state, err := out.kind.Complete(ctx,
			follow.State{ID: id, Status: row.Status.Text, Since: row.Since, Until: row.Deadline, Record: row.Data})
		if err != nil {
			if !payments.IsKind(err, payments.KindNotFound) && !payments.IsKind(err, payments.KindInsufficientScope) {
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

// actions are what the keys of the live view do with rows.
func (out *output) actions() []live.Action {
	copyReply := func(ctx context.Context, rows []live.Row, personal bool) (live.Result, error) {
		reply, err := out.kind.Reply(ctx, rows[0].ID, personal)
		return live.Result{Said: "Copied the reply, if the terminal allows it.", Copied: reply}, err
	}
	return []live.Action{
		{Key: "y", Name: "copy reply", Run: copyReply},
		{Key: "c", Name: "copy id", Run: copyID},
		{Key: "!", Name: "run program", Several: true, Question: out.askForProgram, Run: out.runProgram},
	}
}

// copyID copies an identifier as one word that a shell, into which it is pasted, does not run.
func copyID(_ context.Context, rows []live.Row, _ bool) (live.Result, error) {
	word, ok := shell.Word(ui.Sanitize(rows[0].ID))
	if !ok {
		return live.Result{}, errors.New("the identifier has characters that cannot be pasted into a shell")
	}
	return live.Result{Said: "Copied " + word + ", if the terminal allows it.", Copied: word}, nil
}

// askForProgram asks whether to run the program of --exec. It names the rows, since the filter may hide marked ones.
func (out *output) askForProgram(rows []live.Row) (string, error) {
	if out.exec == nil {
		return "", errors.New("there is no program: start with --exec COMMAND")
	}
	names := make([]string, len(rows))
	for i, row := range rows {
		names[i] = row.ID + " " + row.Status.Text
	}
	all := strings.Join(names, ", ")
	return fmt.Sprintf("Run the program %s for %s (%s)?", out.exec.Path, out.kind.count(len(rows)), all), nil
}

// runProgram runs the program of --exec for rows, one after the other. It gets the present status as a change from
// none, as at the beginning of a watch.
func (out *output) runProgram(ctx context.Context, rows []live.Row, _ bool) (live.Result, error) {
	failed, first := 0, error(nil)
	for _, row := range rows {
		if out.exec.ctx.Err() != nil {
			return live.Result{}, errors.New("the watch has ended")
		}
		state, err := out.kind.Subjects.Read(ctx, follow.State{ID: row.ID}) // a row does not have the codes of the reasons
		if err == nil {
			err = out.exec.runChange(out.kind.change(follow.Change{State: state}))
		}
		if err != nil {
			failed, first = failed+1, cmp.Or(first, fmt.Errorf("%s: %w", row.ID, err))
		}
	}
	if failed > 0 {
		return live.Result{}, fmt.Errorf("the program ran for %s, %d failed: %w", out.kind.count(len(rows)), failed, first)
	}
	return live.Result{Said: "The program ran for " + out.kind.count(len(rows)) + "."}, nil
}
