package watchui

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/follow"
	"github.com/payctl/payctl/internal/payments"
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
	several    bool          // more than one subject may be watched
	all        bool          // with those that appear during the watch
	grouped    *groupedLines // nil: each line is printed at once
	err        error         // of printing the groups

	mu       sync.Mutex
	isLoaded bool // the first statuses have been read
	began    time.Time
	changes  changeCounts
	trouble  string // what the service does in place of answering; empty: it answers
}

func (o *Options) newOutput(ctx context.Context, d *cmdutil.Deps, kind Kind) (*output, error) {
	printer, err := d.Printer(ctx)
	if err != nil {
		return nil, err
	}
	out := &output{
		deps: d, kind: kind, until: o.until, several: o.All || len(o.ids) > 1 || o.from != "", all: o.All,
		began: d.Now(), changes: changeCounts{},
	}
	switch {
	case printer.Format() != ui.FormatTable || d.Options.JQ != "":
		out.stream = printer.Stream([]ui.Column{
			{Header: "When", Name: "occurredAt"}, {Header: kind.Noun, Name: "subjectId"}, {Header: "From", Name: "from"},
			{Header: "To", Name: "to"}, {Header: "Reasons", Name: "reasons"},
		})
	case !o.accessible:
		out.view = newView(d, o, kind)
	}
	if out.stream == nil && out.view == nil && out.several && (o.accessible || d.OutTTY) {
		out.grouped = &groupedLines{out: out, held: map[string]follow.Change{}}
	}
	return out, nil
}

// release gives the keyboard back.
func (out *output) release() {
	if out.view != nil {
		out.view.live.Close()
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
	if c.Since.After(out.deps.ServiceNow()) { // the clock of a sandbox has been moved
		out.deps.SetServiceTime(c.Since)
	}
	out.mu.Lock()
	isNew := out.all && out.isLoaded
	out.changes.add(c, isNew)
	out.mu.Unlock()
	switch {
	case out.view != nil:
		out.view.change(c, isNew)
		return nil
	case out.stream != nil:
		return out.stream.Write(change, []ui.Cell{ui.Text(cmdutil.Time(c.Since)), ui.Text(c.ID),
			ui.Text(cmdutil.Text(c.From)), out.kind.Status(c.Status), ui.Text(c.Why())})
	}
	if out.grouped != nil {
		return cmp.Or(out.err, out.grouped.change(c))
	}
	return out.line(c)
}

// line prints a change: when, the identifier, the status, what more is given, at a terminal what else names the
// subject, and why.
func (out *output) line(c follow.Change, more ...ui.Cell) error {
	line := append([]ui.Cell{ui.Toned(ui.Dim, cmdutil.Time(c.Since)), ui.Text(c.ID), out.kind.Status(c.Status)}, more...)
	if out.deps.OutTTY && out.kind.Words != nil {
		line = append(line, out.kind.Words(c.Record)...)
	}
	if why := c.Why(); why != "" {
		line = append(line, ui.Text(why))
	}
	return out.deps.Line(line...)
}

// loaded is called when the first statuses have been read.
func (out *output) loaded(present follow.Summary) {
	out.mu.Lock()
	out.isLoaded, out.began = true, out.deps.Now()
	out.mu.Unlock()
	if out.view != nil {
		out.view.live.Loaded()
		close(out.view.loaded)
	}
	if out.grouped != nil {
		out.err = out.grouped.print()
		out.err = cmp.Or(out.err, out.deps.Line(ui.Text(out.kind.statusesText(present))))
	}
}

// setTrouble shows that the service does not answer; nil, that it answers again.
func (out *output) setTrouble(err error) {
	trouble := ""
	if err != nil {
		trouble = troubleText(err)
	}
	out.mu.Lock()
	out.trouble = trouble
	out.mu.Unlock()
	switch {
	case out.view != nil:
		out.view.live.SetTrouble(payments.Sentence(trouble))
	case err != nil:
		out.deps.Trouble(err)
	default:
		out.deps.Recovered()
	}
}

// outage is what the service does in place of answering; empty if it answers.
func (out *output) outage() string {
	out.mu.Lock()
	defer out.mu.Unlock()
	return out.trouble
}

func (out *output) gone(id string) {
	if out.view != nil {
		out.view.live.Remove(id)
		out.view.records.remove(id)
	}
	out.note("%s has been deleted.", id)
}

// waitsForPerson tells that nothing goes on until a person acts, and what to run. The live view shows on whom each row
// waits, and its keys act.
func (out *output) waitsForPerson(text string) {
	if out.view != nil {
		text = "Everything that is waited for waits for a person."
	}
	out.note("%s", text)
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

// close ends the output and returns err, which explains how the watch ended, or else its own error. If the watch failed
// before it printed anything, the stream is left to the problem document.
func (out *output) close(summary follow.Summary, err error) error {
	if out.stream != nil && (out.begun || err == nil) {
		if closing := out.stream.Close(); err == nil {
			err = closing
		}
	}
	if out.grouped != nil {
		err = cmp.Or(err, out.err, out.grouped.print())
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
