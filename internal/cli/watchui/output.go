package watchui

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/follow"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/ui"
	"github.com/payctl/payctl/internal/ui/live"
)

// An output shows the changes: in the live view, in the format of -o, or else as lines.
type output struct {
	ctx      context.Context //nolint:containedctx // Engine.Each gets none
	deps     *cmdutil.Deps
	kind     *Resource
	watch    Watch
	stream   *ui.Stream // nil without -o
	begun    bool
	isLoaded bool            // the first statuses have been read
	unknown  map[string]bool // statuses without a meaning that were told

	zone       *time.Location // of the times that are shown
	accessible bool           // lines have all that the live view shows
	interval   time.Duration

	live    *live.View // nil without a live view
	closed  atomic.Bool
	lacking chan string    // the rows that may lack something that neither the list nor the event feed has told
	lacks   sync.Map       // those of them that do
	reader  sync.WaitGroup // of what they lack
}

func (o *Options) newOutput(ctx context.Context, d *cmdutil.Deps, watch Watch, several bool) (*output, error) {
	printer, err := d.Printer(ctx)
	if err != nil {
		return nil, err
	}
	out := &output{
		ctx: ctx, deps: d, kind: o.kind, watch: watch, zone: cmdutil.Zone(o.local), accessible: o.accessible,
		interval: o.interval, unknown: map[string]bool{},
	}
	switch {
	case printer.Format() != ui.FormatTable || d.Options.JQ != "":
		out.stream = printer.Stream([]ui.Column{
			{Header: "When", Name: "occurredAt"}, {Header: o.kind.Noun, Name: "subjectId"}, {Header: "From", Name: "from"},
			{Header: "To", Name: "to"}, {Header: "Reasons", Name: "reasons"},
		})
	case several && !o.accessible && d.InTTY && d.CanRedraw() && !d.Options.Verbose: // which prints a log
		out.lacking = make(chan string, mostWatched)
		out.live = live.New(out.view(o.until))
	}
	return out, nil
}

// run runs a watch, under the live view if there is one. Closing the view interrupts a watch that has a goal, or has
// not read its list yet, and ends any other.
func (out *output) run(ctx context.Context, e *follow.Engine, watch func(context.Context) error) error {
	if out.live == nil {
		return watch(ctx)
	}
	defer debug.SetGCPercent(debug.SetGCPercent(gcPercent))
	err := out.live.Run(ctx, watch)
	out.reader.Wait()
	out.closed.Store(true)
	switch {
	case !errors.Is(err, live.ErrQuit):
		return err
	case len(e.Goal.Wanted) > 0 || !out.isLoaded:
		return ui.ErrInterrupted
	}
	return nil
}

// change shows a change. The engine does not call it concurrently.
func (out *output) change(c follow.Change) error {
	out.begun = true
	if c.Since.After(out.deps.ServiceNow()) { // the clock of a sandbox has been moved
		out.deps.SetServiceTime(c.Since)
	}
	if out.kind.Turn(c.Status) == payments.TurnUnknown && c.Status != "" && !out.unknown[c.Status] {
		out.unknown[c.Status] = true
		word := strings.TrimPrefix(c.Status, "unmapped:")
		out.notify(out.deps.Notef,
			"It is not known what %q means. If you know, put it into the profile: values: {%s: {STATUS: %s}}",
			ui.Sanitize(word), out.kind.Operation.Resource().StatusOf, ui.Sanitize(word))
	}
	when, id := ui.Text(cmdutil.TimeIn(c.Since, out.zone)), ui.Text(c.ID)
	status, why := out.kind.Status(c.Status), ui.Text(c.Why())
	switch {
	case out.live != nil:
		out.show(c, c.From != nil || out.isLoaded)
		return nil
	case out.stream != nil:
		return out.stream.Write(out.kind.change(c), []ui.Cell{when, id, ui.Text(cmdutil.Text(c.From)), status, why})
	case out.accessible:
		return out.deps.Line(out.spoken(c)...)
	case why.Text == "":
		return out.deps.Line(when, id, status)
	}
	return out.deps.Line(when, id, status, why)
}

// completeTimeout bounds the reads for a line, which holds up the next one.
const completeTimeout = 3 * time.Second

// spoken are the cells of a change for a screen reader: all that a row of the live view shows, and what to do.
func (out *output) spoken(c follow.Change) []ui.Cell {
	if c.Record == nil || c.Partial {
		ctx, cancel := context.WithTimeout(out.ctx, completeTimeout)
		defer cancel()
		if state, err := out.kind.Complete(ctx, out.watch.Service, c.State); err == nil {
			c.Record, c.Until, c.Reasons = state.Record, state.Until, state.Reasons
		}
	}
	turn := out.kind.turnOf(c)
	cells := []ui.Cell{
		ui.Text(cmdutil.TimeIn(c.Since, out.zone)), ui.Text(c.ID),
		ui.Text(out.kind.Describe(c.Record, out.watch.View.ShowPersonal)),
		out.kind.Status(c.Status), ui.Text("turn: " + turn.String() + "."),
	}
	if !c.Until.IsZero() {
		left := live.Left(c.Until, out.deps.ServiceNow())
		cells = append(cells, ui.Text("Until "+cmdutil.TimeIn(c.Until, out.zone)+", "+left+"."))
	}
	if why := c.Why(); why != "" {
		cells = append(cells, ui.Text(why))
	}
	if turn.NeedsPerson() {
		step := out.kind.Steps(c.Status, c.ID, isReference(out.watch.Service))[0]
		cells = append(cells, ui.Text("To do: "+out.deps.NextStep(step.With(""))+" ("+step.Note+")"))
	}
	return slices.DeleteFunc(cells, func(c ui.Cell) bool { return c.Text == "" })
}

// loaded is called when the first statuses have been read. From then on it reads what the rows lack. Before, each of
// these requests would delay the list.
func (out *output) loaded(ctx context.Context) {
	if out.isLoaded = true; out.live != nil {
		out.live.Loaded()
		out.reader.Go(func() { out.readLacking(ctx) })
	}
}

// setTrouble shows that the service does not answer. Nil means that it answers again.
func (out *output) setTrouble(err error) {
	switch {
	case out.live == nil:
		out.deps.Trouble(err)
	case err == nil:
		out.live.SetTrouble("")
	default:
		what, why := cmdutil.Trouble(err)
		out.live.SetTrouble("The service " + what + ": " + why + ".")
	}
}

// setPolling shows that the statuses are polled because the event feed does not work. Nil means that it works again.
func (out *output) setPolling(why error) {
	if why == nil {
		if out.live != nil {
			out.live.SetPolled("")
		}
		out.note("The event feed works again.")
		return
	}
	if out.live != nil {
		out.live.SetPolled(fmt.Sprintf("polled every %s", out.interval))
	}
	out.notify(out.deps.Notef,
		"The event feed does not work: %s. The statuses are read every %s; one that lasts shorter is not seen.",
		cmdutil.Reason(why), out.interval)
}

func (out *output) note(text string) { out.notify(out.deps.Notef, "%s", text) }

func (out *output) warn(format string, args ...any) { out.notify(out.deps.Warnf, format, args...) }

// notify shows a notice in the live view while that is open, and prints it else.
func (out *output) notify(printf func(string, ...any), format string, args ...any) {
	if out.live != nil && !out.closed.Load() {
		out.live.Note(fmt.Sprintf(format, args...))
		return
	}
	printf(format, args...)
}

// close ends the output and returns err, which explains how the watch ended, or else its own error. If the watch failed
// before it printed anything, the stream is left to the problem document. Of several subjects it says how many have
// which status.
func (out *output) close(s follow.Summary, err error) error {
	if out.stream != nil && (out.begun || err == nil) {
		err = cmp.Or(err, out.stream.Close())
	}
	if all := slices.Concat(s.Reached, s.Failed, s.Waiting); len(all) > 1 || len(all) > 0 && out.live != nil {
		out.deps.Notef("%s: %s.", out.kind.Count(len(all)), out.kind.countText(all...))
	}
	return err
}
