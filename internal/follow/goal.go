package follow

// A Verdict is what a status means for a goal.
type Verdict int

// The verdicts.
const (
	Waiting Verdict = iota // the goal is not reached yet
	Reached                // the goal is reached, or was passed
	Failed                 // the goal cannot be reached any more
)

// A Goal is what a watch waits for. With the zero Goal it waits for nothing and only reports changes.
type Goal struct {
	// Wanted are the statuses that reach the goal.
	Wanted []string
	// CanReach reports whether a subject with one status can still get another.
	CanReach func(status, other string) bool
	// HasPassed reports whether a status comes after another, which is then reached too; nil if that does not count.
	HasPassed func(status, other string) bool
}

// Endless reports whether there is nothing to wait for.
func (g Goal) Endless() bool { return len(g.Wanted) == 0 }

// Judge decides what a status means for the goal.
func (g Goal) Judge(status string) Verdict {
	if g.Endless() {
		return Waiting
	}
	verdict := Failed
	for _, wanted := range g.Wanted {
		switch {
		case status == wanted, g.HasPassed != nil && g.HasPassed(status, wanted):
			return Reached
		case g.CanReach(status, wanted):
			verdict = Waiting
		}
	}
	return verdict
}
