package watchui

import (
	"slices"
	"strings"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/follow"
)

// FinalGoal in place of a status stands for the usual goal, and has a watch go on until a subject reaches it or has a
// status that never changes.
const FinalGoal = "final"

// known are the statuses that the contract has.
func known(d *cmdutil.Deps, kind Kind) []string { return d.Enum(kind.Operation, kind.Member) }

// checkStatuses refuses statuses that a flag names and the contract does not have.
func checkStatuses(d *cmdutil.Deps, kind Kind, flag string, statuses []string) error {
	known := known(d, kind)
	if kind.IsFinal != nil {
		known = append(slices.Clip(known), FinalGoal)
	}
	return cmdutil.CheckStatuses(d, flag, statuses, known)
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

// goalText names what a wait waits for.
func (k Kind) goalText(until string) string {
	return strings.Join(k.goal([]string{until}).Wanted, " or ")
}
