package watchui

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/payctl/payctl/internal/follow"
	"github.com/payctl/payctl/internal/payments"
)

// A testedNotice knows what its watch waits for, and what it has said.
type testedNotice struct {
	*personNotice
	mu     sync.Mutex
	order  []string
	status map[string]string // of what is waited for
	texts  []string
}

func newTestedNotice(kind Kind, expected int, timeout time.Duration) *testedNotice {
	n := &testedNotice{status: map[string]string{}}
	n.personNotice = newPersonNotice(kind, expected, timeout, n.waiting, func() bool { return true }, func(text string) {
		n.mu.Lock()
		defer n.mu.Unlock()
		n.texts = append(n.texts, text)
	})
	return n
}

func (n *testedNotice) waiting() (results []follow.SubjectResult) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, id := range n.order {
		if status := n.status[id]; status != "" {
			results = append(results, follow.SubjectResult{ID: id, Status: status})
		}
	}
	return results
}

// said is what it has said when nothing happens any more.
func (n *testedNotice) said() []string {
	synctest.Wait()
	n.mu.Lock()
	defer n.mu.Unlock()
	return slices.Clone(n.texts)
}

func (n *testedNotice) observe(c follow.Change) {
	n.mu.Lock()
	if _, known := n.status[c.ID]; !known {
		n.order = append(n.order, c.ID)
	}
	n.status[c.ID] = ""
	if c.Verdict == follow.Waiting {
		n.status[c.ID] = c.Status
	}
	n.mu.Unlock()
	n.personNotice.observe(c)
}

func change(id, from, status string, verdict follow.Verdict) follow.Change {
	c := follow.Change{State: follow.State{ID: id, Status: status}, Verdict: verdict}
	if from != "" {
		c.From = &from
	}
	return c
}

func TestPersonNotice(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n := newTestedNotice(Accounts(nil), 2, 0)
		n.observe(change("a", "", "incomplete", follow.Waiting))
		<-time.After(time.Minute)
		require.Empty(t, n.said(), "the other one is not known yet")
		n.observe(change("b", "", "pending", follow.Waiting))
		<-time.After(time.Minute)
		require.Empty(t, n.said(), "the service works on it")
		n.observe(change("b", "pending", "approved", follow.Reached))
		require.Equal(t, []string{"Waiting for a person to act: a (incomplete). Run payctl kyc get a " +
			"(what the account holder has to submit, and how), or payctl sandbox kyc a pending (in place of the person)"}, n.said())

		n.observe(change("a", "incomplete", "pending", follow.Waiting))
		n.observe(change("a", "pending", "under_review", follow.Waiting))
		<-time.After(personDelay - 1)
		require.Len(t, n.said(), 1, "a reference service may decide it")
		<-time.After(1)
		require.Equal(t, "Waiting for a person to act: a (under_review). Run payctl sandbox kyc a approved (in place of the person)", n.said()[1])
		n.observe(change("a", "under_review", "resubmission_required", follow.Waiting))
		require.Len(t, n.said(), 3)
		n.observe(change("a", "resubmission_required", "pending", follow.Waiting))
		n.observe(change("a", "pending", "under_review", follow.Waiting))
		<-time.After(time.Hour)
		require.Len(t, n.said(), 3, "it has been said")
		n.stop()
	})
}

// A short watch says it before it ends, and one that has ended says nothing.
func TestPersonNoticeAndTimeouts(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		for _, stopped := range []bool{false, true} {
			n := newTestedNotice(Transfers(nil), 1, time.Second)
			n.observe(change("t", "", "awaiting_funds", follow.Waiting))
			if stopped {
				n.stop()
			}
			<-time.After(time.Second - 1)
			require.Equal(t, !stopped, len(n.said()) == 1)
			n.stop()
		}
	})
}

// Whatever course identity checks and transfers take: it is said that a person has to act only while nothing that is
// waited for can go on without one, and it has been said before such a watch has stood still for long.
func TestPersonNoticeFollowsTheStateMachines(t *testing.T) {
	t.Parallel()
	kyc := []string{"not_started", "incomplete", "pending", "under_review", "resubmission_required", "approved", "rejected", "expired", "paused", "offboarded"}
	transfers := []string{"awaiting_funds", "in_review", "funds_received", "payment_submitted", "payment_processed", "undeliverable", "returned", "refunded", "canceled", "expired", "failed"}
	for _, c := range []struct {
		kind      Kind
		statuses  []string
		canBecome func(from, to string) bool
	}{
		{Accounts(nil), kyc, func(from, to string) bool { return payments.KYCStatus(from).CanBecome(payments.KYCStatus(to)) }},
		{Transfers(nil), transfers, func(from, to string) bool { return payments.TransferState(from).CanBecome(payments.TransferState(to)) }},
	} {
		rapid.Check(t, func(rt *rapid.T) {
			synctest.Test(t, func(*testing.T) {
				goal := c.kind.goal([]string{rapid.SampledFrom(append([]string{FinalGoal}, c.statuses...)).Draw(rt, "until")})
				subjects := rapid.IntRange(1, 3).Draw(rt, "subjects")
				n := newTestedNotice(c.kind, subjects, 0)
				now := map[string]string{}
				stuck := func() bool {
					waiting := n.waiting()
					return len(now) == subjects && len(waiting) > 0 && !slices.ContainsFunc(waiting, func(r follow.SubjectResult) bool {
						return !c.kind.needsPerson(r.Status)
					})
				}
				said := 0
				// check settles what happens, and checks what was said since the last time.
				check := func() {
					texts := n.said()
					require.True(rt, len(texts) == said || len(texts) == said+1 && stuck(), "%v: %v", now, texts)
					if said = len(texts); said > 0 {
						require.Contains(rt, texts[said-1], "Run payctl ")
					}
				}
				observe := func(id, from, status string) {
					now[id] = status
					n.observe(change(id, from, status, goal.Judge(status)))
					check()
				}
				for i := range subjects {
					observe(fmt.Sprint(i), "", rapid.SampledFrom(c.statuses).Draw(rt, "first"))
				}
				for range rapid.IntRange(0, 8).Draw(rt, "changes") {
					if rapid.Bool().Draw(rt, "quiet") {
						<-time.After(2 * personDelay)
						check()
						require.True(rt, !stuck() || said > 0)
					}
					id := fmt.Sprint(rapid.IntRange(0, subjects-1).Draw(rt, "subject"))
					var next []string
					for _, status := range c.statuses {
						if c.canBecome(now[id], status) {
							next = append(next, status)
						}
					}
					if len(next) > 0 && goal.Judge(now[id]) == follow.Waiting {
						observe(id, now[id], rapid.SampledFrom(next).Draw(rt, "next"))
					}
				}
				n.stop()
			})
		})
	}
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
	require.Equal(t, "payment_processed", Transfers(nil).goalText(FinalGoal))
}

// What a watch of many subjects suggests stays short, and names one that is still waited for.
func TestStepsOfManySubjects(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n := newTestedNotice(Accounts(nil), 1000, 0)
		for i := range 1000 {
			status := []string{"incomplete", "resubmission_required"}[i%2]
			n.observe(change(fmt.Sprint("acc_", i), "", status, follow.Waiting))
		}
		require.Len(t, n.said(), 1)
		require.Contains(t, n.said()[0], "1000 accounts (500 incomplete, 500 resubmission_required). Run payctl kyc get acc_0")
		require.Less(t, strings.Count(n.said()[0], "payctl"), 5)
		require.Len(t, Accounts(nil).personSteps(n.waiting(), false), 2)
		for i := range 999 {
			status := []string{"incomplete", "resubmission_required"}[i%2]
			n.observe(change(fmt.Sprint("acc_", i), status, "approved", follow.Reached))
		}
		require.Len(t, n.said(), 2)
		require.Contains(t, n.said()[1], "acc_999 (resubmission_required). Run payctl kyc get acc_999")
	})
}
