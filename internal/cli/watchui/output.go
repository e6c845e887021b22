package watchui

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync/atomic"

	"github.com/payctl/payctl/internal/cli/display"
	"github.com/payctl/payctl/internal/cli/invocation"
	"github.com/payctl/payctl/internal/follow"
	"github.com/payctl/payctl/internal/ui"
	"github.com/payctl/payctl/internal/ui/live"
)

// An output shows the changes: in the live view, in the format of -o, or else as lines.
type output struct {
	deps       *invocation.Deps
	kind       Kind
	stream     *ui.Stream  // nil without -o
	view       *view       // nil without a live view
	viewClosed atomic.Bool // notices go to standard error again
	begun      bool
	several    bool // more than one subject may be watched
	isLoaded   bool // the first statuses have been read
}

func (o *Options) newOutput(ctx context.Context, d *invocation.Deps, kind Kind, several bool) (*output, error) {
	printer, err := d.Printer(ctx)
	if err != nil {
		return nil, err
	}
	out := &output{deps: d, kind: kind, several: several}
	switch {
	case printer.Format() != ui.FormatTable || d.Options.JQ != "":
		out.stream = printer.Stream([]ui.Column{
			{Header: "When", Name: "occurredAt"}, {Header: kind.Noun, Name: "subjectId"}, {Header: "From", Name: "from"},
			{Header: "To", Name: "to"}, {Header: "Reasons", Name: "reasons"},
		})
	case several && !o.accessible && d.InTTY && d.CanRedraw() && !d.Options.Verbose: // which prints a log
		out.view = newView(d, o, kind)
	}
	return out, nil
}

// run runs a watch, under the live view if there is one. Closing the view interrupts a watch that has a goal, or has not
// read its list yet, and ends any other.
func (out *output) run(ctx context.Context, e *follow.Engine, watch func(context.Context) error) error {
	if out.view == nil {
		return watch(ctx)
	}
	err := out.view.run(ctx, watch)
	out.viewClosed.Store(true)
	switch {
	case !errors.Is(err, live.ErrQuit):
		return err
	case len(e.Goal.Wanted) > 0 || !out.isLoaded:
		return ui.ErrInterrupted
	}
	return nil
}

// execOutput is where the programs of --exec write; nil under a live view, which they would overwrite.
func (out *output) execOutput() io.Writer {
	if out.view != nil {
		return nil
	}
	return out.deps.Err
}

// change shows a change. The engine does not call it concurrently.
func (out *output) change(c follow.Change) error {
	out.begun = true
	if c.Since.After(out.deps.ServiceNow()) { // the clock of a sandbox has been moved
		out.deps.SetServiceTime(c.Since)
	}
	when, id, status, why := ui.Text(display.Time(c.Since)), ui.Text(c.ID), out.kind.Status(c.Status), ui.Text(c.Why())
	switch {
	case out.view != nil:
		out.view.change(c, c.From != nil || out.isLoaded)
		return nil
	case out.stream != nil:
		return out.stream.Write(out.kind.change(c), []ui.Cell{when, id, ui.Text(display.Text(c.From)), status, why})
	case why.Text == "":
		return out.deps.Line(when, id, status)
	}
	return out.deps.Line(when, id, status, why)
}

// loaded is called when the first statuses have been read.
func (out *output) loaded() {
	if out.isLoaded = true; out.view != nil {
		out.view.loaded()
	}
}

// setTrouble shows that the service does not answer; nil, that it answers again.
func (out *output) setTrouble(err error) {
	switch {
	case out.view == nil:
		out.deps.Trouble(err)
	case err == nil:
		out.view.live.SetTrouble("")
	default:
		what, why := invocation.Trouble(err)
		out.view.live.SetTrouble("The service " + what + ": " + why + ".")
	}
}

func (out *output) note(text string) { out.notify(out.deps.Notef, "%s", text) }

func (out *output) warn(format string, args ...any) { out.notify(out.deps.Warnf, format, args...) }

// notify shows a notice in the live view while that is open, and prints it else.
func (out *output) notify(printf func(string, ...any), format string, args ...any) {
	if out.view != nil && !out.viewClosed.Load() {
		out.view.live.Note(fmt.Sprintf(format, args...))
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
	if all := slices.Concat(s.Reached, s.Failed, s.Waiting); out.several && len(all) > 0 {
		out.deps.Notef("%s: %s.", out.kind.count(len(all)), out.kind.countText(all...))
	}
	return err
}
