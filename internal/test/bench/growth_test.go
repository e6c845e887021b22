package main

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestGCTrace(t *testing.T) {
	t.Parallel()
	var trace gcTrace
	for _, line := range []string{
		"gc 1 @0.010s 2%: 0.018+1.5+0.25 ms clock, 0.036+0.39/1.2/0+0.5 ms cpu, 3->4->1 MB, 4 MB goal, 0 MB stacks, 0 MB globals, 2 P",
		"a warning of the service",
		"gc 2 @1.010s 2%: 0.5+20+0.25 ms clock, 1+3.9/1.2/0+0.5 ms cpu, 30->31->12 MB, 33 MB goal, 0 MB stacks, 0 MB globals, 2 P",
	} {
		trace.add(line)
	}
	require.Equal(t, collections{
		count: 2, live: 12 * mebibyte, pause: 500 * time.Microsecond, longest: 20750 * time.Microsecond,
	}, trace.take())
	require.Equal(t, collections{live: 12 * mebibyte}, trace.take(), "what is in use stays known")
}
