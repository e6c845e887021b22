package app

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/cli/cmdutil"
)

// FuzzParseClients holds --client to ID:SECRET, and its error to repeat nothing of a secret.
func FuzzParseClients(f *testing.F) {
	f.Add("a:b:c", "d:e")
	f.Add(":secret-of-nobody", "b:c")
	f.Add("a:", "b:c")
	f.Add("secret-without-an-id", "b:c")
	f.Add("a:b", "a:c")
	f.Add("a:b", "c:d")
	f.Fuzz(func(t *testing.T, one, two string) {
		clients, first, err := parseClients([]string{one, two})
		if err != nil {
			require.ErrorIs(t, err, cmdutil.ErrUsage)
			require.Empty(t, clients)
			if len(one) > 9 {
				require.NotContains(t, err.Error(), one)
			}
			return
		}
		require.Equal(t, one, first.id+":"+first.secret)
		require.NotContains(t, first.id, ":")
		require.NotEmpty(t, first.secret)
		for id, secret := range clients {
			require.NotEmpty(t, id)
			require.Contains(t, []string{one, two}, id+":"+secret)
		}
		if first.id != two[:min(len(first.id), len(two))] {
			require.Equal(t, first.secret, clients[first.id])
		}
	})
}

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
