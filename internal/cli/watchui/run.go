// Package watchui is the shared part of the watch commands. Each file has one thing: the flags and the run, the kinds
// of subjects, the identifiers of --from, the output, the program of --exec, and --wait of other commands.
package watchui

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/time/rate"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/follow"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/shell"
	"github.com/payctl/payctl/internal/ui/live"
	"github.com/payctl/payctl/internal/wait"
)

// Options are the flags of a watch command.
type Options struct {
	All bool

	kind       *Resource
	from       string
	until      []string
	timeout    time.Duration
	interval   time.Duration
	exec       string
	initial    bool     // --exec also runs for the first state of each subject
	local      bool     // times are in the zone of this machine
	execArgs   []string // behind --
	accessible bool
	ids        []string // names on the command line
}

const (
	// mostWatched is how many subjects --all watches: more than a team can look after. A subject takes about 1 KiB of
	// memory in the live view.
	mostWatched = 100_000
	// requestsPerSecond bounds what a watch asks. A list of 10,000 accounts takes two seconds, and few services allow
	// much more. atOnce is how many requests make up for a slow one.
	requestsPerSecond, atOnce = 50, 10
)

// AddTo adds the flags. Resource is what is watched.
func (o *Options) AddTo(cmd *cobra.Command, kind *Resource) {
	o.kind = kind
	f := cmd.Flags()
	f.StringVar(&o.from, "from", "", "read the "+kind.Nouns+" from `FILE`; - is standard input")
	f.BoolVar(&o.All, "all", false, "watch all "+kind.Nouns+", and new ones as they appear")
	f.StringSliceVar(&o.until, "until", nil,
		"wait for these `"+kind.Statuses+"` (default "+kind.Goal+"; with --all: none)")
	cmdutil.DurationVar(f, &o.timeout, "timeout", 0, "end the whole watch after `DURATION`, such as 10m")
	cmdutil.DurationVar(f, &o.interval, "interval", 5*time.Second, "poll every `DURATION` while the event feed does not work")
	f.StringVar(&o.exec, "exec", "", "run `COMMAND` for each change; arguments may follow behind --")
	f.BoolVar(&o.initial, "exec-initial", false, "run it for the first state of each "+strings.ToLower(kind.Noun)+" too")
	f.BoolVar(&o.local, "local", false, "show times in the time zone of this machine")
	f.BoolVar(&o.accessible, "accessible", false, "print lines in place of the live view, as for a screen reader")
}

// Args returns the check of the arguments: names before --, and behind it arguments for the program of --exec.
// Filters are the flags that need --all.
func (o *Options) Args(noun string, filters ...string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		o.ids = args
		if dash := cmd.ArgsLenAtDash(); dash >= 0 && o.exec != "" {
			o.ids, o.execArgs = args[:dash], args[dash:]
		}
		noun := strings.ToUpper(noun)
		switch {
		case slices.Contains(o.ids, ""):
			return cmdutil.Usage("%s was given an empty %s", cmd.CommandPath(), noun).
				WithNote("see whether a variable is not set")
		case o.All && (len(o.ids) > 0 || o.from != ""):
			return cmdutil.Usage("--all watches all; leave out --from and the %ss", noun)
		case !o.All && len(o.ids) == 0 && o.from == "":
			return cmdutil.Usage("%s needs %s, --from or --all", cmd.CommandPath(), noun).
				WithHint(shell.Hint{Command: append(strings.Fields(cmd.CommandPath()), "--all")})
		case !o.All && slices.ContainsFunc(filters, cmd.Flags().Changed):
			return cmdutil.Usage("--%s are filters of --all: give --all too", strings.Join(filters, ", --"))
		}
		return nil
	}
}

// Connect checks the flags, and returns the service for a watch.
func (o *Options) Connect(d *cmdutil.Deps) (payments.Service, error) {
	if err := o.kind.checkGoal(d, "until", o.until, o.interval); err != nil {
		return nil, err
	}
	limiter := rate.NewLimiter(requestsPerSecond, atOnce)
	return d.Connect(cmdutil.Calls{Pace: func(ctx context.Context) error { // Limiter.Wait ends before a deadline
		return wait.Sleep(ctx, limiter.Reserve().Delay())
	}})
}

// A Watch is what is watched at a service.
type Watch struct {
	Service payments.Service
	// List and IsMember are those of follow.Subjects, for --all.
	List     List
	IsMember func(ctx context.Context, e payments.Event) (bool, error)
	// View has what the live view shows of a row: its columns, details and reply, and whether they have personal data.
	View live.Config
}

// Run watches until nothing is waited for any more, --timeout runs out or the context ends. Package follow lists what
// else ends a watch.
func (o *Options) Run(ctx context.Context, d *cmdutil.Deps, watch Watch) error {
	kind, service := o.kind, watch.Service
	ctx, stop := d.WhileRead(ctx)
	defer stop()
	ctx, cancel := cmdutil.WithTimeout(ctx, o.timeout)
	defer cancel()
	var ids []string
	for _, name := range o.ids {
		id, err := kind.find(ctx, d, service, name)
		if err != nil {
			return err
		}
		ids = append(ids, id)
	}
	if o.from != "" {
		read, err := readIDs(ctx, d, o.from, kind.IDNames)
		if err != nil {
			return kind.explain(ending{err: err, timeout: o.timeout, unread: "what --from reads"})
		}
		ids = slices.Concat(ids, read)
	}
	if len(o.until) == 0 && !o.All {
		o.until = []string{kind.Goal}
	}
	out, err := o.newOutput(ctx, d, watch, o.All || len(ids) > 1)
	if err != nil {
		return err
	}
	programOutput := d.Err
	if out.live != nil {
		programOutput = nil // it would overwrite the view
	}
	run, err := newExecutor(ctx, o.exec, o.execArgs, programOutput, out.warn)
	if err != nil {
		return err
	}
	subjects := kind.subjects(service, watch.List)
	subjects.IsMember = watch.IsMember
	engine := &follow.Engine{
		Service: service, Subjects: subjects, IDs: ids, All: o.All, Goal: kind.goal(o.until),
		Interval: o.interval, Trouble: out.setTrouble, Polling: out.setPolling, Note: out.note,
		TakesPartial: out.live != nil && o.exec == "",
	}
	changed, stopNotice := kind.noticePersons(engine, o.timeout, d.NextStep, out.note)
	defer stopNotice()
	read := 0
	engine.Each = func(c follow.Change) error {
		if c.From == nil {
			if read++; read > mostWatched {
				return cmdutil.Usage("there are more than %d %s, of which some would be left out without a sign", mostWatched,
					kind.Nouns).WithNote("watch fewer with a filter, which --help shows")
			}
		}
		if err := out.change(c); err != nil {
			return err
		}
		if c.From != nil || o.initial {
			run.enqueue(kind.change(c))
		}
		changed()
		return nil
	}
	err = out.run(ctx, engine, func(ctx context.Context) error {
		if run != nil {
			defer context.AfterFunc(ctx, run.cancel)() // Each may be waiting for room in the executor's queue
		}
		engine.Loaded = func() { out.loaded(ctx) }
		return engine.Run(ctx)
	})
	summary := engine.Summary()
	if failed := run.wait(); err == nil {
		err = failed
	}
	end := ending{Summary: summary, err: err, timeout: o.timeout, isReference: isReference(service)}
	if len(o.until) > 0 {
		end.goal = "one of --until"
	}
	if o.All && !out.isLoaded {
		end.unread = "the list of " + kind.Nouns
	}
	return out.close(summary, kind.explain(end))
}
