// Package desk is what the commands share that watch: which subjects, how the changes are shown, what is run for each of
// them, and how the watch ends.
package desk

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/deps"
	"github.com/payctl/payctl/internal/nearest"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/term"
	"github.com/payctl/payctl/internal/watch"
)

// A Kind is a kind of subject that can be watched.
type Kind struct {
	// Subject names one, as in "Account"; Subjects several, as in "accounts".
	Subject, Subjects string
	// Title heads the live view.
	Title string
	// Members are the names under which files hold an identifier.
	Members []string
	// Change is the type of a change.
	Change payments.EventType
	Watch  watch.Subjects
	// Default is the status to wait for. The contract has those that there are at a Member that a List takes.
	Default      string
	List, Member string

	CanReach  func(status, other string) bool
	HasPassed func(status, other string) bool
	// Status shows a status in its tone.
	Status func(status string) term.Cell
	// Working says whether something is under way at the service while the status lasts; NeedsPerson, whether it lasts until
	// a person does something.
	Working, NeedsPerson func(status string) bool
	// Name asks whom one is about; empty when that is not to be had. Nil: they have no names.
	Name func(ctx context.Context, id string) string
	// Details tells the whole story of one.
	Details func(ctx context.Context, id string) (term.Details, error)
}

// ExitCodes says, for the help of a command that watches, how it exits.
const ExitCodes = `Exit codes:
    0  each came to what --until names, or nothing was waited for
    1  all is well, but a run of the program of --exec failed
    4  no credential that works, at first or any more
    5  an identifier names nothing
   11  one or more ended otherwise
   12  --timeout ran out
  130  interrupted, also by q while something is waited for; 143 terminated`

// Options are the flags of a command that watches.
type Options struct {
	from       string
	All        bool
	until      []string
	timeout    time.Duration
	failFast   bool
	interval   time.Duration
	rate       Rate
	exec       string
	accessible bool
	program    []string // behind --
	ids        []string
}

// AddTo adds the flags. What names the subjects, as in "accounts"; words, what is watched of them, as in "STATUSES"; goal, which of
// these is waited for by default.
func (o *Options) AddTo(cmd *cobra.Command, what, words, goal string) {
	o.rate = Rate{defaultRate}
	f := cmd.Flags()
	f.StringVar(&o.from, "from", "", "read the "+what+" from `FILE`, or from standard input with -: one id a line, JSON or CSV")
	f.BoolVar(&o.All, "all", false, "watch all "+what+", new ones too as they appear")
	f.StringSliceVar(&o.until, "until", nil, "wait for these `"+words+"`, separated by commas (default "+goal+"; with --all, none: watch until interrupted)")
	f.DurationVar(&o.timeout, "timeout", 0, "give up the whole watch after `DURATION`, such as 10m (default: never)")
	f.BoolVar(&o.failFast, "fail-fast", false, "end with the first that ends badly")
	f.DurationVar(&o.interval, "interval", 5*time.Second, "ask every `DURATION` where the service does not hold its answers")
	f.Var(&o.rate, "rate", "send at most so many requests, `N/s` or N/m, repeated ones included")
	f.StringVar(&o.exec, "exec", "", "run `COMMAND` for each change, without a shell; more arguments may stand behind --")
	f.BoolVar(&o.accessible, "accessible", false, "print lines at a terminal too, in place of the live view")
}

// Args takes the arguments: identifiers before --, those of the program of --exec behind it.
func (o *Options) Args(subject string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		o.ids = args
		if dash := cmd.ArgsLenAtDash(); dash >= 0 && o.exec != "" {
			o.ids, o.program = args[:dash], args[dash:]
		}
		subject := strings.ToUpper(subject)
		switch {
		case slices.Contains(o.ids, ""):
			return deps.Usage("%s was given an empty %s", cmd.CommandPath(), subject)
		case o.All && (len(o.ids) > 0 || o.from != ""):
			return deps.Usage("--all watches all; leave out --from and the %ss", subject)
		case !o.All && len(o.ids) == 0 && o.from == "":
			return deps.Usage("%s needs %s, --from or --all", cmd.CommandPath(), subject)
		}
		return nil
	}
}

func (o *Options) check() error {
	switch {
	case o.interval <= 0:
		return deps.Usage("--interval must be more than zero")
	case o.timeout < 0:
		return deps.Usage("--timeout must not be negative")
	}
	for i, status := range o.until {
		if o.until[i] = strings.TrimSpace(status); o.until[i] == "" {
			return deps.Usage("--until names an empty status")
		}
	}
	return nil
}

// Prepare is called before a service is asked for: it sets the pace of the requests.
func (o *Options) Prepare(d *deps.Deps) error {
	if err := o.check(); err != nil {
		return err
	}
	d.Pace = o.rate.pace()
	return nil
}

// Run watches until all is as wanted, or never will be.
func (o *Options) Run(ctx context.Context, d *deps.Deps, service payments.Events, kind Kind) error {
	ctx, end := d.WhileRead(ctx)
	defer end()
	began := ctx
	if o.timeout > 0 {
		limited, cancel := context.WithTimeoutCause(ctx, o.timeout, errTime)
		defer cancel()
		ctx = limited
	}
	ids := o.ids
	if o.from != "" {
		more, err := readIDs(ctx, d, o.from, kind.Members)
		if errors.Is(err, errTime) {
			return &deps.WaitTimeout{Subject: "what --from reads", State: "incomplete", Waited: o.timeout.String()}
		}
		if err != nil {
			return err
		}
		ids = append(slices.Clone(ids), more...)
	}
	ids = distinct(ids)
	if len(o.until) == 0 && !o.All {
		o.until = []string{kind.Default}
	}
	known := d.Enum(kind.List, kind.Member)
	for _, status := range o.until {
		if slices.Contains(known, status) {
			continue
		}
		meant := ""
		if near := nearest.Guess(status, known); near != "" {
			meant = " Did you mean " + near + "?"
		}
		d.Warnf("payctl does not know the status %s; it waits for it all the same.%s", status, meant)
	}
	out, err := o.newOutput(ctx, d, kind)
	if err != nil {
		return err
	}
	defer out.release()
	var run *hooks
	if o.exec != "" {
		if run, err = newHooks(ctx, o.exec, o.program, out.ofHooks(), out.warn); err != nil {
			return err
		}
	}
	engine := &watch.Engine{
		Service: service, Subjects: kind.Watch, IDs: ids, All: o.All,
		Goal:     watch.Goal{Wanted: o.until, CanReach: kind.CanReach, HasPassed: kind.HasPassed},
		FailFast: o.failFast, Interval: o.interval, AtOnce: o.rate.atOnce(),
		Each: func(c watch.Change) error {
			change := kind.change(c)
			if err := out.change(change, c); err != nil {
				return err
			}
			if run != nil {
				run.begin(change)
			}
			return nil
		},
		Gone: out.gone, Trouble: out.trouble, Recovered: out.recovered, Note: func(text string) { out.note("%s", text) },
	}
	summary, err := out.run(ctx, func(ctx context.Context) (watch.Summary, error) {
		if run != nil { // a change may be waiting for its turn to be run for
			defer context.AfterFunc(ctx, run.halt)()
		}
		return engine.Run(ctx)
	})
	if err != nil && began.Err() == nil && errors.Is(context.Cause(ctx), errTime) {
		err = errTime
	}
	if run != nil {
		if failed := run.finish(ctx, err); err == nil {
			err = failed
		}
	}
	return out.close(summary, o.verdict(summary, err))
}

var errTime = errors.New("the time of --timeout is up")

// verdict is how the watch ended, as the exit code and the last words tell it.
func (o *Options) verdict(s watch.Summary, err error) error {
	badly := func() *deps.EndedBadly {
		if len(s.Badly) == 0 {
			return nil
		}
		all := make([]deps.EndedBadly, len(s.Badly))
		for i, one := range s.Badly {
			all[i] = deps.EndedBadly{Subject: one.ID, State: one.Status, Reason: one.Why}
		}
		first := all[0]
		first.Others = all[1:]
		return &first
	}()
	switch {
	case errors.Is(err, errTime) && len(s.Waiting) > 0 && len(o.until) > 0:
		late := make([]deps.WaitTimeout, len(s.Waiting))
		for i, one := range s.Waiting {
			late[i] = deps.WaitTimeout{Subject: one.ID, State: cmp.Or(one.Status, "not known"), Waited: o.timeout.String()}
		}
		first := late[0]
		first.Others, first.Badly = late[1:], badly
		return &first
	case errors.Is(err, errTime): // there was nothing to wait for
		return nil
	case err != nil:
		return err
	case badly != nil:
		return badly
	}
	return nil
}

// change is a change as it is printed.
func (k Kind) change(c watch.Change) deps.Change {
	reasons := c.Reasons
	if reasons == nil {
		reasons = []payments.KYCReason{}
	}
	return deps.Change{Type: string(k.Change), SubjectID: c.ID, From: c.From, To: c.Status, OccurredAt: c.Since, Reasons: reasons}
}
