package watch

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/payments"
)

func TestPassing(t *testing.T) {
	t.Parallel()
	rejected := payments.Refuse(payments.KindUnauthenticated, "")
	for _, c := range []struct {
		err    error
		passes bool
	}{
		{payments.Refuse(payments.KindUnavailable, ""), true},
		{payments.Refuse(payments.KindRateLimited, ""), true},
		{&payments.Refusal{Problem: payments.Problem{Type: string(payments.KindUnreachable)}}, true},
		{&payments.Refusal{Problem: payments.Problem{Status: 599}}, true},
		{payments.NotFound("account", "x"), false},
		{rejected, false},
		{errors.Join(rejected, payments.Refuse(payments.KindUnavailable, "")), true}, // it could not be renewed for the moment
		{errors.Join(rejected, payments.Refuse(payments.KindInsufficientScope, "")), false},
		{errors.New("of somebody else"), false},
	} {
		require.Equal(t, c.passes, passing(c.err), "%v", c.err)
	}
}

// A service that has answered may reject a few tokens in a row; one that never took any has said its last word.
func TestRejectedTokens(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		from, to time.Duration
		ends     bool
	}{
		"at first":   {0, time.Hour, true},
		"for a time": {time.Minute, time.Minute + 2*time.Second, false},
		"for good":   {time.Minute, time.Hour, true},
	} {
		for _, feed := range []bool{false, true} {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld("a")
				w.feed = feed
				start := time.Now()
				w.fails = func(string) error {
					if since := time.Since(start); since >= c.from && since < c.to {
						return payments.Refuse(payments.KindUnauthenticated, "")
					}
					return nil
				}
				_, _, err := w.follow(t, Engine{IDs: []string{"a"}}, func() { pass(30 * time.Minute) })
				require.Equal(t, c.ends, payments.IsKind(err, payments.KindUnauthenticated), "%s: %v", name, err)
			})
		}
	}
}
