package sqlitedb

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// A job waits for one job of each other group at most, and for the jobs of its own group that came before it.
func TestGroupsTakeTurns(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		q := newQueue()
		waiting := map[string][]*job{} // by group, in their order
		passed := map[string][]string{}
		for range rapid.IntRange(1, 60).Draw(r, "steps") {
			if rapid.Bool().Draw(r, "add") {
				group := rapid.SampledFrom([]string{"a", "b", "c", "d"}).Draw(r, "group")
				j := &job{group: group}
				require.True(r, q.add(j))
				waiting[group] = append(waiting[group], j)
				continue
			}
			j := q.take()
			if j == nil {
				require.Empty(r, waiting)
				continue
			}
			require.Same(r, waiting[j.group][0], j, "of a group, the first one is the next")
			if waiting[j.group] = waiting[j.group][1:]; len(waiting[j.group]) == 0 {
				delete(waiting, j.group)
			}
			delete(passed, j.group)
			for group := range waiting {
				if group != j.group {
					require.False(r, slices.Contains(passed[group], j.group), "%s waits while %s has two turns", group, j.group)
					passed[group] = append(passed[group], j.group)
				}
			}
		}
		require.True(r, q.close())
		require.False(r, q.close())
		require.False(r, q.add(&job{}), "closed")
		for range q.len() {
			require.NotNil(r, q.wait())
		}
		require.Nil(r, q.wait())
	})
}
