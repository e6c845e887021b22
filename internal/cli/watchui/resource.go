package watchui

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/cli/resource"
	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/follow"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/shell"
	"github.com/payctl/payctl/internal/ui"
	"github.com/payctl/payctl/internal/ui/live"
)

// A Resource is what can be watched: Accounts or Transfers.
type Resource struct {
	// Noun is the singular, such as "Account", and Nouns the plural, such as "accounts".
	Noun, Nouns string
	// Title is the heading of the live view.
	Title string
	// IDNames are the names of columns and JSON members that hold an identifier, the most specific first.
	IDNames []string
	// EventType is the type of the changes that are printed, and Events are those that tell a status.
	EventType payments.EventType
	Events    []payments.EventType
	// Goal is the status to wait for without --until.
	Goal string
	// OneStatus and Statuses are the placeholders of one status and of several in a usage.
	OneStatus, Statuses string
	// Operation and Member name the list operation's filter by status; the contract has the known statuses there.
	Operation *contract.Operation
	Member    string

	CanReach  func(status, other string) bool
	HasPassed func(status, other string) bool // nil means that a passed status does not count as reached
	// Status returns a status in its colour.
	Status func(status string) ui.Cell
	// Turn tells who has to act on a subject with this status, and Turns are all that may have to, the most urgent
	// first.
	Turn  func(status string) payments.Turn
	Turns []payments.Turn
	// Find returns the id of the subject with a name: its id, or what else the get command takes.
	Find func(ctx context.Context, d *cmdutil.Deps, service payments.Reads, name string) (id string, err error)
	// Steps are commands for a subject that waits for a person: what it waits for and, at a reference service, how it
	// goes on.
	Steps func(status, id string, isReference bool) []shell.Hint
	// Describe names a record to a person, such as by the name of the account. It is empty if nothing is known.
	Describe func(record any, personal bool) string

	// StateOf returns the state that an event tells.
	StateOf func(payments.Event) follow.State
	// Read reads the state of a subject.
	Read func(ctx context.Context, service payments.Service, known follow.State) (follow.State, error)
	// Complete reads what the list or an event did not tell of a subject: its record and, of a partial state, the
	// reasons and the deadline.
	Complete func(ctx context.Context, service payments.Service, known follow.State) (follow.State, error)
}

// A List reads a page of states. Next is the cursor of the next page, empty after the last.
type List = func(ctx context.Context, cursor string) (page []follow.State, next string, err error)

// subjects are those of a service that a list has.
func (k *Resource) subjects(service payments.Service, list List) follow.Subjects {
	return follow.Subjects{
		Events: k.Events, Of: k.StateOf, List: list,
		Read: func(ctx context.Context, known follow.State) (follow.State, error) {
			return k.Read(ctx, service, known)
		},
	}
}

// Column is a column of the live view with a member of a resource's table, whose documents are the data of the rows. It
// is masked unless personal data is shown; masked is nil where there is none.
func Column[T any](table resource.Table[T], name string, masked func(T) T) live.Column {
	const least = 9 // columns that are of use
	member := table.Member(name)
	column := live.Column{Column: member.Column, Cell: func(row *live.Row, at live.Moment) ui.Cell {
		document, _ := row.Data.(T)
		if masked != nil && !at.Personal {
			document = masked(document)
		}
		if cell := member.Show(document); !cell.Absent {
			return cell
		}
		return ui.Cell{}
	}}
	column.Least, column.Keep = least, false
	return column
}

// checkGoal returns the mistakes in the statuses of a flag, and in --interval.
func (k *Resource) checkGoal(d *cmdutil.Deps, flag string, statuses []string, interval time.Duration) error {
	if interval == 0 {
		return cmdutil.Usage("--interval must be more than zero")
	}
	return cmdutil.CheckStatuses(d, flag, statuses, k.Operation.Enum(k.Member))
}

// goal is what a watch until some statuses waits for.
func (k *Resource) goal(until []string) follow.Goal {
	return follow.Goal{Wanted: until, CanReach: k.CanReach, HasPassed: k.HasPassed}
}

// findTimeout bounds the search for a name before a watch shows anything.
const findTimeout = 5 * time.Second

// find returns the id of a subject. While the service cannot say what a name means, it is taken for an id.
func (k *Resource) find(
	ctx context.Context, d *cmdutil.Deps, service payments.Reads, name string,
) (id string, err error) {
	ctx, cancel := context.WithTimeout(ctx, findTimeout)
	defer cancel()
	id, err = k.Find(ctx, d, service, name)
	if err == nil || payments.IsProblem(err, payments.ProblemNotFound) || errors.Is(err, cmdutil.ErrUsage) {
		return id, err
	}
	return name, nil
}

// Groups are the turns, as the groups of the live view.
func (k *Resource) Groups() (groups []ui.Cell) {
	for _, turn := range k.Turns {
		groups = append(groups, cmdutil.Turn(turn))
	}
	return groups
}

// turnOf tells who has to act on a subject. What a watch waits for decides before the status.
func (k *Resource) turnOf(c follow.Change) payments.Turn {
	switch c.GoalStatus {
	case follow.Reached:
		return payments.TurnDone
	case follow.Failed:
		return payments.TurnFailed
	}
	return k.Turn(c.Status)
}

// change returns a change as it is printed.
func (k *Resource) change(c follow.Change) cmdutil.ChangeLine {
	return cmdutil.ChangeLine{
		Type: string(k.EventType), SubjectID: c.ID, From: c.From, To: c.Status, OccurredAt: c.Since,
		Reasons: append([]payments.KYCReason{}, c.Reasons...), // not null in JSON
	}
}

// Count is a number of subjects in words.
func (k *Resource) Count(n int) string { return cmdutil.Count(n, strings.ToLower(k.Noun)+"(s)") }

// countText counts subjects by turn and status, such as "reviewer 2 under_review; done 1 approved".
func (k *Resource) countText(subjects ...follow.SubjectResult) string {
	counts := map[string]int{}
	for _, s := range subjects {
		counts[s.Status]++
	}
	statuses := slices.SortedFunc(maps.Keys(counts), func(x, y string) int {
		return cmp.Or(cmp.Compare(k.Turn(x), k.Turn(y)), strings.Compare(x, y))
	})
	text, turn := "", payments.Turn(0)
	for i, status := range statuses {
		switch next := k.Turn(status); {
		case status == "":
			text += "; "
		case next != turn:
			turn = next
			text += "; " + turn.String() + " "
		default:
			text += ", "
		}
		text += fmt.Sprintf("%d %s", counts[statuses[i]], cmp.Or(status, "not read"))
	}
	return strings.TrimPrefix(text, "; ")
}

// An ending is how a watch ended.
type ending struct {
	follow.Summary
	err         error // of the watch itself: cmdutil.ErrTimeout after the timeout
	timeout     time.Duration
	goal        string // empty if it waited for nothing
	unread      string // what has not been read to its end
	isReference bool   // the service is a reference service
}

// explain returns the error that explains how a watch ended.
func (k *Resource) explain(e ending) error {
	var waiting []cmdutil.Subject
	if e.goal != "" {
		waiting = subjects(e.Waiting)
	}
	if e.unread != "" {
		waiting = append(waiting, cmdutil.Subject{ID: e.unread, Status: "incomplete"})
	}
	switch {
	case errors.Is(e.err, cmdutil.ErrTimeout) && len(waiting) > 0:
		late := cmdutil.WaitTimedOut(e.timeout, waiting, e.goal, subjects(e.Failed))
		late.Next = append(k.personSteps(e.Waiting, e.isReference), late.Next...)
		if len(waiting) > 1 {
			late.Next = late.Next[:1]
		}
		return late
	case errors.Is(e.err, cmdutil.ErrTimeout): // nothing was waited for
		return nil
	case e.err == nil && len(e.Failed) > 0:
		return cmdutil.WatchFailed(e.goal, subjects(e.Failed))
	}
	return e.err
}

// subjects are the results of a watch as errors name them.
func subjects(results []follow.SubjectResult) (subjects []cmdutil.Subject) {
	for _, r := range results {
		subjects = append(subjects, cmdutil.Subject{ID: r.ID, Status: cmp.Or(r.Status, "not known"), Reason: r.Why})
	}
	return subjects
}

// isReference reports whether a service has shown itself to be a reference service.
func isReference(service any) bool {
	world, ok := service.(interface{ World() string })
	return ok && world.World() != ""
}
