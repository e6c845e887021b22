package events

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/deps"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/term"
	"github.com/payctl/payctl/internal/watch"
)

type tailOptions struct {
	selection
	limit    int
	timeout  time.Duration
	resume   bool
	interval time.Duration
}

func newTail(d *deps.Deps) *cobra.Command {
	o := &tailOptions{}
	cmd := &cobra.Command{
		Use:   "tail",
		Short: "Follow the feed of events until interrupted",
		Long: `Print every event as it happens, each once and in order, until interrupted. Over a connection that breaks it goes on
where it was. Without --after it begins with what happens next.

With --resume it begins where the last ` + "`tail --resume`" + ` with the same profile, service and --types left off, whatever
happened since, and remembers how far it came: after each event is printed, so that one that is killed may print its last
event again. --after then begins anew.

A cursor that is older than what the service keeps, or of a world that was reset, is exit 5: read the present states, then
begin again with --after latest.`,
		Example: `  payctl events tail
  payctl events tail --types kyc.statusChanged --after beginning
  payctl events tail --resume -o ndjson >>events.ndjson`,
		Args: deps.Args(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return tail(cmd.Context(), d, o, cmd.Flags().Changed("after"))
		},
	}
	o.addTo(cmd, payments.LatestEvent)
	f := cmd.Flags()
	f.IntVar(&o.limit, "limit", 0, "end after `N` events (default: never)")
	f.DurationVar(&o.timeout, "timeout", 0, "end after `DURATION`, such as 10m (default: never); before the last of --limit with exit code 12")
	f.BoolVar(&o.resume, "resume", false, "begin where the last tail --resume left off")
	f.DurationVar(&o.interval, "interval", 5*time.Second, "wait `DURATION` before asking again where the service neither streams nor holds its answers")
	return cmd
}

func tail(ctx context.Context, d *deps.Deps, o *tailOptions, begin bool) error {
	switch {
	case o.interval <= 0:
		return deps.Usage("--interval must be more than zero")
	case o.timeout < 0:
		return deps.Usage("--timeout must not be negative")
	case o.limit < 0:
		return deps.Usage("--limit must be 1 or more")
	}
	service, err := d.Payments()
	if err != nil {
		return err
	}
	ctx, end := d.WhileRead(ctx)
	defer end()
	out, err := newOutput(ctx, d)
	if err != nil {
		return err
	}
	feed := watch.Feed{
		Service: service, Filter: o.filter(), Interval: o.interval,
		Trouble: d.Trouble, Recovered: d.Recovered,
	}
	if o.resume {
		at, err := placeOf(d, feed.Filter.Types)
		if err != nil {
			return err
		}
		remembered, err := at.read()
		if err != nil {
			return err
		}
		if !begin && remembered != "" {
			feed.Filter.After = remembered
		}
		feed.Moved = at.write
	}
	shown := 0
	feed.Each = func(e payments.Event) (bool, error) {
		shown++
		return shown == o.limit, out.print(e)
	}
	return out.close(withNext(deps.Within(ctx, o.timeout, feed.Run, func() error {
		if o.limit == 0 {
			return nil
		}
		return &deps.WaitTimeout{Subject: "the feed", State: fmt.Sprintf("at %d of %d events", shown, o.limit), Waited: o.timeout.String()}
	})))
}

// output prints events: a timestamped line each, or what -o asks for.
type output struct {
	deps   *deps.Deps
	stream *term.Stream // nil for lines
	begun  bool
}

func newOutput(ctx context.Context, d *deps.Deps) (*output, error) {
	printer, err := d.FeedPrinter(ctx)
	if err != nil {
		return nil, err
	}
	if printer.Format() == term.FormatTable {
		return &output{deps: d}, nil
	}
	return &output{deps: d, stream: printer.Stream(columns)}, nil
}

func (o *output) print(e payments.Event) error {
	o.begun = true
	if o.stream == nil {
		return o.deps.Line(line(e)...)
	}
	return o.stream.Write(entryOf(e), cells(e))
}

// close ends the output and passes on how the watch ended. When it failed before there was any, the output is the
// failure's.
func (o *output) close(err error) error {
	if o.stream != nil && (o.begun || err == nil) {
		if closing := o.stream.Close(); err == nil {
			err = closing
		}
	}
	return err
}
