package desk

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/term"
	"github.com/payctl/payctl/internal/term/live"
	"github.com/payctl/payctl/internal/watch"
)

func viewed() *view {
	return &view{ids: map[string]bool{}, live: live.New(live.Config{Streams: &term.Streams{}}), kind: Kind{
		Status:      term.Text,
		Working:     func(status string) bool { return status == "pending" },
		NeedsPerson: func(status string) bool { return status == "under_review" },
	}}
}

// Who needs a person comes first, then what ended badly, what is under way, and last what is done or can be left alone.
func TestWhoComesFirst(t *testing.T) {
	t.Parallel()
	changes := []watch.Change{
		{State: watch.State{Status: "under_review"}},
		{State: watch.State{Status: "rejected"}, Verdict: watch.Badly},
		{State: watch.State{Status: "pending"}},
		{State: watch.State{Status: "under_review"}, Verdict: watch.Reached}, // waited for
	}
	var ranks []int
	for _, c := range changes {
		ranks = append(ranks, viewed().rank(c))
	}
	require.True(t, slices.IsSorted(ranks), ranks)
	require.Len(t, slices.Compact(ranks), len(changes))
	require.Equal(t, ranks[3], viewed().rank(watch.Change{State: watch.State{Status: "paused"}}))
}

// What a view leaves behind on the screen before it is no more than somebody would read.
func TestWhatAViewLeavesBehind(t *testing.T) {
	t.Parallel()
	v := viewed()
	for i := range fewSubjects {
		for range lastChanges {
			v.change(watch.Change{State: watch.State{ID: fmt.Sprint(i), Status: "pending", Since: time.Now()}})
		}
	}
	left := v.few()
	require.Len(t, left, lastChanges)
	require.Equal(t, fmt.Sprint(fewSubjects-1), left[lastChanges-1].ID)
	v.change(watch.Change{State: watch.State{ID: "one more", Status: "pending"}})
	require.Empty(t, v.few())
}
