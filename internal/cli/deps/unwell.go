package deps

import (
	"fmt"

	"github.com/payctl/payctl/internal/payments"
)

// An Unwell says that `doctor` found what does not work.
type Unwell struct {
	Failed int // checks; at least one
	// Kind is what a command would meet because of the first of them.
	Kind payments.Kind
	// First is what that one found, and Mend what mends it.
	First, Mend string
	// Shown says that a person has just been shown all of it.
	Shown bool
}

// Error implements error.
func (e *Unwell) Error() string {
	if e.Failed == 1 {
		return e.First
	}
	return fmt.Sprintf("%d checks failed, the first of them %s", e.Failed, e.First)
}
