package follow

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/payments"
)

func TestTemporaryErrors(t *testing.T) {
	t.Parallel()
	rejected := payments.NewProblem(payments.KindUnauthenticated, "")
	for _, c := range []struct {
		err    error
		passes bool
	}{
		{payments.NewProblem(payments.KindUnavailable, ""), true},
		{payments.NewProblem(payments.KindRateLimited, ""), true},
		{&payments.ProblemError{Problem: payments.Problem{Type: string(payments.KindUnreachable)}}, true},
		{&payments.ProblemError{Problem: payments.Problem{Status: 599}}, true},
		{payments.NotFound("account", "x"), false},
		{rejected, false},
		{errors.Join(rejected, payments.NewProblem(payments.KindUnavailable, "")), true}, // it could not be renewed for the moment
		{errors.Join(rejected, payments.NewProblem(payments.KindInsufficientScope, "")), false},
		{errors.New("another error"), false},
	} {
		require.Equal(t, c.passes, isTemporary(c.err), "%v", c.err)
	}
}

// A service that has answered may reject tokens for a while; one that never accepted any ends the watch.
func TestRejectedTokens(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		from, to time.Duration
		ends     bool
	}{
		"at first":   {0, time.Hour, true},
		"for a time": {time.Minute, time.Minute + longestRejection, false},
		"for good":   {time.Minute, time.Hour, true},
	} {
		for _, feed := range []bool{false, true} {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld("a")
				w.feed = feed
				start := time.Now()
				w.fails = func(string) error {
					if since := time.Since(start); since >= c.from && since < c.to {
						return payments.NewProblem(payments.KindUnauthenticated, "")
					}
					return nil
				}
				_, _, err := w.follow(t, Engine{IDs: []string{"a"}}, func() { pass(30 * time.Minute) })
				require.Equal(t, c.ends, payments.IsKind(err, payments.KindUnauthenticated), "%s: %v", name, err)
			})
		}
	}
}
