package store_test

import (
	"encoding/base64"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/store"
)

// FuzzAnswer reads the answers of snapshots, which anybody may have written.
func FuzzAnswer(f *testing.F) {
	f.Fuzz(func(t *testing.T, encoded string) {
		var answer store.Answer
		expected, wrong := base64.StdEncoding.DecodeString(encoded)
		require.Equal(t, wrong == nil, answer.UnmarshalText([]byte(encoded)) == nil)
		if wrong != nil {
			return
		}
		require.Equal(t, string(expected), string(answer.Text()))
		again, err := answer.MarshalText()
		require.NoError(t, err)
		require.Equal(t, base64.StdEncoding.EncodeToString(expected), string(again))
	})
}
