package api

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/cli/cmdutil"
)

// FuzzHeader holds -H to NAME: VALUE: nothing is lost of it but blanks, and nothing is added.
func FuzzHeader(f *testing.F) {
	for _, seed := range []string{
		"  x-a  :  b  ", "X-A: b: c", "X-A: b\r\nX-B: c", "X-A", ": b", "x-other:  z", "X-A: b",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, line string) {
		header, err := cmdutil.ReadHeader([]string{line, "X-Other: a"})
		if err != nil {
			require.ErrorIs(t, err, cmdutil.ErrUsage)
			return
		}
		require.LessOrEqual(t, len(header), 2)
		for name, values := range header {
			require.NotEmpty(t, name)
			require.NotContains(t, name, ":")
			for _, value := range values {
				require.Equal(t, strings.TrimSpace(value), value)
			}
		}
		name, value, _ := strings.Cut(line, ":")
		if strings.EqualFold(strings.TrimSpace(name), "x-other") {
			require.Equal(t, []string{strings.TrimSpace(value), "a"}, header["X-Other"])
		}
	})
}
