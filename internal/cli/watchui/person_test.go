package watchui

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/follow"
	"github.com/payctl/payctl/internal/outbox"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/shell"
)

// A notice says that a person has to act when nothing that is waited for can go on without one. It comes late enough
// for a reference service to decide first.
func TestPersonNotice(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		pass := func(d time.Duration) {
			<-time.After(d)
			synctest.Wait()
		}
		said, kind := make(chan string, 10), Accounts
		var present atomic.Pointer[follow.State]
		become := func(status string) { present.Store(&follow.State{ID: "a", Status: status, Since: time.Now()}) }
		become("pending")
		read := func(context.Context, follow.State) (follow.State, error) { return *present.Load(), nil }
		engine := &follow.Engine{
			Service: noFeed{}, IDs: []string{"a"}, Interval: time.Second, Note: func(string) {},
			Goal: kind.goal([]string{"approved"}), Subjects: follow.Subjects{Read: read},
		}
		changed, stop := kind.noticePersons(engine, 0, shell.Hint.String, func(text string) { said <- text })
		engine.Each = func(follow.Change) error { changed(); return nil }
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- engine.Run(ctx) }()
		pass(time.Minute)
		require.Empty(t, said, "the service works on it")
		become("incomplete")
		pass(time.Minute)
		require.Equal(t, "Waiting for a person to act: a (incomplete). Run payctl kyc get a "+
			"(what the applicant has to submit, and how)", <-said)
		become("under_review")
		pass(personDelay)
		require.Empty(t, said, "a reference service may decide it")
		pass(time.Minute)
		require.Len(t, said, 1)
		become("incomplete")
		pass(2 * time.Second)
		stop()
		pass(time.Minute)
		require.Len(t, said, 1, "the watch has ended")
		cancel()
		require.ErrorIs(t, <-ended, context.Canceled)
	})
}

// noFeed is a service without an event feed.
type noFeed struct{ payments.Events }

func (noFeed) ListEvents(context.Context, payments.EventFilter) (payments.EventPage, error) {
	return payments.EventPage{}, payments.NewProblem(payments.ProblemNotFound, "")
}

// The suggestions of a watch of many subjects stay short.
func TestStepsOfManySubjects(t *testing.T) {
	t.Parallel()
	var waiting []follow.SubjectResult
	for i := range 1000 {
		status := []string{"incomplete", "expired"}[i%2]
		waiting = append(waiting, follow.SubjectResult{ID: fmt.Sprint("acc_", i), Status: status})
	}
	text := Accounts.personText(waiting, false, shell.Hint.String)
	require.Contains(t, text, "1000 accounts (applicant 500 expired, 500 incomplete). Run payctl kyc get acc_0")
	require.Less(t, strings.Count(text, "payctl"), 5)
	require.Len(t, Accounts.personSteps(waiting, false), 2)
}

// A watch whose time is almost up waits for its next request until then. It has not been interrupted.
func TestThePaceOfAWatchAtItsEnd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var calls cmdutil.Calls
		d := &cmdutil.Deps{Connect: func(c cmdutil.Calls) (*outbox.Outbox, error) {
			calls = c
			return nil, nil
		}}
		_, err := (&Options{All: true, kind: Accounts, interval: time.Second}).Connect(d)
		require.NoError(t, err)
		ctx, cancel := cmdutil.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		for range atOnce {
			require.NoError(t, calls.Pace(ctx))
		}
		require.ErrorIs(t, calls.Pace(ctx), cmdutil.ErrTimeout)
	})
}
