package payments

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestEveryProblemKindIsDescribed(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, d := range ProblemDescriptions {
		require.Equal(t, d, Describe(d.Type))
		require.NotEmpty(t, http.StatusText(d.Status))
		require.GreaterOrEqual(t, d.Status, 400)
		require.False(t, seen[d.Title], "%s shares its title", d.Type)
		seen[d.Title] = true
		refusal := NewProblem(d.Type, "It was %s.", "so")
		require.Equal(t, d.Type, refusal.ProblemType())
		require.Equal(t, "It was so.", refusal.Detail)
	}
	require.Equal(t, ProblemInternal, Describe("no-such-kind").Type)
}
