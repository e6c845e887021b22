package app

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// FuzzOutputArgument holds the form of the output, which a command line that cannot be read asks for, to be one of
// its words.
func FuzzOutputArgument(f *testing.F) {
	f.Add("--", "-o", "json")
	f.Add("--output=yaml", "", "")
	f.Add("-ojson", "", "")
	f.Add("x", "y", "-o")
	f.Add("--output", "csv", "")
	f.Add("-o", "json", "x")
	f.Fuzz(func(t *testing.T, a, b, c string) {
		args := []string{a, b, c}
		format := outputArgument(args)
		if format == "" {
			return
		}
		require.Contains(t, a+"\n"+b+"\n"+c, format)
		require.NotEqual(t, "--", a, "an argument after -- is no flag")
		require.Equal(t, format, outputArgument([]string{"-o", format}))
		require.Equal(t, format, outputArgument([]string{"--output=" + format, "-o", "other"}))
	})
}
