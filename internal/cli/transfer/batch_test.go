package transfer

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The contract counts the characters of a batch id, and so does the flag, which takes nothing that cannot be sent.
func TestTheLengthOfABatchID(t *testing.T) {
	t.Parallel()
	require.NoError(t, (&batchOptions{concurrency: 1, batchID: strings.Repeat("ü", maxBatchID)}).check(nil))
	require.ErrorContains(t, (&batchOptions{concurrency: 1, batchID: strings.Repeat("u", maxBatchID+1)}).check(nil), "longer than 128 characters")
	require.ErrorContains(t, (&batchOptions{concurrency: 1, batchID: "a\xff"}).check(nil), "not UTF-8")
	require.ErrorContains(t, (&batchOptions{concurrency: 1, batchID: "bat_1\u200b"}).check(nil),
		"has an invisible character, U+200B, at character 6")
}
