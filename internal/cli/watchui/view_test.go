package watchui

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/follow"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/ui"
	"github.com/payctl/payctl/internal/ui/live"
)

func newTestView() *view {
	v := &view{
		ids: map[string]bool{}, seen: map[string][]live.Step{}, kind: Accounts(nil),
		live: &Screen{View: live.New(live.Config{Streams: &ui.Streams{}, Now: time.Now})},
	}
	v.records = newRecords(v.kind, nil)
	return v
}

// What a watch waits for is done, and what cannot get there any more has failed, whatever its status.
func TestTurns(t *testing.T) {
	t.Parallel()
	changes := []follow.Change{
		{State: follow.State{Status: "under_review"}},
		{State: follow.State{Status: "incomplete"}},
		{State: follow.State{Status: "under_review"}, Verdict: follow.Failed},
		{State: follow.State{Status: "pending"}},
		{State: follow.State{Status: "under_review"}, Verdict: follow.Reached},
	}
	require.Len(t, Accounts(nil).groups(), len(payments.Turns))
	for i, c := range changes {
		require.Equal(t, payments.Turns[i], Accounts(nil).turnOf(c))
	}
}

// A view leaves no more lines behind than a person would read.
func TestLastChanges(t *testing.T) {
	t.Parallel()
	v := newTestView()
	for i := range mostLeftSubjects {
		for range mostLeftChanges {
			v.change(follow.Change{State: follow.State{ID: fmt.Sprint(i), Status: "pending", Since: time.Now()}}, false)
		}
	}
	left := v.lastChanges()
	require.Len(t, left, mostLeftChanges)
	require.Equal(t, fmt.Sprint(mostLeftSubjects-1), left[mostLeftChanges-1].ID)
	v.change(follow.Change{State: follow.State{ID: "one more", Status: "pending"}}, false)
	require.Empty(t, v.lastChanges())
}
