package desk

import (
	"context"
	"fmt"
	"io"
	"strings"
	"sync/atomic"

	"github.com/payctl/payctl/internal/cli/deps"
	"github.com/payctl/payctl/internal/term"
	"github.com/payctl/payctl/internal/watch"
)

// An output is where the changes go: the live view, a timestamped line each, or what -o asks for.
type output struct {
	deps   *deps.Deps
	kind   Kind
	until  []string
	stream *term.Stream // nil for lines
	view   *view        // nil without a live view
	closed atomic.Bool  // the live view is, so that what is left to tell goes where it would without one
	begun  bool
	many   bool
}

// shows says whether a live view is on the screen.
func (out *output) shows() bool { return out.view != nil && !out.closed.Load() }

func (o *Options) newOutput(ctx context.Context, d *deps.Deps, kind Kind) (*output, error) {
	printer, err := d.Printer(ctx)
	if err != nil {
		return nil, err
	}
	out := &output{deps: d, kind: kind, until: o.until, many: o.All || len(o.ids) > 1 || o.from != ""}
	switch {
	case printer.Format() != term.FormatTable || d.Options.JQ != "":
		out.stream = printer.Stream([]term.Column{
			{Header: "When", Name: "occurredAt"}, {Header: kind.Subject, Name: "subjectId"}, {Header: "From", Name: "from"},
			{Header: "To", Name: "to"}, {Header: "Reasons", Name: "reasons"},
		})
	case !o.accessible && d.CanRedraw() && !d.Options.Verbose:
		out.view = newView(d, o, kind) // nil when there is no keyboard
	}
	return out, nil
}

// release gives back what the live view has taken.
func (out *output) release() {
	if out.view != nil {
		_ = out.view.done() // there is nothing left to read
	}
}

// run runs a watch, beneath the live view where there is one.
func (out *output) run(ctx context.Context, watching func(context.Context) (watch.Summary, error)) (watch.Summary, error) {
	if out.view != nil {
		defer out.closed.Store(true)
		return out.view.run(ctx, watching)
	}
	return watching(ctx)
}

// ofHooks is where the programs of --exec write to: beside the data, and never into a live view.
func (out *output) ofHooks() io.Writer {
	if out.view != nil {
		return nil
	}
	return out.deps.Err
}

func (out *output) change(change deps.Change, c watch.Change) error {
	out.begun = true
	if out.view != nil {
		out.view.change(c)
		return nil
	}
	if out.stream != nil {
		from := ""
		if c.From != nil {
			from = *c.From
		}
		return out.stream.Write(change, []term.Cell{term.Text(deps.Time(c.Since)), term.Text(c.ID),
			term.Text(from), out.kind.Status(c.Status), term.Text(c.Why())})
	}
	return out.line(c)
}

func (out *output) line(c watch.Change) error {
	line := []term.Cell{term.Toned(term.Dim, deps.Time(c.Since)), term.Text(c.ID), out.kind.Status(c.Status)}
	if why := c.Why(); why != "" {
		line = append(line, term.Text(why))
	}
	return out.deps.Line(line...)
}

func (out *output) trouble(err error) {
	if out.view != nil {
		out.view.condition(err)
		return
	}
	out.deps.Trouble(err)
}

func (out *output) recovered() {
	if out.view != nil {
		out.view.condition(nil)
		return
	}
	out.deps.Recovered()
}

func (out *output) gone(id string) {
	if out.view != nil {
		out.view.live.Remove(id)
	}
	out.note("%s is no more.", id)
}

func (out *output) note(format string, args ...any) {
	if out.shows() {
		out.view.note(fmt.Sprintf(format, args...))
		return
	}
	out.deps.Notef(format, args...)
}

func (out *output) warn(format string, args ...any) {
	if out.shows() {
		out.view.note(fmt.Sprintf(format, args...))
		return
	}
	out.deps.Warnf(format, args...)
}

// summarize tells how many of several ended how.
func (out *output) summarize(s watch.Summary, err error) {
	if none := len(s.Reached)+len(s.Badly)+len(s.Waiting) == 0; !out.many || none && err != nil {
		return
	}
	var parts []string
	add := func(n int, what string) {
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, what))
		}
	}
	if len(out.until) > 0 {
		add(len(s.Reached), "came to "+strings.Join(out.until, " or "))
		add(len(s.Badly), "ended otherwise")
		add(len(s.Waiting), "still waited for")
	} else {
		add(len(s.Waiting), "watched")
	}
	if s.Changes > 0 {
		parts = append(parts, deps.Count(s.Changes, "change(s)"))
	}
	if len(parts) == 0 {
		parts = []string{"none"}
	}
	out.deps.Notef("%s%s: %s.", strings.ToUpper(out.kind.Subjects[:1]), out.kind.Subjects[1:], strings.Join(parts, ", "))
}

// close ends the output and passes on how the watch ended. When it failed before there was any, the output is the failure's.
func (out *output) close(summary watch.Summary, err error) error {
	if out.stream != nil && (out.begun || err == nil) {
		if closing := out.stream.Close(); err == nil {
			err = closing
		}
	}
	if out.view != nil {
		for _, last := range out.view.few() {
			if printing := out.line(last); err == nil {
				err = printing
			}
		}
	}
	out.summarize(summary, err)
	return err
}
