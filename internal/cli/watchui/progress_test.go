package watchui

import (
	"bytes"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// Notices tell how far loading is: the time that is left where it is known how many there are, and else the pace. What
// is loaded in a moment has none.
func TestProgressOfLoading(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		total, perSecond int
		want             string
	}{
		"pace": {0, 5000, "Reading the accounts: 25,000 so far, 5,000/s.\nReading the accounts: 50,000 so far, 5,000/s.\n"},
		"time": {120_000, 5000, "Reading the accounts: 25,000 of 120,000 so far, about 19s left.\n" +
			"Reading the accounts: 50,000 of 120,000 so far, about 14s left.\n"},
		"moment": {20_000, 5000, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var notices bytes.Buffer
				out := groupedOutput(&bytes.Buffer{}, &notices)
				out.began = time.Now()
				p := newProgress(out, c.total)
				const steps = 10
				for i := range 19 * steps {
					if read := (i + 1) * c.perSecond / steps; c.total == 0 || read <= c.total {
						<-time.After(time.Second / steps)
						p.observe(read)
					}
				}
				require.Equal(t, c.want, notices.String())
			})
		})
	}
}

// A pace of less than one a second is told by the minute, and nothing is said about a time that cannot be known.
func TestSlowProgress(t *testing.T) {
	t.Parallel()
	p := &progress{}
	require.Equal(t, "30/min", p.rest(5, 10*time.Second))
	require.Equal(t, "0/min", p.rest(0, 10*time.Second))
	p.total = 100
	require.Equal(t, "0/min", p.rest(0, 10*time.Second))
	require.Equal(t, "about 3m10s left", p.rest(5, 10*time.Second))
}
