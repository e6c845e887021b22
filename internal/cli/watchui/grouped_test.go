package watchui

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/follow"
	"github.com/payctl/payctl/internal/ui"
)

// groupedOutput prints accounts in groups to out.
func groupedOutput(out interface{ Write([]byte) (int, error) }, notices *bytes.Buffer) *output {
	o := &output{
		deps: &cmdutil.Deps{Streams: &ui.Streams{Out: out, Err: notices}, Now: time.Now}, kind: Accounts(nil), several: true, all: true,
		changes: changeCounts{},
	}
	o.grouped = newGroupedLines(o)
	return o
}

func (out *output) show(t *testing.T, changes ...follow.Change) {
	t.Helper()
	for _, c := range changes {
		require.NoError(t, out.change(cmdutil.Change{}, c))
	}
}

// What is read first comes in the order of whose turn it is, with numbers, and then a line for each change.
func TestGroupedLines(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var lines, notices bytes.Buffer
		out := groupedOutput(&lines, &notices)
		summary := follow.Summary{}
		for i := range mostIdle + 1 {
			c := change(fmt.Sprint("done", i), "", "approved", follow.Waiting)
			out.show(t, c)
			summary.Waiting = append(summary.Waiting, follow.SubjectResult{ID: c.ID, Status: c.Status})
		}
		later := change("r2", "", "under_review", follow.Waiting)
		later.Since = time.Unix(1000, 0)
		out.show(t, later, change("r1", "", "pending", follow.Waiting), change("r1", "pending", "under_review", follow.Waiting),
			change("a1", "", "incomplete", follow.Waiting))
		require.Empty(t, lines.String(), "the list has not been read yet")
		for _, id := range []string{"r1", "r2"} {
			summary.Waiting = append(summary.Waiting, follow.SubjectResult{ID: id, Status: "under_review"})
		}
		summary.Waiting = append(summary.Waiting, follow.SubjectResult{ID: "a1", Status: "incomplete"})
		out.loaded(summary)
		first := strings.NewReplacer("0001-01-01 00:00:00Z\t", "", "1970-01-01 00:16:40Z\t", "", "\t", " ").Replace(lines.String())
		require.Equal(t, `Staff has to act: 2
r1 under_review
r2 under_review
The applicant has to act: 1
a1 incomplete
Done: 21, not listed
24 accounts: 2 under_review, 1 incomplete, 21 approved.
`, first)
		lines.Reset()
		out.show(t, change("r1", "under_review", "rejected", follow.Waiting), change("n1", "", "pending", follow.Waiting))
		require.Regexp(t, `^\S+ \S+\tr1\trejected\twas under_review\n\S+ \S+\tn1\tpending\tnew\n$`, lines.String())
		<-time.After(2 * holdFor)
		require.NoError(t, out.close(follow.Summary{Waiting: []follow.SubjectResult{{ID: "r1", Status: "rejected"}}}, nil))
		require.Regexp(t, `^1 account: 1 rejected.\nChanges since \d\d:\d\d: `+
			"1 new -> pending, 1 pending -> under_review, 1 under_review -> rejected.\n$", notices.String())
	})
}

// A service that is slow does not hold back what it has sent.
func TestGroupedLinesComeInTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var lines, notices bytes.Buffer
		out := groupedOutput(&lines, &notices)
		out.show(t, change("r1", "", "under_review", follow.Waiting))
		<-time.After(holdFor)
		synctest.Wait()
		require.Contains(t, lines.String(), "Staff has to act: 1\n")
		out.show(t, change("r2", "", "under_review", follow.Waiting))
		require.NotContains(t, lines.String(), "r2")
		require.NoError(t, out.close(follow.Summary{Unlisted: true, Waiting: make([]follow.SubjectResult, 2)}, nil))
		require.Contains(t, lines.String(), "r2")
		require.Contains(t, notices.String(), "The list of accounts was not read to its end.")
		<-time.After(2 * holdFor)
		require.Equal(t, 2, strings.Count(lines.String(), "Staff"))
	})
}

type closedWriter struct{}

func (closedWriter) Write([]byte) (int, error) { return 0, errors.New("closed") }

func TestGroupedLinesCannotBePrinted(t *testing.T) {
	t.Parallel()
	out := groupedOutput(closedWriter{}, &bytes.Buffer{})
	out.show(t, change("r1", "", "under_review", follow.Waiting))
	out.loaded(follow.Summary{})
	require.EqualError(t, out.change(cmdutil.Change{}, change("r2", "", "under_review", follow.Waiting)), "closed")
	require.EqualError(t, out.close(follow.Summary{}, nil), "closed")
}

// A watch that has read nothing does not say that there is nothing.
func TestNothingWasRead(t *testing.T) {
	t.Parallel()
	for outage, want := range map[error]string{
		nil:                    "Accounts: nothing was read.\n",
		errors.New("no route"): "Accounts: nothing was read, because the service does not answer: no route.\n",
	} {
		var lines, notices bytes.Buffer
		out := groupedOutput(&lines, &notices)
		if outage != nil {
			out.setTrouble(outage)
		}
		interrupted := errors.New("interrupted")
		require.ErrorIs(t, out.close(follow.Summary{Unlisted: true}, interrupted), interrupted)
		require.True(t, strings.HasSuffix(notices.String(), want), notices.String())
	}
}
