package watchui

import (
	"context"
	"fmt"
	"io"
	"strings"
	"sync/atomic"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/follow"
	"github.com/payctl/payctl/internal/ui"
)

// An output shows the changes: in the live view, in the format of -o, or else as lines.
type output struct {
	deps       *cmdutil.Deps
	kind       Kind
	until      []string
	stream     *ui.Stream  // nil without -o
	view       *view       // nil without a live view
	viewClosed atomic.Bool // notices go to standard error again
	begun      bool
	several    bool // more than one subject may be watched
}

func (o *Options) newOutput(ctx context.Context, d *cmdutil.Deps, kind Kind) (*output, error) {
	printer, err := d.Printer(ctx)
	if err != nil {
		return nil, err
	}
	out := &output{deps: d, kind: kind, until: o.until, several: o.All || len(o.ids) > 1 || o.from != ""}
	switch {
	case printer.Format() != ui.FormatTable || d.Options.JQ != "":
		out.stream = printer.Stream([]ui.Column{
			{Header: "When", Name: "occurredAt"}, {Header: kind.Noun, Name: "subjectId"}, {Header: "From", Name: "from"},
			{Header: "To", Name: "to"}, {Header: "Reasons", Name: "reasons"},
		})
	case !o.accessible && d.CanRedraw() && !d.Options.Verbose:
		out.view = newView(d, o, kind) // nil when there is no keyboard
	}
	return out, nil
}

// release gives the keyboard back.
func (out *output) release() {
	if out.view != nil {
		_ = out.view.releaseKeys() // nothing is read from it any more
	}
}

// run runs a watch, under the live view if there is one.
func (out *output) run(
	ctx context.Context, watch func(context.Context) (follow.Summary, error),
) (follow.Summary, error) {
	if out.view == nil {
		return watch(ctx)
	}
	defer out.viewClosed.Store(true)
	return out.view.run(ctx, watch)
}

// execOutput is where the programs of --exec write; nil under a live view, which they would overwrite.
func (out *output) execOutput() io.Writer {
	if out.view != nil {
		return nil
	}
	return out.deps.Err
}

func (out *output) change(change cmdutil.Change, c follow.Change) error {
	out.begun = true
	switch {
	case out.view != nil:
		out.view.change(c)
		return nil
	case out.stream != nil:
		return out.stream.Write(change, []ui.Cell{ui.Text(cmdutil.Time(c.Since)), ui.Text(c.ID),
			ui.Text(cmdutil.Text(c.From)), out.kind.Status(c.Status), ui.Text(c.Why())})
	}
	return out.line(c)
}

func (out *output) line(c follow.Change) error {
	line := []ui.Cell{ui.Toned(ui.Dim, cmdutil.Time(c.Since)), ui.Text(c.ID), out.kind.Status(c.Status)}
	if why := c.Why(); why != "" {
		line = append(line, ui.Text(why))
	}
	return out.deps.Line(line...)
}

func (out *output) trouble(err error) {
	if out.view != nil {
		out.view.setTrouble(err)
		return
	}
	out.deps.Trouble(err)
}

func (out *output) recovered() {
	if out.view != nil {
		out.view.setTrouble(nil)
		return
	}
	out.deps.Recovered()
}

func (out *output) gone(id string) {
	if out.view != nil {
		out.view.live.Remove(id)
	}
	out.note("%s has been deleted.", id)
}

func (out *output) note(format string, args ...any) { out.notify(out.deps.Notef, format, args...) }

func (out *output) warn(format string, args ...any) { out.notify(out.deps.Warnf, format, args...) }

// notify shows a notice in the live view while that is open, and prints it else.
func (out *output) notify(printf func(string, ...any), format string, args ...any) {
	if out.view != nil && !out.viewClosed.Load() {
		out.view.live.Note(fmt.Sprintf(format, args...))
		return
	}
	printf(format, args...)
}

// summarize prints how many of several subjects ended how.
func (out *output) summarize(s follow.Summary, err error) {
	if none := len(s.Reached)+len(s.Failed)+len(s.Waiting) == 0; !out.several || none && err != nil {
		return
	}
	var parts []string
	add := func(n int, what string) {
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, what))
		}
	}
	if len(out.until) > 0 {
		add(len(s.Reached), "reached "+strings.Join(out.until, " or "))
		add(len(s.Failed), "failed")
		add(len(s.Waiting), "still waited for")
	} else {
		add(len(s.Waiting), "watched")
	}
	if s.Changes > 0 {
		parts = append(parts, cmdutil.Count(s.Changes, "change(s)"))
	}
	if len(parts) == 0 {
		parts = []string{"none"}
	}
	out.deps.Notef("%s%s: %s.", strings.ToUpper(out.kind.Nouns[:1]), out.kind.Nouns[1:], strings.Join(parts, ", "))
}

// close ends the output and returns err, which explains how the watch ended, or else its own error. If the watch failed
// before it printed anything, the stream is left to the problem document.
func (out *output) close(summary follow.Summary, err error) error {
	if out.stream != nil && (out.begun || err == nil) {
		if closing := out.stream.Close(); err == nil {
			err = closing
		}
	}
	if out.view != nil {
		for _, last := range out.view.lastChanges() {
			if printing := out.line(last); err == nil {
				err = printing
			}
		}
	}
	out.summarize(summary, err)
	return err
}
