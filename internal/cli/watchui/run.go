// Package watchui is the shared part of the watch commands: their flags, the identifiers that --from reads, the live
// view or the lines that show the changes, the program of --exec, and the error that explains how a watch ended.
package watchui

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/time/rate"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/follow"
	"github.com/payctl/payctl/internal/payments"
)

// Options are the flags of a watch command.
type Options struct {
	All bool

	from       string
	until      []string
	timeout    time.Duration
	failFast   bool
	interval   time.Duration
	rate       float64
	exec       string
	execArgs   []string // behind --
	accessible bool
	ids        []string    // on the command line
	isLater    atomic.Bool // reasons are read later
}

// mostWatched is how many subjects --all watches: more than a team can look after. A subject takes about 1 KiB of
// memory in the live view.
const mostWatched = 100_000

// errWatchTimeout is the cause of a context that --timeout has ended.
var errWatchTimeout = errors.New("the time of --timeout is up")

// AddTo adds the flags. Kind describes what is watched; its functions are not called.
func (o *Options) AddTo(d *cmdutil.Deps, cmd *cobra.Command, kind Kind) {
	f := cmd.Flags()
	f.StringVar(&o.from, "from", "", "read the "+kind.Nouns+" from `FILE`; - is standard input")
	f.BoolVar(&o.All, "all", false, "watch all "+kind.Nouns+", and new ones as they appear")
	f.StringSliceVar(&o.until, "until", nil,
		"wait for these `"+kind.Statuses+"` (default "+kind.Goal+"; with --all: none)")
	cmdutil.DurationVar(f, &o.timeout, "timeout", 0, "end the whole watch after `DURATION`, such as 10m")
	f.BoolVar(&o.failFast, "fail-fast", false, "end the watch when the first one fails")
	cmdutil.DurationVar(f, &o.interval, "interval", 5*time.Second, "poll every `DURATION` where there is no event feed")
	f.Float64Var(&o.rate, "rate", defaultRate, "send at most `N` requests a second")
	f.StringVar(&o.exec, "exec", "", "run `COMMAND` for each change; arguments may follow behind --")
	f.BoolVar(&o.accessible, "accessible", false, "print lines in place of the live view, as for a screen reader")
}

// Args returns the check of the arguments: identifiers before --, and behind it arguments for the program of --exec.
func (o *Options) Args(noun string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		o.ids = args
		if dash := cmd.ArgsLenAtDash(); dash >= 0 && o.exec != "" {
			o.ids, o.execArgs = args[:dash], args[dash:]
		}
		noun := strings.ToUpper(noun)
		switch {
		case slices.Contains(o.ids, ""):
			return cmdutil.Usage("%s was given an empty %s", cmd.CommandPath(), noun).
				WithHint("see whether a variable is not set")
		case o.All && (len(o.ids) > 0 || o.from != ""):
			return cmdutil.Usage("--all watches all; leave out --from and the %ss", noun)
		case !o.All && len(o.ids) == 0 && o.from == "":
			return cmdutil.Usage("%s needs %s, --from or --all", cmd.CommandPath(), noun).
				WithHint(cmd.CommandPath() + " --all")
		}
		return nil
	}
}

// ReasonsLater reports whether the list of --all is shown before the reasons of its statuses are read. A live view
// that waits for nothing shows 10,000 accounts at once, and reads their reasons in the background.
func (o *Options) ReasonsLater() bool { return o.isLater.Load() }

func (o *Options) check(d *cmdutil.Deps, kind Kind) error {
	switch {
	case o.interval <= 0:
		return cmdutil.Usage("--interval must be more than zero")
	case !(o.rate > 0): // also NaN
		return cmdutil.Usage("--rate must be more than zero")
	case o.timeout < 0:
		return cmdutil.Usage("--timeout must not be negative")
	}
	for i, status := range o.until {
		if o.until[i] = strings.TrimSpace(status); o.until[i] == "" {
			return cmdutil.Usage("--until names an empty status")
		}
	}
	return cmdutil.CheckStatuses(d, "until", o.until, kind.statuses(d))
}

// Run watches until nothing is waited for any more, --timeout runs out or the context ends. kindOf makes the kind for
// the service that is called at the pace of --rate.
func (o *Options) Run(ctx context.Context, d *cmdutil.Deps, kindOf func(payments.Service) Kind) error {
	if err := o.check(d, kindOf(nil)); err != nil {
		return err
	}
	pace := pace{rate.NewLimiter(rate.Limit(o.rate), 1), rate.Limit(o.rate)}
	d.Pace, d.Limited = pace.wait, pace.limited
	service, err := d.Payments()
	if err != nil {
		return err
	}
	kind, isReference := kindOf(service), isReference(service)

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
	engine := &follow.Engine{
		Service: service, Subjects: kind.Subjects, IDs: ids, All: o.All, Goal: kind.goal(o.until), FailFast: o.failFast,
		Interval: o.interval, Gone: out.gone, Trouble: out.setTrouble, Recovered: func() { out.setTrouble(nil) },
		Note: func(text string) { out.note("%s", text) },
	}
	notice := newPersonNotice(kind, engine, o.timeout, isReference,
		func(text string) { out.waitsForPerson(d.WithServiceFlags(text)) })
	defer notice.stop()
	read := 0
	engine.Each = func(c follow.Change) error {
		if c.From == nil {
			if read++; o.All && read > mostWatched { // --from has a bound of its own
				return cmdutil.Usage("there are more than %d %s, of which some would be left out without a sign", mostWatched,
					kind.Nouns).WithHint("watch fewer with a filter, which --help shows")
			}
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
	return out.close(summary, o.outcome(kind, summary, out.outage(), err, isReference()))
}

// allIDs returns the identifiers of the command line and of --from, each once.
func (o *Options) allIDs(ctx context.Context, d *cmdutil.Deps, kind Kind) ([]string, error) {
	ids := slices.Clone(o.ids)
	if o.from != "" {
		more, err := readIDs(ctx, d, o.from, kind.IDNames)
		if errors.Is(err, errWatchTimeout) {
			subject := []cmdutil.Subject{{ID: "what --from reads", Status: "incomplete"}}
			return nil, cmdutil.WaitTimedOut(o.timeout, subject, "", nil)
		}
		if err != nil {
			return nil, err
		}
		ids = append(ids, more...)
	}
	seen := make(map[string]bool, len(ids))
	return slices.DeleteFunc(ids, func(id string) bool {
		before := seen[id]
		seen[id] = true
		return before
	}), nil
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
		if len(all(s)) == 0 {
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

// all are the subjects that a watch has learnt of.
func all(s follow.Summary) []follow.SubjectResult {
	return slices.Concat(s.Reached, s.Failed, s.Waiting)
}

// subjects are the results of a watch as errors name them.
func subjects(results []follow.SubjectResult) (subjects []cmdutil.Subject) {
	for _, r := range results {
		subjects = append(subjects, cmdutil.Subject{ID: r.ID, Status: cmp.Or(r.Status, "not known"), Reason: r.Why})
	}
	return subjects
}
