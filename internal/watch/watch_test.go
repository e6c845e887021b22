package watch

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/payments"
)

// answer is what a service answers to one question, and how long it holds the answer.
type answer struct {
	state string
	etag  string
	same  bool
	after time.Duration
	err   error
}

// follow runs a watch over a service that gives those answers, until it sees "done". It returns what was seen and when
// each question was asked.
func follow(t *testing.T, answers []answer) (seen []string, asked []time.Duration, waits []time.Duration, err error) {
	t.Helper()
	start := time.Now()
	w := Watch[string]{
		Interval: 10 * time.Second,
		Read: func(ctx context.Context, since payments.Condition) (payments.Reading[string], error) {
			asked, waits = append(asked, time.Since(start)), append(waits, since.Wait)
			require.NotEmpty(t, answers, "asked once too often")
			next := answers[0]
			answers = answers[1:]
			select {
			case <-time.After(next.after):
			case <-ctx.Done():
				return payments.Reading[string]{}, ctx.Err()
			}
			return payments.Reading[string]{Value: next.state, ETag: next.etag, NotModified: next.same}, next.err
		},
		Each: func(state string) (bool, error) {
			seen = append(seen, state)
			return state == "done", nil
		},
		Trouble:   func(error) { seen = append(seen, "trouble") },
		Recovered: func() { seen = append(seen, "recovered") },
	}
	err = w.Run(t.Context())
	return seen, asked, waits, err
}

func TestHeldAnswersAreAskedForAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		seen, asked, waits, err := follow(t, []answer{
			{state: "pending", etag: "1"},
			{etag: "1", same: true, after: 30 * time.Second},
			{state: "done", etag: "2", after: 5 * time.Second},
		})
		require.NoError(t, err)
		require.Equal(t, []string{"pending", "done"}, seen)
		require.Equal(t, []time.Duration{0, 0, 30 * time.Second}, asked)
		require.Equal(t, []time.Duration{0, HoldFor, HoldFor}, waits)
	})
}

func TestAServiceThatDoesNotHoldIsAskedAtIntervals(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		seen, asked, _, err := follow(t, []answer{
			{state: "pending"}, {state: "pending"}, {state: "done"},
		})
		require.NoError(t, err)
		require.Equal(t, []string{"pending", "pending", "done"}, seen, "without entity tags every answer may be news")
		for i := 1; i < len(asked); i++ {
			gap := asked[i] - asked[i-1]
			require.GreaterOrEqual(t, gap, 9*time.Second)
			require.LessOrEqual(t, gap, 11*time.Second)
		}
	})
}

func TestAnImmediate304IsNotTakenForAHeldOne(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		_, asked, _, err := follow(t, []answer{{state: "pending", etag: "1"}, {etag: "1", same: true}, {state: "done", etag: "2"}})
		require.NoError(t, err)
		require.GreaterOrEqual(t, asked[2]-asked[1], 9*time.Second)
	})
}

func TestOutagesAreRiddenOut(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		down := &payments.Refusal{Problem: payments.Problem{Type: "payctl:unreachable"}}
		seen, _, _, err := follow(t, []answer{
			{state: "pending", etag: "1"}, {err: down}, {err: payments.Refuse(payments.KindUnavailable, "")}, {state: "done", etag: "2"},
		})
		require.NoError(t, err)
		require.Equal(t, []string{"pending", "trouble", "recovered", "done"}, seen, "told once, however long it lasts")
	})
}

func TestARefusalEndsTheWatch(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		_, _, _, err := follow(t, []answer{{err: payments.NotFound("account", "acc_x")}})
		refusal := &payments.Refusal{}
		require.ErrorAs(t, err, &refusal)
		require.Equal(t, payments.KindNotFound, refusal.Kind())
	})
}

func TestTheContextEndsTheWatch(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		why := errors.New("enough")
		ctx, cancel := context.WithCancelCause(t.Context())
		w := Watch[string]{
			Interval: time.Second,
			Read: func(ctx context.Context, _ payments.Condition) (payments.Reading[string], error) {
				<-ctx.Done()
				return payments.Reading[string]{}, ctx.Err()
			},
		}
		time.AfterFunc(time.Minute, func() { cancel(why) })
		require.ErrorIs(t, w.Run(ctx), why)
	})
}
