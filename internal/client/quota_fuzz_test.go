package client

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// FuzzQuota checks that a quota is within its bounds, whatever a service announces.
func FuzzQuota(f *testing.F) {
	f.Add("100;w=60", "limit=100, remaining=50, reset=30")
	f.Add(`"d";q=99999999999999999999;w=1`, `"d";r=1`)
	f.Add(`"d";q=-1;w=-1`, `"d";r=-1`)
	f.Add("", "")
	f.Add(`"a";q=1;w=1, "b";q=100;w=60`, `"a";r=0;t=1, "b";r=9;t=1`)
	f.Add(`"default";q=100;w=60`, `"default";r=50;t=30`)
	f.Fuzz(func(t *testing.T, policy, limit string) {
		c := &Client{config: Config{Limited: func(most int, window time.Duration, left int) {
			require.Positive(t, most)
			require.GreaterOrEqual(t, window, time.Second)
			require.GreaterOrEqual(t, left, 0)
			require.LessOrEqual(t, left, most)
		}}}
		c.noteQuota(http.Header{"Ratelimit-Policy": {policy}, "Ratelimit": {limit}})
	})
}
