// Package watchui is the shared part of the watch commands: their flags, the identifiers that --from reads, the live
// view or the lines that show the changes, the program of --exec, and the error that explains how a watch ended.
package watchui

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/follow"
	"github.com/payctl/payctl/internal/payments"
)

// errWatchTimeout is the cause of a context that --timeout has ended.
var errWatchTimeout = errors.New("the time of --timeout is up")

// Run watches until nothing is waited for any more, --timeout runs out or the context ends. kindOf makes the kind for
// the service that is called at the pace of --rate.
func (o *Options) Run(ctx context.Context, d *cmdutil.Deps, kindOf func(payments.Service) Kind) error {
	if err := o.check(d, kindOf(nil)); err != nil {
		return err
	}
	pace := o.rate.newPace()
	d.Pace, d.Limited = pace.wait, pace.limited
	service, err := d.Payments()
	if err != nil {
		return err
	}
	kind := kindOf(service)

	ctx, stop := d.WhileRead(ctx)
	defer stop()
	unlimited := ctx
	if o.timeout > 0 {
		limited, cancel := context.WithTimeoutCause(ctx, o.timeout, errWatchTimeout)
		defer cancel()
		ctx = limited
	}
	ids, err := o.allIDs(ctx, d, kind)
	if err != nil {
		return err
	}
	if len(o.until) == 0 && !o.All {
		o.until = []string{kind.Goal}
	}

	out, err := o.newOutput(ctx, d, kind)
	if err != nil {
		return err
	}
	defer out.release()
	run, err := newExecutor(ctx, o.exec, o.execArgs, out.execOutput(), out.warn)
	if err != nil {
		return err
	}
	if out.view != nil {
		out.view.exec = run
		o.isLater.Store(len(o.until) == 0 && o.exec == "")
	}
	engine := o.newEngine(service, kind, ids)
	notice := newPersonNotice(kind, o.timeout, func() []follow.SubjectResult { return engine.Summary().Waiting },
		isReference(service), func(text string) { out.waitsForPerson(d.WithServiceFlags(text)) })
	defer notice.stop()
	total, read := len(ids), 0
	if o.All {
		total = 0
	}
	progress := &progress{out: out, total: total, due: quickLoad}
	engine.Each = func(c follow.Change) error {
		if c.From == nil {
			if read++; o.All && read > o.max { // --from has a bound of its own
				return tooMany(kind, o.max)
			}
			progress.observe(read)
		}
		change := kind.change(c)
		if err := out.change(change, c); err != nil {
			return err
		}
		run.enqueue(change)
		if len(o.until) > 0 {
			notice.observe()
		}
		return nil
	}
	engine.Loaded = func() {
		o.isLater.Store(false)
		out.loaded(engine.Summary())
	}
	engine.Gone = out.gone
	engine.Trouble, engine.Recovered = out.setTrouble, func() { out.setTrouble(nil) }
	engine.Note = func(text string) { out.note("%s", text) }
	summary, err := out.run(ctx, func(ctx context.Context) (follow.Summary, error) {
		defer context.AfterFunc(ctx, run.cancel)() // Each may be waiting for room in the executor's queue
		return engine.Run(ctx)
	})
	if err != nil && unlimited.Err() == nil && errors.Is(context.Cause(ctx), errWatchTimeout) {
		err = errWatchTimeout
	}
	if failed := run.wait(ctx, err != nil); err == nil {
		err = failed
	}
	notice.stop()
	err = o.outcome(kind, summary, out.outage(), err, isReference(service)())
	return out.close(summary, err)
}

// newEngine returns the engine of a watch, which tells nothing yet.
func (o *Options) newEngine(service payments.Service, kind Kind, ids []string) *follow.Engine {
	return &follow.Engine{
		Service: service, Subjects: kind.Subjects, IDs: ids, All: o.All, Goal: kind.goal(o.until),
		FailFast: o.failFast, Interval: o.interval, Parallel: o.rate.parallel(),
	}
}

// allIDs returns the identifiers of the command line and of --from, each once.
func (o *Options) allIDs(ctx context.Context, d *cmdutil.Deps, kind Kind) ([]string, error) {
	ids := o.ids
	if o.from != "" {
		more, err := readIDs(ctx, d, o.from, kind.IDNames)
		if errors.Is(err, errWatchTimeout) {
			subject := []cmdutil.Subject{{ID: "what --from reads", Status: "incomplete"}}
			return nil, cmdutil.WaitTimedOut(o.timeout, subject, "", nil)
		}
		if err != nil {
			return nil, err
		}
		ids = slices.Concat(ids, more)
	}
	return distinct(ids), nil
}

// outcome returns the error that explains how a watch ended; err is that of the watch itself, and outage a clause about
// what the service does in place of answering, such as "the service does not answer: …"; empty if it answers.
func (o *Options) outcome(kind Kind, s follow.Summary, outage string, err error, isReference bool) error {
	const goal = "one of --until"
	timedOut := errors.Is(err, errWatchTimeout)
	var waiting []cmdutil.Subject
	if len(o.until) > 0 {
		waiting = subjects(s.Waiting)
	}
	if s.Unlisted { // whatever is waited for: nothing is known of what was not listed
		status := "incomplete"
		if isEmpty(s) {
			status = "unread"
		}
		if outage != "" {
			status += ", and " + outage
		}
		waiting = append(waiting, cmdutil.Subject{ID: "the list of " + kind.Nouns, Status: status})
	}
	switch {
	case timedOut && len(waiting) > 0:
		late := cmdutil.WaitTimedOut(o.timeout, waiting, goal, subjects(s.Failed))
		late.Next = append(kind.personSteps(s.Waiting, isReference), late.Next...)
		return late
	case timedOut: // nothing was waited for
		return nil
	case err == nil && len(s.Failed) > 0:
		return cmdutil.WatchFailed(goal, subjects(s.Failed))
	}
	return err
}

// subjects are the results of a watch as errors name them.
func subjects(results []follow.SubjectResult) (subjects []cmdutil.Subject) {
	for _, r := range results {
		subjects = append(subjects, cmdutil.Subject{ID: r.ID, Status: cmp.Or(r.Status, "not known"), Reason: r.Why})
	}
	return subjects
}

// tooMany returns the error of a watch that ended at --max.
func tooMany(kind Kind, most int) error {
	return (&cmdutil.Error{
		Code: cmdutil.ExitUsage, Kind: "too-many-subjects", Title: "There is more to watch than --max allows.",
		Detail: fmt.Sprintf("there are more than %d %s, which is the limit of --max. "+
			"The watch has ended, because it would leave some out without a sign", most, kind.Nouns),
	}).WithHint("Watch fewer with a filter, which --help shows, or raise the limit with --max")
}

// change returns a change in the form in which it is printed.
func (k Kind) change(c follow.Change) cmdutil.Change {
	reasons := c.Reasons
	if reasons == nil {
		reasons = []payments.KYCReason{}
	}
	return cmdutil.Change{
		Type: string(k.EventType), SubjectID: c.ID, From: c.From, To: c.Status, OccurredAt: c.Since, Reasons: reasons,
	}
}
