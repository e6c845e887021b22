package watchui

import (
	"context"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/cli/progress"
	"github.com/payctl/payctl/internal/follow"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/ui"
)

// Wait are the flags of a command that can wait for what it has created: --wait, --timeout, --interval and
// --allow-unknown-status.
type Wait struct {
	kind     Kind
	until    string
	timeout  time.Duration
	interval time.Duration
}

// AddTo adds the flags. Kind describes what the command creates; its functions are not called.
func (w *Wait) AddTo(d *cmdutil.Deps, cmd *cobra.Command, kind Kind) {
	w.kind = kind
	values := kind.statuses(d)
	f := cmd.Flags()
	f.StringVar(&w.until, "wait", "", "wait until the "+strings.ToLower(kind.Noun)+" has this `"+kind.OneStatus+"`")
	f.Lookup("wait").NoOptDefVal = kind.Goal
	_ = cmd.RegisterFlagCompletionFunc("wait", cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp)) // once
	cmdutil.DurationVar(f, &w.timeout, "timeout", 0, "stop waiting after `DURATION`")
	cmdutil.DurationVar(f, &w.interval, "interval", 2*time.Second, "ask every `DURATION` where nothing is pushed")
}

// Given reports whether the command waits.
func (w *Wait) Given() bool { return w.until != "" }

// CallTimeout bounds one call of the command: --timeout, unless that bounds the wait; zero: as the settings have it.
func (w *Wait) CallTimeout() time.Duration {
	if w.Given() {
		return 0
	}
	return w.timeout
}

// Check returns the mistakes in the flags.
func (w *Wait) Check(d *cmdutil.Deps) error {
	switch {
	case w.timeout < 0:
		return cmdutil.Usage("--timeout must not be negative")
	case !w.Given():
		return nil
	case w.interval <= 0:
		return cmdutil.Usage("--interval must be more than zero")
	}
	return cmdutil.CheckStatuses(d, "wait", []string{w.until}, w.kind.statuses(d))
}

// Until is what the command waits for, to go on with the same wait in a watch.
func (w *Wait) Until() string { return w.until }

// Created are the subjects that a command has created and waits for.
type Created struct {
	Kind Kind // at the service
	IDs  []string
	// Counted reports that there may be many of them, whose changes are counted and not printed.
	Counted bool
	// Resume is the command that goes on waiting when the time is up; the same line again may create others.
	Resume string
}

const tallyFailed = "failed"

// tallies are what the progress of a wait counts: what has reached the status, what has failed, and the statuses in
// which a person has to act.
func (w *Wait) tallies(d *cmdutil.Deps, kind Kind) []progress.Tally {
	tallies := []progress.Tally{{Name: w.until, Tone: ui.Good}, {Name: tallyFailed, Tone: ui.Bad}}
	for _, status := range kind.statuses(d) {
		if status != w.until && status != tallyFailed && kind.Turn(status).NeedsPerson() {
			tallies = append(tallies, progress.Tally{Name: status, Tone: kind.Status(status).Tone, Open: true})
		}
	}
	return tallies
}

// Run waits for what was created. The error explains how the wait ended; the summary is valid with an error too.
func (w *Wait) Run(
	ctx context.Context, d *cmdutil.Deps, service payments.Service, created Created,
) (summary follow.Summary, err error) {
	kind, reference := created.Kind, isReference(service)
	line := progress.StartWait(d, len(created.IDs), "waiting for "+w.until, w.timeout, w.tallies(d, kind)...)
	defer line.Stop()
	each := func(c follow.Change) {
		if c.From != nil {
			line.Add(*c.From, -1, false)
		}
		switch c.Verdict {
		case follow.Reached:
			line.Add(w.until, 1, false)
		case follow.Failed:
			line.Add(tallyFailed, 1, false)
		default:
			line.Add(c.Status, 1, false)
		}
		if !created.Counted {
			d.Notef("%s %s", c.ID, c.Status)
		}
	}
	engine := &follow.Engine{
		Service: service, Subjects: kind.Subjects, IDs: created.IDs, Interval: w.interval, Goal: kind.goal([]string{w.until}),
		Trouble: line.Unreachable, Recovered: line.Reachable,
	}
	notice := newPersonNotice(kind, engine, w.timeout, reference,
		func(text string) { d.Notef("%s", d.WithServiceFlags(text)) })
	defer notice.stop()
	engine.Each = func(c follow.Change) error {
		each(c)
		notice.observe()
		return nil
	}
	goal := strings.Join(engine.Goal.Wanted, " or ")
	err = cmdutil.RunWithTimeout(ctx, w.timeout, func(ctx context.Context) error {
		var err error
		if summary, err = engine.Run(ctx); err == nil && len(summary.Failed) > 0 {
			err = cmdutil.WatchFailed(goal, subjects(summary.Failed))
		}
		return err
	}, func() error {
		late := cmdutil.WaitTimedOut(w.timeout, subjects(summary.Waiting), goal, subjects(summary.Failed))
		late.Next = append(kind.personSteps(summary.Waiting, reference()), created.Resume)
		return late
	})
	return summary, err
}
