package watchui

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/follow"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/ui"
	"github.com/payctl/payctl/internal/ui/live"
)

// actions are what the keys of the live view do with rows.
func (v *view) actions() []live.Action {
	return []live.Action{
		{
			Key: "y", Name: "copy reply",
			Run: func(ctx context.Context, rows []live.Row, personal bool) (live.Result, error) {
				reply, err := v.kind.Reply(ctx, rows[0].ID, personal)
				return live.Result{Said: "Copied the reply, if the terminal allows it.", Copied: reply}, v.explained(err)
			},
		},
		{
			Key: "!", Name: "run program", Several: true, Question: v.askForProgram,
			Run: func(ctx context.Context, rows []live.Row, _ bool) (live.Result, error) {
				done, err := v.runProgram(ctx, rows)
				return live.Result{Said: done}, v.explained(err)
			},
		},
	}
}

// explained returns an error whose text says what went wrong and what to do next. It has nothing of the service that
// could control the terminal.
func (v *view) explained(err error) error {
	if err == nil {
		return nil
	}
	text := payments.Sentence(err.Error())
	if problem, ok := errors.AsType[*payments.ProblemError](err); ok && problem.Next != "" {
		text += " " + payments.Sentence("Next: "+v.deps.WithServiceFlags(problem.Next))
	}
	return errors.New(ui.Sanitize(text))
}

// count is a number of subjects in words.
func (k Kind) count(n int) string { return cmdutil.Count(n, strings.ToLower(k.Noun)+"(s)") }

// askForProgram asks whether to run the program of --exec. It names the rows, since the filter may hide marked ones.
func (v *view) askForProgram(rows []live.Row) (string, error) {
	if v.exec == nil {
		return "", errors.New("there is no program: start with --exec COMMAND")
	}
	names := make([]string, len(rows))
	for i, row := range rows {
		names[i] = row.ID + " " + row.Status.Text
	}
	return fmt.Sprintf("Run the program %s for %s (%s)?", v.exec.path, v.kind.count(len(rows)), strings.Join(names, ", ")), nil
}

// runProgram runs the program of --exec for rows. It gets the present status as a change from none, as at the
// beginning of a watch.
func (v *view) runProgram(ctx context.Context, rows []live.Row) (string, error) {
	var changes []cmdutil.Change
	var unread error
	for _, row := range rows {
		state, err := v.kind.Subjects.Read(ctx, row.ID) // a row does not have the codes of the reasons
		if err != nil {
			unread = cmp.Or(unread, fmt.Errorf("%s cannot be read: %w", row.ID, err))
			continue
		}
		changes = append(changes, v.kind.change(follow.Change{State: state}))
	}
	failed, first, err := v.exec.runAll(ctx, changes)
	failed, first = failed+len(rows)-len(changes), cmp.Or(unread, first)
	switch {
	case err != nil:
		return "", err
	case failed > 0:
		return "", fmt.Errorf("the program ran for %s, %d failed: %w", v.kind.count(len(rows)), failed, first)
	}
	return "The program ran for " + v.kind.count(len(rows)) + ".", nil
}
