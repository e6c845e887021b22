package watchui

import (
	"cmp"
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

func newTestedNotice(kind Kind, timeout time.Duration, ids ...string) *testedNotice {
	n := &testedNotice{order: ids, status: map[string]string{}}
	n.personNotice = newPersonNotice(kind, timeout, n.waiting, func() bool { return true }, func(text string) {
		n.mu.Lock()
		defer n.mu.Unlock()
		n.texts = append(n.texts, text)
	})
	return n
}

const reached = "reached"

func (n *testedNotice) waiting() (results []follow.SubjectResult) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, id := range n.order {
		if status := n.status[id]; status != reached {
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

// set gives a subject a status; empty: it is not waited for any more.
func (n *testedNotice) set(id, status string) {
	n.mu.Lock()
	n.status[id] = cmp.Or(status, reached)
	n.mu.Unlock()
	n.observe()
}

func TestPersonNotice(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n := newTestedNotice(Accounts(nil), 0, "a", "b")
		n.set("a", "incomplete")
		<-time.After(time.Minute)
		require.Empty(t, n.said(), "the other one is not known yet")
		n.set("b", "pending")
		<-time.After(time.Minute)
		require.Empty(t, n.said(), "the service works on it")
		n.set("b", "")
		<-time.After(personDelay)
		require.Equal(t, []string{"Waiting for a person to act: a (incomplete). Run payctl kyc get a " +
			"(what the account holder has to submit, and how), or payctl sandbox kyc a pending (in place of the person)"}, n.said())

		n.set("a", "pending")
		n.set("a", "under_review")
		<-time.After(personDelay - 1)
		require.Len(t, n.said(), 1, "a reference service may decide it")
		<-time.After(1)
		require.Equal(t, "Waiting for a person to act: a (under_review). Run payctl sandbox kyc a approved (in place of the person)", n.said()[1])
		n.set("a", "pending")
		n.set("a", "under_review")
		<-time.After(time.Hour)
		require.Len(t, n.said(), 2, "it has been said")
		n.stop()
	})
}

// A short watch says it before it ends, and one that has ended says nothing.
func TestPersonNoticeAndTimeouts(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		for _, stopped := range []bool{false, true} {
			n := newTestedNotice(Transfers(nil), time.Second, "t")
			n.set("t", "awaiting_funds")
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
				ids := []string{"a", "b", "c"}[:rapid.IntRange(1, 3).Draw(rt, "subjects")]
				n := newTestedNotice(c.kind, 0, ids...)
				now := map[string]string{}
				set := func(id, status string) {
					now[id] = status
					if goal.Judge(status) != follow.Waiting {
						status = ""
					}
					n.set(id, status)
				}
				for _, id := range ids {
					set(id, rapid.SampledFrom(c.statuses).Draw(rt, "first"))
				}
				for range rapid.IntRange(0, 8).Draw(rt, "changes") {
					said := len(n.said())
					quiet := rapid.Bool().Draw(rt, "quiet")
					if quiet {
						<-time.After(personDelay)
					}
					waiting, texts := n.waiting(), n.said()
					isStuck := len(waiting) > 0 && !slices.ContainsFunc(waiting, func(r follow.SubjectResult) bool {
						return !c.kind.needsPerson(r.Status)
					})
					require.True(rt, len(texts) == said || len(texts) == said+1 && isStuck, "%v: %v", now, texts)
					require.True(rt, !quiet || !isStuck || len(texts) > 0)
					if len(texts) > 0 {
						require.Contains(rt, texts[len(texts)-1], "Run payctl ")
					}
					id := rapid.SampledFrom(ids).Draw(rt, "subject")
					var next []string
					for _, status := range c.statuses {
						if c.canBecome(now[id], status) {
							next = append(next, status)
						}
					}
					if len(next) > 0 && goal.Judge(now[id]) == follow.Waiting {
						set(id, rapid.SampledFrom(next).Draw(rt, "next"))
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
		n := newTestedNotice(Accounts(nil), 0)
		for i := range 1000 {
			n.order = append(n.order, fmt.Sprint("acc_", i))
			n.set(n.order[i], []string{"incomplete", "resubmission_required"}[i%2])
		}
		<-time.After(personDelay)
		require.Len(t, n.said(), 1)
		require.Contains(t, n.said()[0], "1000 accounts (500 incomplete, 500 resubmission_required). Run payctl kyc get acc_0")
		require.Less(t, strings.Count(n.said()[0], "payctl"), 5)
		require.Len(t, Accounts(nil).personSteps(n.waiting(), false), 2)
		n.stop()
	})
}
