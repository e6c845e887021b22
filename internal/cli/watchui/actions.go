package watchui

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"runtime"
	"strings"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/follow"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/ui"
	"github.com/payctl/payctl/internal/ui/live"
)

// A Dialog asks the user of the live view; see live.Dialog.
type Dialog interface {
	Choose(ctx context.Context, options []live.Option, titles ...string) (int, error)
	Line(ctx context.Context, initial string, complete func(text string) []string, titles ...string) (string, error)
	Confirm(ctx context.Context, lines ...string) error
	Copy(text string)
	Personal() bool
}

// Actions are what the live view can do with the subjects of a kind. Without Read there are no actions.
type Actions struct {
	// FileName is how the names of exported files begin.
	FileName string
	// Read reads a subject, as the command that shows one prints it with -o json.
	Read func(ctx context.Context, id string) (any, error)
	// Link returns the web page of a subject that Read has returned; empty: it has none now. Nil: none ever has one.
	Link func(subject any) string
	// Email reads the e-mail address of a subject; nil: there is none.
	Email func(ctx context.Context, id string) (string, error)
	// Command is the command that shows a subject.
	Command func(id string) string
	// Reply writes what a person is told about a subject; with the name only if personal is set.
	Reply func(ctx context.Context, id string, personal bool) (string, error)
	// Submit asks for what a subject requires and submits it; nil: nothing can be submitted.
	Submit func(ctx context.Context, dialog Dialog, id string) (done string, err error)
	// Following returns the statuses that can follow one, and Override has a sandbox give a subject one of them.
	Following func(status string) []string
	Override  func(ctx context.Context, sandbox payments.Sandbox, id, status string) error
}

// actions are the actions of a live view.
type actions struct {
	Actions
	deps        *cmdutil.Deps
	kind        Kind
	isReference func() bool
	// exec runs the program of --exec; nil if there is none.
	exec    *executor
	trusted map[string]bool // schemes and hosts whose links are opened without a question
	// unknown is the error of a write that the end of the view has interrupted, so that its outcome is not known.
	unknown error
}

// A run acts on rows. It is Run of a live.Action, with an interface in place of the dialog.
type run func(ctx context.Context, dialog Dialog, rows []live.Row) (done string, err error)

// all returns the actions for the view.
func (a *actions) all() []live.Action {
	if a.Read == nil {
		return nil
	}
	var all []live.Action
	add := func(key, name string, several bool, run run) {
		all = append(all, live.Action{Key: key, Name: name, Several: several, Run: a.explained(run)})
	}
	if a.Link != nil {
		add("o", "open link", false, a.openLink)
	}
	if a.Submit != nil {
		add("s", "submit", false, func(ctx context.Context, dialog Dialog, rows []live.Row) (string, error) {
			return a.Submit(ctx, dialog, rows[0].ID)
		})
	}
	add("y", "copy", true, a.copy)
	add("!", "run program", true, a.runProgram)
	add("a", "sandbox", true, a.override)
	add("e", "export", true, a.exportRows)
	all[len(all)-1].AllShown = true
	return all
}

// explained has the error of an action say what to do next.
func (a *actions) explained(run run) func(context.Context, *live.Dialog, []live.Row) (string, error) {
	return func(ctx context.Context, dialog *live.Dialog, rows []live.Row) (string, error) {
		done, err := run(ctx, dialog, rows)
		if ctx.Err() != nil && payments.IsKind(err, payments.KindOutcomeUnknown) {
			a.unknown = err
		}
		if err == nil || errors.Is(err, live.ErrCancelled) || ctx.Err() != nil {
			return ui.Sanitize(done), err
		}
		return "", errors.New(ui.SanitizeLines(strings.Join(Explain(a.deps, err), "\n")))
	}
}

// Following returns those of some statuses that can follow one, for Actions.Following.
func Following[S interface {
	~string
	CanBecome(next S) bool
}](statuses []string, status string) (following []string) {
	for _, next := range statuses {
		if S(status).CanBecome(S(next)) {
			following = append(following, next)
		}
	}
	return following
}

// Explain returns what an error says, and in further lines what to do next. None has a line break of the service.
func Explain(deps *cmdutil.Deps, err error) []string {
	lines := []string{ui.Sanitize(payments.Sentence(err.Error()))}
	var steps []string
	if own, ok := errors.AsType[*cmdutil.Error](err); ok {
		steps = own.Next
	} else if problem, ok := errors.AsType[*payments.ProblemError](err); ok && problem.Next != "" {
		steps = []string{problem.Next}
	}
	for _, step := range steps {
		lines = append(lines, ui.Sanitize(payments.Sentence("Next: "+deps.WithServiceFlags(step))))
	}
	return lines
}

// openLink opens the link of the first row, or copies it where there is no desktop. A host is asked about once.
func (a *actions) openLink(ctx context.Context, dialog Dialog, rows []live.Row) (string, error) {
	link, host, err := a.link(ctx, rows[0].ID)
	if err != nil {
		return "", err
	}
	const copied = "%w. The link was copied instead"
	command, err := findBrowser(runtime.GOOS, a.deps.Getenv, exec.LookPath)
	switch {
	case err != nil:
		dialog.Copy(link)
		return "", fmt.Errorf(copied, err)
	case command == nil:
		dialog.Copy(link)
		return "Copied the link, since there is no desktop here.", nil
	}
	scheme, _, _ := strings.Cut(link, ":")
	if origin := scheme + "://" + host; !a.trusted[origin] { // http is another one, which others on the way can change
		const question = "Open this page in a browser? You are asked once for each host."
		if err := dialog.Confirm(ctx, question, "Host: "+host, link); err != nil {
			return "", err
		}
		a.trusted[origin] = true
	}
	if err := openWith(ctx, command, link); err != nil {
		dialog.Copy(link)
		return "", fmt.Errorf(copied, err)
	}
	return "Opened the page at " + host + ".", nil
}

// link reads the link of a subject.
func (a *actions) link(ctx context.Context, id string) (link, host string, err error) {
	subject, err := a.Read(ctx, id)
	if err != nil {
		return "", "", err
	}
	text := a.Link(subject)
	if text == "" {
		return "", "", errors.New("there is no link in this status")
	}
	if link, host, err = CheckLink(text); err != nil {
		return "", "", fmt.Errorf("the link of the service is not used: %w. It is %s", err, text)
	}
	return link, host, nil
}

// count is a number of subjects in words.
func (a *actions) count(n int) string {
	return cmdutil.Count(n, strings.ToLower(a.kind.Noun)+"(s)")
}

// mostNamed is how many rows a confirmation names: more than a person reads.
const mostNamed = 50

// named returns a question, and below it the rows that it is about: the filter may hide marked ones.
func (a *actions) named(rows []live.Row, question string) []string {
	lines := []string{question}
	for _, row := range rows[:min(len(rows), mostNamed)] {
		lines = append(lines, row.ID+" "+row.Status.Text)
	}
	if more := len(rows) - mostNamed; more > 0 {
		lines = append(lines, fmt.Sprintf("and %d more", more))
	}
	return lines
}

// runProgram runs the program of --exec for rows. It gets the present status as a change from none, as at the
// beginning of a watch.
func (a *actions) runProgram(ctx context.Context, dialog Dialog, rows []live.Row) (string, error) {
	if a.exec == nil {
		return "", errors.New("there is no program: start with --exec COMMAND")
	}
	question := "Run the program " + a.exec.path + " for " + a.count(len(rows)) + "?"
	if err := dialog.Confirm(ctx, a.named(rows, question)...); err != nil {
		return "", err
	}
	var changes []cmdutil.Change
	var unread error
	for _, row := range rows {
		state, err := a.kind.Subjects.Read(ctx, row.ID) // a row does not have the codes of the reasons
		if err != nil {
			unread = cmp.Or(unread, fmt.Errorf("%s cannot be read: %w", row.ID, err))
			continue
		}
		changes = append(changes, a.kind.change(follow.Change{State: state}))
	}
	failed, first, err := a.exec.runAll(ctx, changes)
	failed, first = failed+len(rows)-len(changes), cmp.Or(unread, first)
	switch {
	case err != nil:
		return "", err
	case failed > 0:
		return "", fmt.Errorf("the program ran for %s, %d failed: %w", a.count(len(rows)), failed, first)
	}
	return "The program ran for " + a.count(len(rows)) + ".", nil
}

// override has the sandbox give rows another status, by one transition of the state machine.
func (a *actions) override(ctx context.Context, dialog Dialog, rows []live.Row) (string, error) {
	if !a.isReference() {
		return "", errors.New("this service has no sandbox; only payctl serve has one")
	}
	var following []string // statuses, each once
	able := map[string][]live.Row{}
	for _, row := range rows {
		for _, status := range a.Following(row.Status.Text) {
			if able[status] == nil {
				following = append(following, status)
			}
			able[status] = append(able[status], row)
		}
	}
	if len(following) == 0 {
		return "", errors.New("no status can follow " + rows[0].Status.Text)
	}
	title := "Sandbox: " + rows[0].ID + " is " + rows[0].Status.Text + ". What next?"
	if len(rows) > 1 {
		title = "Sandbox: what next for " + a.count(len(rows)) + "?"
	}
	options := make([]live.Option, len(following))
	for i, status := range following {
		if options[i] = (live.Option{Key: fmt.Sprint(i + 1), Label: status}); len(able[status]) < len(rows) {
			options[i].Label += fmt.Sprintf(" (possible for %d)", len(able[status]))
		}
	}
	chosen, err := dialog.Choose(ctx, options, title)
	if err != nil {
		return "", err
	}
	status := following[chosen]
	if len(able[status]) > 1 {
		question := "Sandbox: change " + a.count(len(able[status])) + " to " + status + "?"
		if err := dialog.Confirm(ctx, a.named(able[status], question)...); err != nil {
			return "", err
		}
	}
	sandbox, err := a.deps.Sandbox()
	if err != nil {
		return "", err
	}
	for i, row := range able[status] {
		if err := a.Override(ctx, sandbox, row.ID, status); err != nil {
			return "", fmt.Errorf("%s did not change, %d of %d did: %w", row.ID, i, len(able[status]), err)
		}
	}
	return "Sandbox: " + a.count(len(able[status])) + " changed to " + status + ".", nil
}
