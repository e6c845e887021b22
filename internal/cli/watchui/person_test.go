package watchui

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/follow"
)

// It is said that a person has to act while nothing that is waited for can go on without one, once for the same statuses,
// and not before a reference service may have decided.
func TestPersonNotice(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		pass := func(d time.Duration) {
			<-time.After(d)
			synctest.Wait()
		}
		var waiting []follow.SubjectResult
		var said []string
		n, delay := Accounts(nil).newPersonNotice(0, func() bool { return true },
			func() []follow.SubjectResult { return waiting }, func(text string) { said = append(said, text) })
		set := func(subjects ...follow.SubjectResult) {
			waiting = subjects
			n.Reset(delay)
		}
		set(follow.SubjectResult{ID: "a", Status: "incomplete"}, follow.SubjectResult{ID: "b"})
		pass(time.Minute)
		require.Empty(t, said, "the other one is not known yet")
		set(follow.SubjectResult{ID: "a", Status: "incomplete"}, follow.SubjectResult{ID: "b", Status: "pending"})
		pass(time.Minute)
		require.Empty(t, said, "the service works on it")
		set(follow.SubjectResult{ID: "a", Status: "incomplete"})
		pass(time.Minute)
		require.Equal(t, []string{"Waiting for a person to act: a (incomplete). Run payctl kyc get a " +
			"(what the applicant has to submit, and how), or payctl sandbox kyc a pending (in place of the person)"}, said)
		for range 2 {
			set(follow.SubjectResult{ID: "a", Status: "pending"})
			set(follow.SubjectResult{ID: "a", Status: "under_review"})
			pass(personDelay - 1)
			require.Len(t, said, 1, "a reference service may decide it")
			set(follow.SubjectResult{ID: "a", Status: "under_review"})
		}
		pass(time.Minute)
		set(follow.SubjectResult{ID: "a", Status: "under_review"})
		pass(time.Minute)
		require.Len(t, said, 2)
		set(follow.SubjectResult{ID: "a", Status: "incomplete"})
		n.Stop()
		pass(time.Minute)
		require.Len(t, said, 2, "the watch has ended")
	})
}

// With final a transfer is followed until nothing can come after its state, and reaches the goal only by arriving.
func TestFinalGoal(t *testing.T) {
	t.Parallel()
	goal := Transfers(nil).goal([]string{FinalGoal})
	for state, want := range map[string]follow.Verdict{
		"awaiting_funds": follow.Waiting, "payment_submitted": follow.Waiting, "payment_processed": follow.Reached,
		"undeliverable": follow.Waiting, "returned": follow.Waiting, "refunded": follow.Failed, "failed": follow.Failed,
		"canceled": follow.Failed, "expired": follow.Failed, "newer_state": follow.Waiting,
	} {
		require.Equal(t, want, goal.Judge(state), state)
	}
	require.Equal(t, []string{FinalGoal}, Accounts(nil).goal([]string{FinalGoal}).Wanted, "accounts have no such goal")
}

// What a watch of many subjects suggests stays short.
func TestStepsOfManySubjects(t *testing.T) {
	t.Parallel()
	var waiting []follow.SubjectResult
	for i := range 1000 {
		waiting = append(waiting, follow.SubjectResult{ID: fmt.Sprint("acc_", i), Status: []string{"incomplete", "expired"}[i%2]})
	}
	text, _ := Accounts(nil).personText(waiting, true)
	require.Contains(t, text, "1000 accounts (500 expired, 500 incomplete). Run payctl kyc get acc_0")
	require.Less(t, strings.Count(text, "payctl"), 5)
	require.Len(t, Accounts(nil).personSteps(waiting, false), 2)
}
