package sandbox

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// FuzzParseTag checks that a text without the marker has no outcome, that an outcome comes from the text, and that the
// number of reads is within its bounds.
func FuzzParseTag(f *testing.F) {
	for _, seed := range []string{
		"ada+\u212ayc-rejected", "ada+kyc-stuck-polls-99999999999999999999", "ada", "ada+kyc-polls-2",
		"ada+kyc-rejected", "ada+kyc-rejected-polls-3", "a+kyc-paused+KYC-Expired",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		outcome, polls := parseTag(text, kycTag)
		require.GreaterOrEqual(t, polls, 0)
		require.LessOrEqual(t, polls, maxPolls)
		lower := strings.ToLower(text)
		require.Contains(t, lower, outcome)
		if !strings.Contains(lower, kycTag) {
			require.Empty(t, outcome)
			require.Zero(t, polls)
		}
	})
}
