package server_test

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/refserver"
)

// planned is a request of an actor, with the token that it then had.
type planned struct {
	*asked
	token string
}

// With a seed and a clock that stands still, the same requests get the same bytes: in memory and in a folder, whatever
// the other world does meanwhile, before it, after it or at the same time.
func TestAnythingIsTheSameAgain(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var plans [2][]planned
		first := openTwo(t, refserver.Config{})
		first.begin(t)
		for range 18 {
			i := rapid.IntRange(0, 1).Draw(t, "client")
			a, other := first.actors[i], first.actors[1-i]
			asked := drawAsked(t, a, other)
			if asked.op == &contract.SetSandboxClock || strings.HasPrefix(asked.path, "/sandbox/clock/v1") {
				continue // a clock that runs is another each time
			}
			plans[i] = append(plans[i], planned{asked, a.token})
			first.ask(t, asked, a, other)
		}
		require.NoError(t, first.Close())

		folder, err := os.MkdirTemp("", "payctl-seed-")
		require.NoError(t, err)
		defer func() { _ = os.RemoveAll(folder) }()
		backwards := openTwo(t, refserver.Config{Data: folder})
		backwards.begin(t)
		for i := 1; i >= 0; i-- {
			require.NoError(t, backwards.follow(i, plans[i]))
			require.Equal(t, first.actors[i].heard, backwards.actors[i].heard)
		}
		require.NoError(t, backwards.Close())

		beside := openTwo(t, refserver.Config{})
		beside.begin(t)
		var both sync.WaitGroup
		var failed [2]error
		for i := range plans {
			both.Go(func() { failed[i] = beside.follow(i, plans[i]) })
		}
		both.Wait()
		for i := range plans {
			require.NoError(t, failed[i])
			require.Equal(t, first.actors[i].heard, beside.actors[i].heard)
		}
		require.NoError(t, beside.Close())
	})
}

// follow repeats planned requests with tokens of its own. It does not check what the other actor may know: the first run did.
func (x *two) follow(i int, plan []planned) (err error) {
	t := &collector{}
	defer func() {
		if cause := recover(); cause == any(t) {
			err = t.err
		} else if cause != nil {
			panic(cause)
		}
	}()
	for _, next := range plan {
		again := *next.asked
		again.header = next.header.Clone()
		for name := range again.header {
			for j, value := range again.header[name] {
				again.header[name][j] = strings.ReplaceAll(value, next.token, x.actors[i].token)
			}
		}
		x.ask(t, &again, x.actors[i], &actor{name: "nobody"})
	}
	return nil
}

// collector ends what failed also on another goroutine than the test's.
type collector struct{ err error }

func (c *collector) Errorf(format string, args ...any) {
	c.err = fmt.Errorf(format, args...)
}

func (c *collector) FailNow() { panic(c) }
