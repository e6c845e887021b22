package payments

import (
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

// Each known code is explained by a sentence; an unknown one is its own message, and is not shown twice.
func TestTransferReasons(t *testing.T) {
	t.Parallel()
	require.Equal(t, "The account is closed. (AC04)", TransferReason("AC04").Text())
	require.Equal(t, KYCReason{Code: "X99", Message: "X99"}, TransferReason("X99"))
	require.Equal(t, "X99", TransferReason("X99").Text())
	sentence := regexp.MustCompile(`^[A-Z].*[a-z]\.$`)
	for code, words := range transferReasons() {
		require.Regexp(t, sentence, words, code)
	}
}
