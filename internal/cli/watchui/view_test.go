package watchui

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/follow"
	"github.com/payctl/payctl/internal/ui"
	"github.com/payctl/payctl/internal/ui/live"
)

func newTestView() *view {
	return &view{ids: map[string]bool{}, live: live.New(live.Config{Streams: &ui.Streams{}, Now: time.Now}), kind: Kind{
		Status:      ui.Text,
		Working:     func(status string) bool { return status == "pending" },
		NeedsPerson: func(status string) bool { return status == "under_review" },
	}}
}

// Subjects that need a person come first, then failures, then those that the service works on, then the rest.
func TestRank(t *testing.T) {
	t.Parallel()
	changes := []follow.Change{
		{State: follow.State{Status: "under_review"}},
		{State: follow.State{Status: "rejected"}, Verdict: follow.Failed},
		{State: follow.State{Status: "pending"}},
		{State: follow.State{Status: "under_review"}, Verdict: follow.Reached}, // the goal
	}
	var ranks []int
	for _, c := range changes {
		ranks = append(ranks, newTestView().rank(c))
	}
	require.True(t, slices.IsSorted(ranks), ranks)
	require.Len(t, slices.Compact(ranks), len(changes))
	require.Equal(t, ranks[3], newTestView().rank(follow.Change{State: follow.State{Status: "paused"}}))
}

// A view leaves no more lines behind than a person would read.
func TestLastChanges(t *testing.T) {
	t.Parallel()
	v := newTestView()
	for i := range mostLeftSubjects {
		for range mostLeftChanges {
			v.change(follow.Change{State: follow.State{ID: fmt.Sprint(i), Status: "pending", Since: time.Now()}})
		}
	}
	left := v.lastChanges()
	require.Len(t, left, mostLeftChanges)
	require.Equal(t, fmt.Sprint(mostLeftSubjects-1), left[mostLeftChanges-1].ID)
	v.change(follow.Change{State: follow.State{ID: "one more", Status: "pending"}})
	require.Empty(t, v.lastChanges())
}
