package events

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/follow"
	"github.com/payctl/payctl/internal/forward"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/ui"
)

type tailOptions struct {
	selection
	receiver
	limit    int
	timeout  time.Duration
	resume   string
	interval time.Duration
}

func newTail(d *cmdutil.Deps) *cobra.Command {
	o := &tailOptions{}
	cmd := &cobra.Command{
		Use:   "tail",
		Short: "Follow the event feed, or hand it on, until interrupted",
		Long: `Show every event as it happens, each once and in order, until you interrupt it. With --forward-to each
is sent to a URL as the body of a POST, one at a time, until the answer is a 2xx, signed by Standard
Webhooks. With --exec a program gets it on standard input, until its exit code is 0.

--resume keeps the place under a name: behind the last event that was acknowledged, or shown. --after
counts only while there is no such place. If the service no longer has it, the exit code is 5.`,
		Example: `  payctl events tail
  payctl events tail --types kyc.statusChanged --after beginning
  payctl events tail --resume audit -o ndjson >>events.ndjson
  payctl events tail --forward-to http://127.0.0.1:3000/hook --resume shop`,
		Args: cmdutil.Args(),
		RunE: func(cmd *cobra.Command, _ []string) error { return tail(cmd.Context(), d, o) },
	}
	o.receiver.addTo(cmd)
	o.selection.addTo(d, cmd, payments.LatestEvent)
	f := cmd.Flags()
	f.StringVar(&o.resume, "resume", "", "begin at the place of this `NAME`, and keep it")
	f.IntVar(&o.limit, "limit", 0, "end after `N` events (default: never)")
	cmdutil.DurationVar(f, &o.timeout, "timeout", 0,
		"end after `DURATION`, such as 10m (default: never); with exit code 12 if --limit was not reached")
	cmdutil.DurationVar(f, &o.interval, "interval", 5*time.Second,
		"poll every `DURATION` where the service has neither streams nor long polls")
	return cmd
}

// NewListen returns the command by the name that people know from other programs.
func NewListen(d *cmdutil.Deps) *cobra.Command {
	cmd := newTail(d)
	cmd.Use, cmd.Short = "listen", "Hand events on to a program under test; the same as events tail"
	cmd.Example = `  payctl listen --forward-to http://127.0.0.1:3000/hook
  payctl listen --exec ./handle-event --resume shop
  payctl listen --print-secret`
	run := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if f := cmd.Flags(); !f.Changed("forward-to") && !f.Changed("exec") && !f.Changed("print-secret") {
			return cmdutil.Usage("payctl listen needs --forward-to or --exec").
				WithHint("payctl events tail   (shows the events)")
		}
		return run(cmd, args)
	}
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
	return o.receiver.check()
}

// tail hands each event to the receiver, if there is one, then shows it, and then moves the place.
func tail(ctx context.Context, d *cmdutil.Deps, o *tailOptions) (err error) {
	if o.printSecret {
		return printSecret(ctx, d, o.secretFile)
	}
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
	forwarder, attempt, err := o.forwarder(ctx, d)
	if err != nil {
		return err
	}
	printer, err := d.FeedPrinter(ctx)
	if err != nil {
		return err
	}
	shown, stream := 0, cmdutil.NewStream(printer, columns)
	isTable := printer.Format() == ui.FormatTable
	print := func(e entry) error {
		if shown++; !isTable {
			return stream.WritePage([]entry{e}, false)
		}
		cells := cmdutil.Cells(columns[:len(columns)-1], e) // without its id
		if e.Receiver != nil {
			cells = append(cells, receiverCell(*e.Receiver))
		}
		return d.Line(cells...)
	}
	feed := follow.Feed{Service: service, Filter: filter, Interval: o.interval, Trouble: d.Trouble, Recovered: d.Recovered}
	var place *forward.Place
	now := true // the next place is to be kept before the tail goes on: it is the first, or behind an event that was taken
	if o.resume != "" {
		if place, err = openPlace(ctx, d, o.resume); err != nil {
			return err
		}
		if at := place.Cursor(); at != "" {
			feed.Filter.After = at
		}
		defer func() {
			if closing := place.Close(); err == nil {
				err = cannotSave(closing, filepath.Dir(place.Path))
			}
		}()
		feed.Moved = func(cursor string) error {
			err := place.Move(cursor, now)
			now = false
			return cannotSave(err, filepath.Dir(place.Path))
		}
	}
	if forwarder != nil {
		feed.Connected = func() { d.Notef("Connected; handing events on to %s.", o.target) }
	}
	selected := cmdutil.NewFilters(d, filters(&feed.Filter))
	run := func(ctx context.Context) error {
		feed.Each = func(e payments.Event) (bool, error) {
			if !selected.Match(e) {
				return false, nil
			}
			event := entryOf(e)
			if forwarder != nil {
				receipt, err := forwarder.Hand(ctx, func(ctx context.Context) (int, error) { return attempt(ctx, e) })
				if err != nil {
					return false, notAcknowledged(ctx, e, err)
				}
				event.Receiver, now = &receipt, true
			}
			err := print(event)
			return shown == o.limit, err
		}
		err := feed.Run(ctx)
		for selected.DropRefused(err) {
			err = feed.Run(ctx)
		}
		return err
	}
	err = cmdutil.RunWithTimeout(ctx, o.timeout, run, func() error {
		if o.limit == 0 {
			return nil
		}
		at := fmt.Sprintf("at %d of %d events", shown, o.limit)
		return cmdutil.WaitTimedOut(o.timeout, []cmdutil.Subject{{ID: "the feed", Status: at}}, "", nil)
	})
	// If the feed failed before anything was printed, the stream is left to the problem document.
	if !isTable && (shown > 0 || err == nil) {
		if closing := stream.Close(); err == nil {
			err = closing
		}
	}
	return explainGone(err, place)
}
