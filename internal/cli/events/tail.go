package events

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/cli/resource"
	"github.com/payctl/payctl/internal/follow"
	"github.com/payctl/payctl/internal/forward"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/securefile"
	"github.com/payctl/payctl/internal/settings"
	"github.com/payctl/payctl/internal/shell"
	"github.com/payctl/payctl/internal/ui"
)

type tailOptions struct {
	selection
	receiver
	limit   int
	timeout time.Duration
	resume  string
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
counts only while there is no such place. If the service no longer has it, the exit code is 5. After a
reset of the sandbox while it runs, it goes on with the first event of the new sandbox.`,
		Example: `  payctl events tail
  payctl events tail --types kyc.statusChanged --after beginning
  payctl events tail --resume audit -o ndjson >>events.ndjson
  payctl events tail --forward-to http://127.0.0.1:3000/hook --resume shop`,
		RunE: func(cmd *cobra.Command, _ []string) error { return tail(cmd.Context(), d, o) },
	}
	o.receiver.addTo(cmd)
	o.selection.addTo(cmd, payments.LatestEvent)
	f := cmd.Flags()
	f.StringVar(&o.resume, "resume", "", "begin at the place of this `NAME`, and keep it")
	f.IntVar(&o.limit, "limit", 0, "end after `N` events (default: never)")
	cmdutil.DurationVar(f, &o.timeout, "timeout", 0,
		"end after `DURATION`, such as 10m (default: never); with exit code 12 if --limit was not reached")
	return cmd
}

// NewListen returns the command by the name that people know from other programs.
func NewListen(d *cmdutil.Deps) *cobra.Command {
	cmd := newTail(d)
	cmd.Use, cmd.Short = "listen", "Hand events on to a program under test; the same as events tail"
	cmd.Example = `  payctl listen --forward-to http://127.0.0.1:3000/hook
  payctl listen --exec ./handle-event --resume shop
  payctl listen --print-secret`
	return cmd
}

// tail hands each event to the receiver, if there is one, then shows it, and then moves the place.
func tail(ctx context.Context, d *cmdutil.Deps, o *tailOptions) (err error) {
	if o.limit < 0 || o.maxAttempts < 0 {
		return cmdutil.Usage("--limit and --max-attempts must not be negative")
	}
	printer, err := d.FeedPrinter(ctx)
	if err != nil {
		return err
	}
	if o.printSecret {
		secret, err := signingSecret(ctx, d, o.secretFile)
		if err != nil {
			return err
		}
		return d.PrintText(printer, "secret", secret, ui.Sanitize)
	}
	feed := follow.Feed{Interval: 5 * time.Second, Trouble: d.Trouble}
	if feed.Filter, err = o.filter(); err != nil {
		return err
	}
	ctx, end := d.WhileRead(ctx)
	defer end()
	forwarder, receiver, err := o.forwarder(ctx, d)
	if err != nil {
		return err
	}
	if forwarder != nil {
		feed.Connected = func() { d.Notef("Connected; handing events on to %s.", receiver) }
	}
	if feed.Service, err = d.Payments(); err != nil {
		return err
	}
	service, err := d.Client()
	if err != nil {
		return err
	}
	place, taken := &forward.CursorFile{}, false // taken: the receiver has acknowledged the last event
	if o.resume != "" {
		opened, release, err := openPlace(ctx, d, o.resume)
		if err != nil {
			return err
		}
		defer release()
		place = opened
		feed.Filter.After = cmp.Or(place.Cursor, feed.Filter.After)
	}
	world := "" // that has the cursor
	feed.Moved = func(cursor string) error {
		world = service.World()
		return explainPlace(place.Move(cursor, taken), place)
	}
	shown, stream := 0, tableFor(printer.Format(), forwarder != nil).Follow(printer)
	feed.Each = func(e payments.Event) (done bool, err error) {
		event := entryOf(e)
		if taken = false; !selects(feed.Filter, event) {
			return false, nil
		}
		if forwarder != nil {
			receipt, err := forwarder.Hand(ctx, e)
			if err != nil {
				return false, err
			}
			event.Receiver, taken = &receipt, true
		}
		shown++
		return shown == o.limit, stream.WritePage([]entry{event})
	}
	err = cmdutil.RunWithTimeout(ctx, o.timeout, func(limited context.Context) error {
		ctx = limited //nolint:fatcontext // once: the forwarder waits with it too
		err := feed.Run(ctx)
		for payments.IsProblem(err, payments.ProblemGone) && world != "" && service.World() != world {
			d.Notef("The sandbox was reset, or lost its data; going on with its first event.")
			feed.Filter.After, world = "", ""
			err = feed.Run(ctx)
		}
		return err
	}, func() error {
		if o.limit == 0 {
			return nil
		}
		at := fmt.Sprintf("at %d of %d events", shown, o.limit)
		return cmdutil.WaitTimedOut(o.timeout, []cmdutil.Subject{{ID: "the feed", Status: at}}, "", nil)
	})
	if place.Cursor != "" {
		err = cmp.Or(err, explainPlace(place.Move(place.Cursor, true), place))
	}
	// If the feed failed before anything was printed, the stream is left to the problem document.
	if shown > 0 || err == nil {
		err = cmp.Or(err, stream.Close())
	}
	return explainGone(err, place.Path)
}

// tableFor returns the columns of a format, with what the receiver has answered if there is one.
func tableFor(format ui.Format, isForwarded bool) resource.Table[entry] {
	table := columns
	if format == ui.FormatTable {
		table = columns[:len(columns)-1] // without the ids of events
	}
	if !isForwarded {
		return table
	}
	return append(slices.Clip(table), resource.Member[entry]{
		Column: ui.Column{Header: "Receiver", Keep: true}, Cell: func(e entry) ui.Cell {
			return ui.Toned(ui.Good, fmt.Sprintf("%d, attempt %d", e.Receiver.Status, e.Receiver.Attempts))
		},
	})
}

// openPlace opens the place of --resume at the settings' service, which no other process can open until it is released.
func openPlace(
	ctx context.Context, d *cmdutil.Deps, name string,
) (place *forward.CursorFile, release func(), err error) {
	resolved, err := d.Settings()
	if err != nil {
		return nil, nil, err
	}
	dir, err := settings.StateDir(d.Getenv)
	if err != nil {
		return nil, nil, err
	}
	place, err = forward.NewCursorFile(filepath.Join(dir, "events"), name, resolved.Profile, resolved.Origin)
	if err == nil {
		const openWait = 2 * time.Second // longer than a process that was killed takes to end
		release, err = securefile.Lock(ctx, place.Path+".lock", openWait)
	}
	if err == nil {
		err = place.Read()
	}
	if errors.Is(err, securefile.ErrLockHeld) {
		err = cmdutil.Usage("another payctl has the place %s of --resume", name).WithNote("end it, or give another name")
	}
	return place, release, explainPlace(err, place)
}

// explainPlace adds the next step to the error of a place that cannot be read or written.
func explainPlace(err error, place *forward.CursorFile) error {
	if err == nil || errors.Is(err, cmdutil.ErrUsage) {
		return err
	}
	if _, isUnsafe := errors.AsType[*securefile.Error](err); isUnsafe {
		return fmt.Errorf("the place to resume from cannot be read: %w", err)
	}
	return cmdutil.Hint(fmt.Errorf("the place cannot be remembered: %w", err),
		shell.Note("make sure that you may write to %s and that there is room, have another folder used with "+
			settings.EnvStateDir+", or leave --resume out", filepath.Dir(place.Path)))
}

// explainGone adds the next step to the error of a cursor that the feed no longer has: changes may have been missed.
// Path is the file that has the cursor. Empty means none.
func explainGone(err error, path string) error {
	if !payments.IsProblem(err, payments.ProblemGone) {
		return err
	}
	anew := shell.Note("then begin anew with --after beginning")
	if path != "" {
		anew = shell.Note("then remove %s to begin anew with --after beginning", path)
	}
	return cmdutil.Hint(err, shell.Payctl("accounts list").With("the present states"), shell.Payctl("transfer list"), anew)
}
