package watch

import "slices"

// A Verdict is what a status means to somebody who waits.
type Verdict int

// The verdicts.
const (
	Waiting Verdict = iota // it is not yet as wanted
	Reached                // it is as wanted, or past that
	Badly                  // it will not be as wanted any more
)

// A Goal is what is waited for. The zero Goal waits for nothing: every status is one to go on from.
type Goal struct {
	// Wanted are the statuses of which each will do.
	Wanted []string
	// CanReach says whether what has one status can still come to another.
	CanReach func(status, other string) bool
	// HasPassed says whether a status is past another; nil where none is.
	HasPassed func(status, other string) bool
}

// Endless says whether there is nothing to wait for.
func (g Goal) Endless() bool { return len(g.Wanted) == 0 }

// Judge says what a status means.
func (g Goal) Judge(status string) Verdict {
	switch {
	case g.Endless():
		return Waiting
	case slices.Contains(g.Wanted, status):
		return Reached
	case g.HasPassed != nil && slices.ContainsFunc(g.Wanted, func(wanted string) bool { return g.HasPassed(status, wanted) }):
		return Reached
	case slices.ContainsFunc(g.Wanted, func(wanted string) bool { return g.CanReach(status, wanted) }):
		return Waiting
	}
	return Badly
}
