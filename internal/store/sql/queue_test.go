package sql_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	storesql "github.com/payctl/payctl/internal/store/sql"
)

// TestGather checks after which groups a queue waits for more updates, and when it stops.
func TestGather(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		waiting, before, later int
		worth, ends            bool
	}{
		"a few callers":                       {waiting: 2, before: 3},
		"all come again":                      {waiting: 6, before: 10, later: 10, worth: true, ends: true},
		"they come and no other update waits": {before: 10, later: 10, worth: true, ends: true},
		"some do not come":                    {waiting: 6, before: 10, later: 9, worth: true},
		"a whole group waits":                 {waiting: 256, before: 100},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			worth, ends := storesql.Gather(c.waiting, c.before, c.later)
			require.Equal(t, c.worth, worth)
			require.Equal(t, c.ends, ends)
		})
	}
}
