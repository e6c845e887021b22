package coordinates

import "fmt"

// Problem is why a value was refused, worded to follow the name of its field: "is not a valid IBAN: …". It has no
// capital at its start and no full stop at its end. Every error of this package is a Problem.
type Problem string

// Required is the problem of a value that is missing or blank.
const Required Problem = "is required"

// Error returns the sentence fragment itself.
func (p Problem) Error() string { return string(p) }

func invalid(kind, format string, args ...any) Problem {
	return Problem("is not a valid " + kind + ": " + fmt.Sprintf(format, args...))
}
