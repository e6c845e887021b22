package cmdutil

import (
	"errors"
	"fmt"
	"strings"

	"github.com/payctl/payctl/internal/payments"
)

// Trouble warns that the service does not do what it should, and is asked again. Nil means that it answers again.
func (d *Deps) Trouble(err error) {
	if err == nil {
		d.Notef("The service answers again.")
		return
	}
	what, why := Trouble(err)
	d.Warnf("The service %s; trying again: %s", what, why)
}

// Trouble describes an error after which the program goes on trying. What is what the service does, such as "does not
// answer". Why is a clause.
func Trouble(err error) (what, why string) {
	problem, ok := errors.AsType[*payments.ProblemError](err)
	switch {
	case !ok:
	case problem.Status == 429:
		return "asks to wait", Reason(err)
	case problem.Status != 0:
		return "fails", Reason(err)
	}
	return "does not answer", Reason(err)
}

// Reason is an error as a clause. It leaves out advice such as to check the base URL, which is of no use while the
// program goes on trying.
func Reason(err error) string {
	problem, ok := errors.AsType[*payments.ProblemError](err)
	switch {
	case !ok:
		return err.Error()
	case problem.Status >= 500 && problem.ProblemType() == payments.ProblemUnusable: // of a proxy, mostly
		return fmt.Sprintf("status %d", problem.Status)
	case problem.Reason != "":
		return problem.Reason
	case problem.Status != 0:
		return fmt.Sprintf("status %d, %s", problem.Status, strings.TrimSuffix(problem.Title, "."))
	}
	return problem.Error()
}
