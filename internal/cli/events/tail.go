package events

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/follow"
	"github.com/payctl/payctl/internal/payments"
)

type tailOptions struct {
	selection
	limit    int
	timeout  time.Duration
	resume   bool
	interval time.Duration
	// accessible prints lines at a terminal too.
	accessible bool
}

func newTail(d *cmdutil.Deps) *cobra.Command {
	o := &tailOptions{}
	cmd := &cobra.Command{
		Use:   "tail",
		Short: "Follow the event feed until interrupted",
		Long: `Show every event as it happens, each once and in order, until you interrupt it: at a terminal in a
live view (press ? for its keys), otherwise as one line each. It begins with the next event, unless
--after says otherwise. If the connection breaks, it goes on at the same place.

With --resume it begins where the last ` + "`tail --resume`" + ` with the same profile, service,
--types and --subject stopped. The place is saved ten times a second, so that a command that was
killed may print its last events again. With --after it begins there and saves the place from then on.

If the service no longer has the events after the cursor, or has been reset since, the exit code is
5. Then read the present states and begin again with --after latest.`,
		Example: `  payctl events tail
  payctl events tail --types kyc.statusChanged --after beginning
  payctl events tail --resume -o ndjson >>events.ndjson`,
		Args: cmdutil.Args(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return tail(cmd.Context(), d, o, cmd.Flags().Changed("after"))
		},
	}
	o.addTo(d, cmd, payments.LatestEvent)
	f := cmd.Flags()
	f.IntVar(&o.limit, "limit", 0, "end after `N` events (default: never)")
	cmdutil.DurationVar(f, &o.timeout, "timeout", 0,
		"end after `DURATION`, such as 10m (default: never); with exit code 12 if --limit was not reached")
	f.BoolVar(&o.resume, "resume", false, "begin where the last tail --resume stopped")
	cmdutil.DurationVar(f, &o.interval, "interval", 5*time.Second,
		"poll every `DURATION` where the service has neither streams nor long polls")
	f.BoolVar(&o.accessible, "accessible", false, "print lines at a terminal too, in place of the live view")
	return cmd
}

// check returns the mistakes in the flags.
func (o *tailOptions) check() error {
	switch {
	case o.interval <= 0:
		return cmdutil.Usage("--interval must be more than zero")
	case o.timeout < 0:
		return cmdutil.Usage("--timeout must not be negative")
	case o.limit < 0:
		return cmdutil.Usage("--limit must be 1 or more")
	}
	return nil
}

// tail follows the feed. With anew, --resume begins at --after and not at the saved cursor.
func tail(ctx context.Context, d *cmdutil.Deps, o *tailOptions, anew bool) error {
	if err := o.check(); err != nil {
		return err
	}
	filter, err := o.filter(d)
	if err != nil {
		return err
	}
	service, err := d.Payments()
	if err != nil {
		return err
	}
	ctx, end := d.WhileRead(ctx)
	defer end()
	out, err := newOutput(ctx, d, o)
	if err != nil {
		return err
	}
	defer out.release()
	feed := follow.Feed{
		Service: service, Filter: filter, Interval: o.interval,
		Trouble: out.trouble, Recovered: out.recovered,
	}
	save := func() error { return nil }
	if o.resume {
		file, err := findResumeFile(d, feed.Filter)
		if err != nil {
			return err
		}
		saved, err := file.read()
		if err != nil {
			return err
		}
		if !anew && saved != "" {
			feed.Filter.After = saved
		}
		feed.Moved, save = file.write, file.close
	}
	selected := cmdutil.NewFilters(d, filters(&feed.Filter))
	selected.Notef = out.note
	shown := 0
	feed.Each = func(e payments.Event) (bool, error) {
		if !selected.Match(e) {
			return false, nil
		}
		shown++
		return shown == o.limit, out.print(e)
	}
	run := func(ctx context.Context) error {
		err := feed.Run(ctx)
		for selected.DropRefused(err) {
			err = feed.Run(ctx)
		}
		return err
	}
	err = out.run(ctx, func(ctx context.Context) error {
		return cmdutil.RunWithTimeout(ctx, o.timeout, run, func() error {
			if o.limit == 0 {
				return nil
			}
			at := fmt.Sprintf("at %d of %d events", shown, o.limit)
			return cmdutil.WaitTimedOut(o.timeout, []cmdutil.Subject{{ID: "the feed", Status: at}}, "", nil)
		})
	})
	if saving := save(); err == nil {
		err = saving
	}
	return out.close(explainGone(err))
}
