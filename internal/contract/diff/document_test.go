package diff

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestParseIsBounded(t *testing.T) {
	t.Parallel()
	var directives strings.Builder
	for i := range 50_000 {
		fmt.Fprintf(&directives, "%%TAG !e%d! tag:e,2000:\n", i) // the parser compares every two of them
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err := Parse(ctx, []byte(directives.String()+"---\npaths: {}\n"))
	require.ErrorIs(t, err, context.DeadlineExceeded)
}

// Parse reads YAML that JSON does not have: numbers as names, aliases, and an alias within its own anchor.
func TestParseReadsYAML(t *testing.T) {
	t.Parallel()
	theirs, err := Parse(t.Context(), []byte(`
shared: &shared
  itself: *shared
  content: {application/json: {schema: {properties: {id: {}}}}}
paths:
  /a:
    get:
      operationId: getA
      responses:
        200: *shared
`))
	require.NoError(t, err)
	require.Len(t, theirs.places, 1)
	require.Equal(t, "getA", theirs.places[0].id)
	require.Contains(t, theirs.places[0].response.members, "id")
}
