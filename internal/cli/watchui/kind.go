package watchui

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/follow"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/ui"
	"github.com/payctl/payctl/internal/ui/live"
)

// A Kind is a kind of subject that can be watched, such as accounts.
type Kind struct {
	// Noun is the singular, such as "Account", and Nouns the plural, such as "accounts".
	Noun, Nouns string
	// Title is the heading of the live view.
	Title string
	// IDNames are the names of columns and JSON members that hold an identifier, the most specific first.
	IDNames []string
	// EventType is the type of the changes that are printed.
	EventType payments.EventType
	Subjects  follow.Subjects
	// Goal is the status to wait for without --until.
	Goal string
	// OneStatus and Statuses are the placeholders of one status and of several in a usage.
	OneStatus, Statuses string
	// Operation and Member name the list operation's filter by status; the contract has the known statuses there.
	Operation, Member string

	CanReach  func(status, other string) bool
	HasPassed func(status, other string) bool // nil: a status does not count as reached once it has been passed
	// IsFinal reports whether a status never changes; nil: FinalGoal is no goal of these subjects.
	IsFinal func(status string) bool
	// Status returns a status in its colour.
	Status func(status string) ui.Cell
	// Turn tells who has to act on a subject with this status, and Turns are all that may have to, the most urgent first.
	Turn  func(status string) payments.Turn
	Turns []payments.Turn
	// Words name a subject besides its identifier, in lines at a terminal; nil: the identifier is all.
	Words func(record any) []ui.Cell
	// Steps are the commands by which a subject that waits for a person goes on, or that show what it waits for.
	Steps func(status, id string, isReference bool) []string

	// What follows is for the live view. A record is what it knows of a subject besides its status; it may be nil.

	Columns []live.Column
	// Merge returns what the record of a change and an earlier one know together.
	Merge func(record, earlier any) any
	// Explain tells from a record when a status ends at the latest, zero for never, and why the subject has it.
	Explain func(status string, record any) (deadline time.Time, why string)
	// Lacks reports whether a record lacks something of what neither the list nor the event feed has, and Read reads that.
	// Both are nil where there is nothing to read.
	Lacks func(status string, record any) bool
	Read  func(ctx context.Context, id, status string, record any) (any, error)
	// HasPersonal reports that columns or details have personal data, and ShowPersonal that it is shown all the time.
	HasPersonal, ShowPersonal bool
	// Details reads everything about a subject, as the live view shows it.
	Details func(ctx context.Context, row live.Row) (func(live.Moment) ui.Details, error)
	// Reply writes what a person is told about a subject, to be copied; with the name only if personal is set.
	Reply func(ctx context.Context, id string, personal bool) (string, error)
}

// FinalGoal in place of a status stands for the usual goal, and has a watch go on until a subject reaches it or has a
// status that never changes.
const FinalGoal = "final"

// statuses are those that the contract has, and FinalGoal.
func (k Kind) statuses(d *cmdutil.Deps) []string {
	statuses := d.Enum(k.Operation, k.Member)
	if k.IsFinal != nil {
		statuses = append(slices.Clip(statuses), FinalGoal)
	}
	return statuses
}

// goal is what a watch until some statuses waits for.
func (k Kind) goal(until []string) follow.Goal {
	goal := follow.Goal{Wanted: until, CanReach: k.CanReach, HasPassed: k.HasPassed}
	if i := slices.Index(until, FinalGoal); i >= 0 && k.IsFinal != nil {
		goal.Wanted = slices.Clone(until)
		goal.Wanted[i] = k.Goal
		goal.CanReach = func(status, _ string) bool { return !k.IsFinal(status) }
	}
	return goal
}

// turnOf tells who has to act on a subject. What a watch waits for decides before the status.
func (k Kind) turnOf(c follow.Change) payments.Turn {
	switch c.Verdict {
	case follow.Reached:
		return payments.TurnDone
	case follow.Failed:
		return payments.TurnFailed
	}
	return k.Turn(c.Status)
}

// change returns a change in the form in which it is printed.
func (k Kind) change(c follow.Change) cmdutil.Change {
	reasons := c.Reasons
	if reasons == nil {
		reasons = []payments.KYCReason{}
	}
	return cmdutil.Change{
		Type: string(k.EventType), SubjectID: c.ID, From: c.From, To: c.Status, OccurredAt: c.Since, Reasons: reasons,
	}
}

// count is a number of subjects in words.
func (k Kind) count(n int) string { return cmdutil.Count(n, strings.ToLower(k.Noun)+"(s)") }

// mostCounted is how many statuses are counted and named: more are those that the service makes up.
const mostCounted = 20

// countText counts subjects by status, in the order of whose turn it is, such as "2 under_review, 1 approved".
func (k Kind) countText(subjects ...follow.SubjectResult) string {
	counts := map[string]int{}
	var statuses []string
	for _, s := range subjects {
		if counts[s.Status]++; counts[s.Status] == 1 {
			statuses = append(statuses, s.Status)
		}
	}
	slices.SortFunc(statuses, func(x, y string) int {
		return cmp.Or(cmp.Compare(k.Turn(x), k.Turn(y)), cmp.Compare(counts[y], counts[x]), strings.Compare(x, y))
	})
	var parts []string
	for i, status := range statuses {
		if i == mostCounted {
			parts = append(parts, "and others")
			break
		}
		parts = append(parts, fmt.Sprintf("%d %s", counts[status], cmp.Or(status, "not read")))
	}
	return strings.Join(parts, ", ")
}

// isReference returns a function that reports whether a service has shown itself to be a reference service.
func isReference(service any) func() bool {
	return func() bool {
		world, ok := service.(interface{ World() string })
		return ok && world.World() != ""
	}
}
