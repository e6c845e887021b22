package watchui

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/follow"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/shell"
	"github.com/payctl/payctl/internal/ui"
)

// Wait are the flags of a command that can wait for what it has created: --wait, --timeout and --interval.
type Wait struct {
	// Until is what the command waits for. Empty means that it does not wait.
	Until string
	// Resource is what the command creates.
	Resource *Resource

	timeout  time.Duration
	interval time.Duration
}

// AddTo adds the flags. Resource is what the command creates.
func (w *Wait) AddTo(cmd *cobra.Command, kind *Resource) {
	w.Resource = kind
	values := kind.Operation.Enum(kind.Member)
	f := cmd.Flags()
	f.StringVar(&w.Until, "wait", "", "wait until the "+strings.ToLower(kind.Noun)+" has this `"+kind.OneStatus+"`")
	f.Lookup("wait").NoOptDefVal = kind.Goal
	_ = cmd.RegisterFlagCompletionFunc("wait", cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp)) // once
	cmdutil.DurationVar(f, &w.timeout, "timeout", 0, "stop waiting after `DURATION`")
	cmdutil.DurationVar(f, &w.interval, "interval", 2*time.Second, "ask every `DURATION` where nothing is pushed")
}

// Given reports whether the command waits.
func (w *Wait) Given() bool { return w.Until != "" }

// CallTimeout bounds one call of the command: --timeout, unless that bounds the wait. Zero means as in the settings.
func (w *Wait) CallTimeout() time.Duration {
	if w.Given() {
		return 0
	}
	return w.timeout
}

// Check returns the mistakes in the flags.
func (w *Wait) Check(d *cmdutil.Deps) error {
	if !w.Given() {
		return nil
	}
	return w.Resource.checkGoal(d, "wait", []string{w.Until}, w.interval)
}

// Created are the subjects that a command has created and waits for.
type Created struct {
	IDs []string
	// List reads the states of many.
	List List
	// Counted reports that there may be many of them, whose changes are counted and not printed.
	Counted bool
	// Resume is the command that goes on waiting when the time is up; the same line again may create others.
	Resume shell.Hint
}

const tallyFailed = "failed"

// Run waits for what was created. The error explains how the wait ended; the summary is valid with an error too.
func (w *Wait) Run(
	ctx context.Context, d *cmdutil.Deps, service payments.Service, created Created,
) (summary follow.Summary, err error) {
	kind := w.Resource
	line := cmdutil.StartProgress(d, len(created.IDs), "waiting for "+w.Until,
		cmdutil.Tally{Name: w.Until, Tone: ui.Good}, cmdutil.Tally{Name: tallyFailed, Tone: ui.Bad})
	defer line.Stop()
	engine := &follow.Engine{
		Service: service, Subjects: kind.subjects(service, created.List), IDs: created.IDs,
		Interval: w.interval, Goal: kind.goal([]string{w.Until}),
		Trouble: line.Trouble, Note: func(string) {},
		Polling: func(why error) {
			if why != nil {
				d.Notef("The event feed does not work: %s. The statuses are read every %s.", cmdutil.Reason(why), w.interval)
			}
		},
	}
	changed, stopNotice := kind.noticePersons(engine, w.timeout, d.NextStep, func(text string) { d.Notef("%s", text) })
	defer stopNotice()
	outcomes := map[follow.GoalStatus]string{follow.Reached: w.Until, follow.Failed: tallyFailed}
	engine.Each = func(c follow.Change) error {
		if line.Add(outcomes[c.GoalStatus], 1, false); !created.Counted {
			d.Notef("%s %s", c.ID, c.Status)
		}
		changed()
		return nil
	}
	limited, cancel := cmdutil.WithTimeout(ctx, w.timeout)
	defer cancel()
	err = engine.Run(limited)
	summary = engine.Summary()
	err = kind.explain(ending{
		Summary: summary, err: err, timeout: w.timeout, goal: w.Until, isReference: isReference(service),
	})
	if late, ok := errors.AsType[*cmdutil.Error](err); ok && late.Code == cmdutil.ExitWaitTimeout {
		late.Next[len(late.Next)-1] = created.Resume
	}
	return summary, err
}
