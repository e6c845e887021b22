package watchui

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/follow"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/ui"
)

// An output shows the changes: in the live view, in the format of -o, or else as lines. At a terminal, and for people
// who use a screen reader, the first lines are in groups by whose turn it is.
type output struct {
	deps       *cmdutil.Deps
	kind       Kind
	stream     *ui.Stream  // nil without -o
	view       *view       // nil without a live view
	viewClosed atomic.Bool // notices go to standard error again
	begun      bool
	several    bool            // more than one subject may be watched
	grouped    bool            // lines are in groups
	isLoaded   bool            // the first statuses have been read
	held       []follow.Change // first statuses that are printed in groups when all have been read
	err        error           // of printing the groups

	mu      sync.Mutex
	trouble string // what the service does in place of answering; empty: it answers
}

func (o *Options) newOutput(ctx context.Context, d *cmdutil.Deps, kind Kind) (*output, error) {
	printer, err := d.Printer(ctx)
	if err != nil {
		return nil, err
	}
	out := &output{deps: d, kind: kind, several: o.All || len(o.ids) > 1 || o.from != ""}
	switch {
	case printer.Format() != ui.FormatTable || d.Options.JQ != "":
		out.stream = printer.Stream([]ui.Column{
			{Header: "When", Name: "occurredAt"}, {Header: kind.Noun, Name: "subjectId"}, {Header: "From", Name: "from"},
			{Header: "To", Name: "to"}, {Header: "Reasons", Name: "reasons"},
		})
	case !o.accessible:
		out.view = newView(d, o, kind)
	}
	out.grouped = out.stream == nil && out.view == nil && out.several && (o.accessible || d.OutTTY)
	return out, nil
}

// release gives the keyboard back.
func (out *output) release() {
	if out.view != nil {
		_ = out.view.release() // nothing is read from it any more
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

// change shows a change. The engine does not call it concurrently.
func (out *output) change(change cmdutil.Change, c follow.Change) error {
	out.begun = true
	if c.Since.After(out.deps.ServiceNow()) { // the clock of a sandbox has been moved
		out.deps.SetServiceTime(c.Since)
	}
	switch {
	case out.view != nil:
		out.view.change(c, out.isLoaded)
		return nil
	case out.stream != nil:
		return out.stream.Write(change, []ui.Cell{ui.Text(cmdutil.Time(c.Since)), ui.Text(c.ID),
			ui.Text(cmdutil.Text(c.From)), out.kind.Status(c.Status), ui.Text(c.Why())})
	case out.grouped && !out.isLoaded:
		out.held = append(out.held, c)
		return nil
	case out.grouped && c.From == nil:
		return cmp.Or(out.err, out.line(c, ui.Text("new")))
	case out.grouped:
		return cmp.Or(out.err, out.line(c, ui.Text("was "+*c.From))) // a reader may have forgotten it
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

// mostIdle is how many subjects of a group are listed on which no person has to act. More are only counted.
const mostIdle = 20

// headings begin the groups.
var headings = map[payments.Turn]string{
	payments.TurnYou: "You have to act", payments.TurnApplicant: "The applicant has to act",
	payments.TurnReviewer: "A reviewer at the service has to act", payments.TurnFailed: "Failed",
	payments.TurnProvider: "The service works on it", payments.TurnDone: "Done",
}

// printGroups prints what is held back in groups, in each of them the longest in their status first.
func (out *output) printGroups() error {
	slices.SortStableFunc(out.held, func(x, y follow.Change) int { return x.Since.Compare(y.Since) })
	for _, turn := range out.kind.Turns {
		group := slices.DeleteFunc(slices.Clone(out.held), func(c follow.Change) bool { return out.kind.turnOf(c) != turn })
		heading := fmt.Sprintf("%s: %d", headings[turn], len(group))
		switch {
		case len(group) == 0:
			continue
		case !turn.NeedsPerson() && len(group) > mostIdle:
			heading, group = heading+", not listed", nil
		}
		if err := out.deps.Line(ui.Toned(ui.Bold, heading)); err != nil {
			return err
		}
		for _, c := range group {
			if err := out.line(c); err != nil {
				return err
			}
		}
	}
	out.held = nil
	return nil
}

// loaded is called when the first statuses have been read.
func (out *output) loaded(present follow.Summary) {
	out.isLoaded = true
	switch {
	case out.view != nil:
		out.view.live.Loaded()
		close(out.view.loaded)
	case out.grouped:
		out.err = cmp.Or(out.printGroups(), out.deps.Line(ui.Text(out.totals(present))))
	}
}

// totals counts the subjects by status, such as "3 accounts: 2 under_review, 1 approved."
func (out *output) totals(s follow.Summary) string {
	text := out.kind.count(len(all(s)))
	if counts := out.kind.countText(all(s)...); counts != "" {
		text += ": " + counts
	}
	return text + "."
}

// setTrouble shows that the service does not answer; nil, that it answers again.
func (out *output) setTrouble(err error) {
	trouble := ""
	if err != nil {
		what, why := cmdutil.Trouble(err)
		trouble = "the service " + what + ": " + why
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
		err = cmp.Or(err, out.stream.Close())
	}
	err = cmp.Or(err, out.err, out.printGroups())
	if out.view != nil {
		for _, last := range out.view.last {
			err = cmp.Or(err, out.line(last))
		}
	}
	out.summarize(summary, err)
	return err
}

// summarize prints how many of several subjects have which status.
func (out *output) summarize(s follow.Summary, err error) {
	isEmpty := len(all(s)) == 0
	switch {
	case !out.several || isEmpty && err != nil && !s.Unlisted:
		return
	case isEmpty && s.Unlisted:
		text := strings.ToUpper(out.kind.Nouns[:1]) + out.kind.Nouns[1:] + ": nothing was read"
		if outage := out.outage(); outage != "" {
			text += ", because " + outage
		}
		out.deps.Notef("%s.", text)
		return
	}
	out.deps.Notef("%s", out.totals(s))
	if s.Unlisted {
		out.deps.Notef("The list of %s was not read to its end.", out.kind.Nouns)
	}
}
