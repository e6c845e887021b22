package client

import (
	"context"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/payments"
)

// Each request waits for its turn, also a repeated one and one for a stream. The wait for the first does not count
// towards the call's timeout.
func TestPace(t *testing.T) {
	t.Parallel()
	s := serve(t, func(w http.ResponseWriter, _ *http.Request, n int) {
		if n < 3 {
			replyProblem(w, http.StatusServiceUnavailable, payments.ProblemUnavailable)
			return
		}
		replyJSON(w, http.StatusOK, infoBody)
	})
	var turns []bool // whether the turn was waited for within the call's time
	c, _ := connect(t, s.URL, func(config *Config) {
		config.Retries = 2
		config.Pace = func(ctx context.Context) error {
			_, within := ctx.Deadline()
			turns = append(turns, within)
			return nil
		}
	})
	_, err := c.SelectRoutes(t.Context(), payments.RouteSelection{})
	require.NoError(t, err)
	require.Equal(t, []bool{false, true, true}, turns)
	require.Equal(t, 3, s.count())
	_ = c.StreamEvents(t.Context(), payments.EventFilter{}, func(payments.EventMessage) error { return nil })
	require.Equal(t, []bool{false, true, true, false}, turns)
	require.Equal(t, 4, s.count())
}
