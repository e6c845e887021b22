package client

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// FuzzQuota checks that a quota is within its bounds, whatever a service announces.
func FuzzQuota(f *testing.F) {
	f.Fuzz(func(t *testing.T, policy, limit string) {
		q, ok := parseQuota(http.Header{"Ratelimit-Policy": {policy}, "Ratelimit": {limit}})
		if !ok {
			require.Zero(t, q)
			return
		}
		require.Positive(t, q.Most)
		require.GreaterOrEqual(t, q.Window, time.Second)
		require.GreaterOrEqual(t, q.Left, 0)
		require.LessOrEqual(t, q.Left, q.Most)
	})
}
