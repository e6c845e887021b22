package app

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/cli/deps"
	"github.com/payctl/payctl/internal/server"
)

// FuzzParseClients holds --client to ID:SECRET, and its refusal to tell nothing of a secret.
func FuzzParseClients(f *testing.F) {
	f.Fuzz(func(t *testing.T, one, two string) {
		clients, first, err := parseClients([]string{one, two})
		if err != nil {
			require.ErrorIs(t, err, deps.ErrUsage)
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

// FuzzRateLimit holds --rate-limit to its bounds, and what is read to be read again.
func FuzzRateLimit(f *testing.F) {
	f.Fuzz(func(t *testing.T, text string) {
		limit, err := rateLimit(text)
		if err != nil {
			require.ErrorIs(t, err, deps.ErrUsage)
			return
		}
		if text == "" {
			require.Nil(t, limit)
			return
		}
		require.Positive(t, limit.Requests)
		require.LessOrEqual(t, limit.Requests, server.MaxRateLimit)
		require.GreaterOrEqual(t, limit.Window, time.Second)
		require.LessOrEqual(t, limit.Window, time.Hour)
		require.Zero(t, limit.Window%time.Second)
		again, err := rateLimit(fmt.Sprintf("%d/%ds", limit.Requests, limit.Window/time.Second))
		require.NoError(t, err)
		require.Equal(t, limit, again)
	})
}

// FuzzOutputArgument holds the form of the output, which a command line that cannot be read asks for, to be one of its words.
func FuzzOutputArgument(f *testing.F) {
	f.Fuzz(func(t *testing.T, a, b, c string) {
		args := []string{a, b, c}
		format := outputArgument(args)
		if format == "" {
			return
		}
		require.Contains(t, a+"\n"+b+"\n"+c, format)
		require.NotEqual(t, "--", a, "what stands behind -- is no flag")
		require.Equal(t, format, outputArgument([]string{"-o", format}))
		require.Equal(t, format, outputArgument([]string{"--output=" + format, "-o", "other"}))
	})
}
