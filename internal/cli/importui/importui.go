// Package importui is what the commands share that create an account or a contact for every row of a file: their flags,
// the errors of the file, the progress, the report, and the error that explains how an import ended.
package importui

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/outbox"
	"github.com/payctl/payctl/internal/outbox/importer"
	"github.com/payctl/payctl/internal/outbox/pace"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/rows"
	"github.com/payctl/payctl/internal/ui"
	"github.com/payctl/payctl/internal/wait"
)

const (
	// defaultConcurrency is how many rows are sent at once: few enough for any service.
	defaultConcurrency = 4
	maxConcurrency     = 64
	// patience is how long a service that cannot be reached is tried again: about as long as a restart takes.
	patience = time.Minute
)

// Help is the part of a command's help that imports have in common.
const Help = `The column external_id is required: it is your own name for the row, different in every row, and makes the row
repeatable. Columns have the names of the members, as external_id or externalId, and metadata.NAME for your own data.
If the file has other names, give --map, and for what is the same in all rows --set.

payctl checks the whole file before it sends anything, and reports every error with line and column. Each row is then
created once. If the import stops, for whatever reason, run the same command again, here or on another machine: a row
that exists is not created again. A row whose external id exists with other content is reported as different; nothing
is changed.

The report has a line for each row, in the order of the file, with outcome (created, existed, different, refused,
unknown or not_checked), id, status, problem_type and detail. --report writes it to a file.`

// ExitCodes is the part of a command's help that explains how it exits.
const ExitCodes = `Exit codes: 0 every row exists, 10 the outcome of some rows is unknown (run the same command again), 13 some rows
were refused or are different, 9 the service could not be reached, 2 nothing was sent because of the file.`

// Options are the flags of a command that imports.
type Options struct {
	mapping     cmdutil.Mapping
	concurrency int
	report      string
	dryRun      bool
	showPII     bool
}

// AddTo adds the flags. Constant is an example of --set.
func (o *Options) AddTo(d *cmdutil.Deps, cmd *cobra.Command, constant string) {
	f := cmd.Flags()
	o.mapping.AddTo(cmd, constant)
	f.IntVar(&o.concurrency, "concurrency", defaultConcurrency, "send `N` rows at once, 1 to 64")
	f.StringVar(&o.report, "report", "", "write the report to `FILE`: NDJSON if it ends in .ndjson, else CSV")
	f.BoolVar(&o.dryRun, "dry-run", false, "check the file and show what would be sent, and send nothing")
	cmdutil.AddShowPII(d, cmd, &o.showPII)
}

// An Import is what one command does with its rows.
type Import[T any] struct {
	// Noun is the singular, such as "account".
	Noun string
	Kind importer.Kind[T]
	// Columns are the columns of the input that a table shows behind external_id.
	Columns []string
	// Prepare completes the requests with what the service knows, and adds errors of rows; it may be nil.
	Prepare func(context.Context, *outbox.Outbox, *importer.File[T]) error
	// Create creates one, unless it exists.
	Create func(context.Context, *outbox.Outbox, T) payments.Outcome
	// CallTimeout bounds one call; zero: as the settings have it.
	CallTimeout time.Duration
	// Wait waits for those of the results that exist and sets their statuses; nil: there is nothing to wait for.
	Wait func(context.Context, *outbox.Outbox, []importer.Result) error
}

const (
	// lookups is how many things are looked up at once before anything is sent.
	lookups  = 8
	lookedUp = "looked up"
)

// LookUp looks several things up, some at once, until one fails for good: outages and rate limits are waited out as
// those of rows are.
func LookUp(ctx context.Context, d *cmdutil.Deps, count int, ask func(ctx context.Context, i int) error) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	progress := d.StartProgress(count, "", cmdutil.Tally{Name: lookedUp, Tone: ui.Good})
	defer progress.Stop()
	pacer := &pace.Sender{
		Concurrency: lookups, Patience: patience, Now: d.Now, Sleep: wait.Sleep,
		Unreachable: progress.Unreachable, Reachable: progress.Reachable, Paused: progress.Pause,
	}
	next := make(chan int, count)
	for i := range count {
		next <- i
	}
	close(next)
	var group sync.WaitGroup
	for range lookups {
		group.Go(func() {
			for i := range next {
				if err := pacer.Ask(ctx, func(ctx context.Context) error { return ask(ctx, i) }); err != nil {
					stop(err)
				}
				progress.Add(lookedUp, 1, true)
			}
		})
	}
	group.Wait()
	return context.Cause(ctx)
}

// Run imports a file and reports every row.
func Run[T any](ctx context.Context, d *cmdutil.Deps, o *Options, path string, im Import[T]) error {
	if o.concurrency < 1 || o.concurrency > maxConcurrency {
		return cmdutil.Usage("--concurrency must be 1 to %d", maxConcurrency)
	}
	if o.showPII {
		im.Kind.Shown = func(request T) any { return request }
	}
	printer, err := d.Printer(ctx)
	if err != nil {
		return err
	}
	mapping, err := o.mapping.Read(im.Kind.Members())
	if err != nil {
		return err
	}
	service, err := d.Connect(cmdutil.ClientOptions{Timeout: im.CallTimeout})
	if err != nil {
		return err
	}
	from, err := d.OpenInput(ctx, path)
	if err != nil {
		return err
	}
	file, err := importer.Read(cmdutil.InputName(path), from, mapping, im.Kind)
	_ = from.Close() // it was read to its end, or not needed any more
	switch {
	case errors.Is(err, rows.ErrUnusable):
		return cmdutil.Usage("%v", err)
	case err != nil:
		return err
	}
	d.NoteUnused(file.Unused)
	if len(file.First) == 0 && im.Prepare != nil {
		if err := im.Prepare(ctx, service, file); err != nil {
			return err
		}
	}
	if len(file.First) > 0 {
		return d.RowErrors(path, file.Errors, "nothing was sent")
	}
	r := &report{
		d: d, columns: file.Columns, table: im.Columns, planned: o.dryRun,
	}
	if o.dryRun {
		d.Notef("Nothing was sent. Without --dry-run, %s would be, unless they exist.", cmdutil.Count(len(file.Rows), "row(s)"))
		return r.print(printer, importer.Planned(file.Rows, im.Kind.Shown))
	}
	if err := r.create(ctx, o.report, path); err != nil {
		return err
	}
	defer r.discard()
	resolved, err := d.Settings()
	if err != nil {
		return err
	}
	progress := d.StartProgress(len(file.Rows), "", tallies...)
	defer progress.Stop()
	sender := &importer.Sender[T]{
		Create: func(ctx context.Context, request T) payments.Outcome { return im.Create(ctx, service, request) },
		Shown:  im.Kind.Shown, Concurrency: o.concurrency, Patience: patience, RowTimeout: 3 * resolved.Timeout,
		Now: d.Now, Sleep: wait.Sleep,
		Unreachable: progress.Unreachable, Reachable: progress.Reachable, Paused: progress.Pause,
		Ended: func(outcome payments.Verdict) { progress.Add(string(outcome), 1, true) },
	}
	results, sendErr := sender.Run(ctx, file.Rows)
	progress.Stop()
	counts := count(results)
	d.Notef("%s", counts)
	var waitErr error
	if im.Wait != nil && sendErr == nil {
		waitErr = im.Wait(ctx, service, results)
	}
	reportErr := r.print(printer.With(context.WithoutCancel(ctx)), results)
	switch {
	case counts.exist() < counts.Rows:
		if reportErr != nil {
			d.Warnf("the report cannot be written: %v", reportErr)
		}
		if waitErr != nil {
			d.Warnf("%v", waitErr)
		}
		return failed(counts, sendErr)
	case waitErr != nil:
		return waitErr
	}
	return cmdutil.OutputFailed(reportErr, "every row exists")
}
