package transfer

import (
	"github.com/payctl/payctl/internal/cli/display"
	"github.com/payctl/payctl/internal/cli/exit"
	"github.com/payctl/payctl/internal/shell"
)

// unresolved returns the error of writes whose outcome is still unknown. Listed: the service was not asked. Hidden
// are the idempotency keys of the writes by which nothing can be found at the service.
func unresolved(count int, listed bool, hidden []string) *exit.Error {
	next := []string{"run payctl transfer resolve again later"}
	switch {
	case listed:
		next = []string{"payctl transfer resolve"}
	case len(hidden) == count:
		next = []string{
			shell.Hint("run the line that sent it again with --idempotency-key KEY", shell.Values{"KEY": hidden[0]}),
			shell.Hint("payctl transfer resolve --dismiss -- KEY   (when you have looked for it at the service)",
				shell.Values{"KEY": hidden[0]}),
		}
	}
	return &exit.Error{
		Code: exit.ExitOutcomeUnknown, Kind: "outcome-unknown", Title: "Some outcomes are still unknown.",
		Detail: "the outcome of " + display.Count(count, "write(s)") + " is not known", Next: next,
	}
}
