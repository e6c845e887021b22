package exit

import (
	"slices"
	"strings"

	"github.com/payctl/payctl/internal/shell"
	"github.com/payctl/payctl/internal/suggest"
)

// CheckValue refuses a value that is none of the known ones, with a hint if it is nearly the same as one of them. What is
// the flag or argument that has the value.
func CheckValue[V ~string](what string, value V, known []string) *Error {
	if slices.Contains(known, string(value)) {
		return nil
	}
	err := Usage("%s does not take %q. Its values are %s", what, string(value), strings.Join(known, ", "))
	if guess := suggest.Guess(string(value), known); guess != "" {
		return err.WithHint(shell.Hint("try GUESS instead", shell.Values{"GUESS": guess}))
	}
	return err
}
