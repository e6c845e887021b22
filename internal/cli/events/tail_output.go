package events

import (
	"context"
	"fmt"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/ui"
)

// An output shows events: in the live view, in the format of -o, or else as lines.
type output struct {
	deps   *cmdutil.Deps
	limit  int
	view   *view                  // nil without a live view
	stream *cmdutil.Stream[entry] // nil without -o
	begun  bool
}

func newOutput(ctx context.Context, d *cmdutil.Deps, o *tailOptions) (*output, error) {
	printer, err := d.FeedPrinter(ctx)
	if err != nil {
		return nil, err
	}
	out := &output{deps: d, limit: o.limit}
	switch {
	case printer.Format() != ui.FormatTable:
		out.stream = cmdutil.NewStream(printer, columns)
	case !o.accessible:
		out.view = newView(d)
	}
	return out, nil
}

// release gives the keyboard back.
func (o *output) release() {
	if o.view != nil {
		o.view.screen.Close()
	}
}

// run follows the feed, under the live view if there is one.
func (o *output) run(ctx context.Context, follow func(context.Context) error) error {
	if o.view == nil {
		return follow(ctx)
	}
	return o.view.run(ctx, o.limit, follow)
}

// note shows a notice in the live view, where standard error would overwrite it.
func (o *output) note(format string, args ...any) {
	if o.view != nil {
		o.view.screen.Note(fmt.Sprintf(format, args...))
		return
	}
	o.deps.Notef(format, args...)
}

func (o *output) trouble(err error) {
	if o.view != nil {
		o.view.screen.Trouble(err)
		return
	}
	o.deps.Trouble(err)
}

func (o *output) recovered() {
	if o.view != nil {
		o.view.screen.Recovered()
		return
	}
	o.deps.Recovered()
}

func (o *output) print(e payments.Event) error {
	o.begun = true
	switch {
	case o.view != nil:
		o.view.add(e)
		return nil
	case o.stream != nil:
		return o.stream.WritePage([]entry{entryOf(e)}, false)
	}
	return printLine(o.deps, e)
}

// close ends the output and returns err, or else its own error. If the feed failed before anything was printed, the
// stream is left to the problem document.
func (o *output) close(err error) error {
	var closing error
	switch {
	case o.view != nil:
		closing = o.view.leave(o.deps)
	case o.stream != nil && (o.begun || err == nil):
		closing = o.stream.Close()
	}
	if err == nil {
		err = closing
	}
	return err
}

// printLine prints an event as a line, without its id.
func printLine(d *cmdutil.Deps, e payments.Event) error {
	return d.Line(cmdutil.Cells(columns[:len(columns)-1], entryOf(e))...)
}
