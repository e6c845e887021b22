// Package watchui is the shared part of the watch commands: their flags, the identifiers that --from reads, the live
// view or the lines that show the changes, the program of --exec, and the error that explains how a watch ended.
package watchui

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/follow"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/ui"
	"github.com/payctl/payctl/internal/ui/live"
)

// A Kind is a kind of subject that can be watched, such as accounts.
type Kind struct {
	// Noun is the singular, such as "Account", and Nouns the plural, such as "accounts".
	Noun, Nouns string
	// Title is the heading of the live view.
	Title string
	// IDNames are the names of columns and JSON members that hold an identifier, the most specific first.
	IDNames []string
	// EventType is the type of the changes that are printed.
	EventType payments.EventType
	Subjects  follow.Subjects
	// Goal is the status to wait for without --until.
	Goal string
	// OneStatus and Statuses are the placeholders of one status and of several in a usage.
	OneStatus, Statuses string
	// Operation and Member name the list operation's filter by status; the contract has the known statuses there.
	Operation, Member string

	CanReach  func(status, other string) bool
	HasPassed func(status, other string) bool // nil: a status does not count as reached once it has been passed
	// IsFinal reports whether a status never changes; nil: FinalGoal is no goal of these subjects.
	IsFinal func(status string) bool
	// Status returns a status in its colour.
	Status func(status string) ui.Cell
	// Words name a subject besides its identifier, in lines at a terminal; nil: the identifier is all.
	Words func(record follow.Record) []ui.Cell
	// OnlyPerson reports whether no service goes on from a status by itself. A reference service may act in the place of
	// a person where it is otherwise a person's turn.
	OnlyPerson func(status string) bool
	// Steps are the commands by which a subject that waits for a person goes on, or that show what it waits for.
	Steps func(status, id string, isReference bool) []string
	// Turn tells who has to act on a subject with this status, and Applicant is the word for TurnApplicant, such as
	// "payer".
	Turn      func(status string) payments.Turn
	Applicant string
	// Columns are those of the live view.
	Columns []live.Column
	// Record reads what the live view shows of a subject besides its status and is missing in what is known, since the
	// event feed does not have it; known may be nil. It returns nil if it cannot be read. A nil function: there is nothing
	// to read.
	Record func(ctx context.Context, id string, known follow.Record) follow.Record
	// Lacks reports whether something is missing in what is known of a subject with a status; nil: only if nothing is
	// known.
	Lacks func(status string, known follow.Record) bool
	// Deadline is when a status ends at the latest, as far as a record knows, which may be nil; zero: never. A nil
	// function: no status of these subjects does.
	Deadline func(status string, known follow.Record) time.Time
	// HasPersonal reports that columns or details have personal data, and ShowPersonal that it is shown all the time.
	HasPersonal, ShowPersonal bool
	// Details reads everything about a subject.
	Details func(ctx context.Context, row live.Row) (live.Details, error)
	// Actions are what the live view can do with subjects.
	Actions Actions
}

// errWatchTimeout is the cause of a context that --timeout has ended.
var errWatchTimeout = errors.New("the time of --timeout is up")

// Run watches until nothing is waited for any more, --timeout runs out or the context ends. kindOf makes the kind for
// the service that is called at the pace of --rate.
func (o *Options) Run(ctx context.Context, d *cmdutil.Deps, kindOf func(payments.Service) Kind) error {
	if err := o.check(); err != nil {
		return err
	}
	if err := checkStatuses(d, kindOf(nil), "until", o.until, o.AllowUnknown); err != nil {
		return err
	}
	if err := cmdutil.CheckStatuses("notify", o.notify, known(d, kindOf(nil)), o.AllowUnknown); err != nil {
		return err
	}
	d.Pace = o.rate.pace()
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
		out.view.actions.exec, out.view.actions.isReference = run, isReference(service)
	}
	most := 0 // --from has a bound of its own
	if o.All {
		most = o.max
	}
	expected := len(ids)
	if o.All {
		expected = 0
	}
	var engine *follow.Engine
	notice := newPersonNotice(kind, expected, o.timeout, func() []follow.SubjectResult { return engine.Summary().Waiting },
		isReference(service), func(text string) { out.waitsForPerson(d.WithServiceFlags(text)) })
	defer notice.stop()
	engine = &follow.Engine{
		Service: service, Subjects: kind.Subjects, IDs: ids, All: o.All, Most: most,
		Goal:     kind.goal(o.until),
		FailFast: o.failFast, Interval: o.interval, Parallel: o.rate.parallel(),
		Each: func(c follow.Change) error {
			change := kind.change(c)
			if err := out.change(change, c); err != nil {
				return err
			}
			run.enqueue(change)
			if len(o.until) > 0 {
				notice.observe(c)
			}
			return nil
		},
		Loaded: func() { out.loaded(engine.Summary()) }, Gone: out.gone,
		Trouble: out.setTrouble, Recovered: func() { out.setTrouble(nil) }, Note: func(text string) { out.note("%s", text) },
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
	err = o.outcome(kind, summary, out.outage(), err, isReference(service)())
	if out.view != nil && out.view.actions.unknown != nil {
		err = out.view.actions.unknown // it matters more than how the watch ended
	}
	return out.close(summary, err)
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
	if limit, ok := errors.AsType[*follow.LimitError](err); ok {
		return tooMany(kind, limit)
	}
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
func tooMany(kind Kind, limit *follow.LimitError) error {
	detail := fmt.Sprintf("there are more than %d %s, which is the limit of --max", limit.Most, kind.Nouns)
	if limit.Text {
		detail = fmt.Sprintf("the service sends more text about its %s than fits --max %d", kind.Nouns, limit.Most)
	}
	return (&cmdutil.Error{
		Code: cmdutil.ExitUsage, Kind: "too-many-subjects", Title: "There is more to watch than --max allows.",
		Detail: detail + ". The watch has ended, because it would leave some out without a sign", Cause: limit,
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
