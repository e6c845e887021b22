package service

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// RFC 9110 section 8.8.3.2 has the table of comparisons; lists and * are section 13.1.1's and 13.1.2's.
func TestEntityTagComparison(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		list, tag    string
		weak, strong bool
	}{
		{`"1"`, `"1"`, true, true},
		{`W/"1"`, `"1"`, true, false},
		{`"1"`, `W/"1"`, true, false},
		{`W/"1"`, `W/"1"`, true, false},
		{`W/"1"`, `W/"2"`, false, false},
		{`"2"`, `"1"`, false, false},
		{`*`, `"1"`, true, true},
		{` * `, `"1"`, true, true},
		{`"2", "1"`, `"1"`, true, true},
		{`"2","1"`, `"1"`, true, true},
		{`"2" , W/"1"`, `"1"`, true, false},
		{`, "2",, "1" ,`, `"1"`, true, true},
		{`"1", 2`, `"1"`, false, false},
		{`"1", *`, `"1"`, false, false},
		{`"a,b", "1"`, `"1"`, true, true},
		{`",*,"`, `"1"`, false, false},
		{`",1,"`, `1`, false, false},
		{`w/"1"`, `"1"`, false, false},
		{`1`, `"1"`, false, false},
		{`"1`, `"1"`, false, false},
		{`"2" "1"`, `"1"`, false, false},
		{`"2", *`, `"1"`, false, false},
		{`"1"x`, `"1"`, false, false},
		{`"1";q=1`, `"1"`, false, false},
		{`"1""1"`, `"1"`, false, false},
		{`W/ "1"`, `"1"`, false, false},
		{``, `"1"`, false, false},
	} {
		require.Equal(t, c.weak, names(c.list, c.tag, true), "%q weakly with %q", c.list, c.tag)
		require.Equal(t, c.strong, names(c.list, c.tag, false), "%q strongly with %q", c.list, c.tag)
	}
}
