package cmdutil

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/payctl/payctl/internal/payments"
)

// Trouble warns that the service does not do what it should, and is asked again.
func (d *Deps) Trouble(err error) {
	what, why := Trouble(err)
	d.Warnf("The service %s; trying again: %s", what, why)
}

// Recovered reports that the service answers again.
func (d *Deps) Recovered() { d.Notef("The service answers again.") }

// Trouble describes an error after which the program goes on trying: what the service does, as the rest of a sentence
// that it begins, such as "does not answer", and why, as a clause.
func Trouble(err error) (what, why string) {
	why = Reason(err)
	problem := lastProblem(err)
	if problem == nil {
		return "does not answer", why
	}
	switch status := problem.Status; {
	case status == 401:
		return "refuses the credential", why
	case status == 403:
		return "refuses access", why
	case status == 429 && problem.RetryAfter > payments.AtOnce:
		return "asks to wait " + problem.RetryAfter.Round(time.Second).String(), why
	case status == 429:
		return "asks to wait", why
	case status >= 500:
		return "fails", why
	case problem.Kind() == payments.KindUnusable && status != 0:
		return "gives an answer that cannot be used", why
	}
	return "does not answer", why
}

// Reason is an error as a clause. It leaves out advice such as to check the base URL, which is of no use while the
// program goes on trying.
func Reason(err error) string {
	problem := lastProblem(err)
	switch {
	case problem == nil:
		return err.Error()
	case problem.Status >= 500 && problem.Kind() == payments.KindUnusable: // of a proxy, mostly
		return fmt.Sprintf("status %d", problem.Status)
	case problem.Reason != "":
		return problem.Reason
	case problem.Status != 0:
		return fmt.Sprintf("status %d, %s", problem.Status, strings.TrimSuffix(problem.Title, "."))
	}
	return problem.Error()
}

// lastProblem returns the problem that explains an error; nil if there is none. A rejected token may be joined with the
// reason why no other one could be fetched, which then explains more.
func lastProblem(err error) *payments.ProblemError {
	problem, _ := errors.AsType[*payments.ProblemError](err)
	if joined, ok := err.(interface{ Unwrap() []error }); ok && problem != nil && problem.Status == 401 {
		for _, part := range joined.Unwrap() {
			if other, ok := errors.AsType[*payments.ProblemError](part); ok {
				problem = other
			}
		}
	}
	return problem
}
