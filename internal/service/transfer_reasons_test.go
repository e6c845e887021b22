package service

import (
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/payments"
)

// The client has words for every code that the reference service gives by itself.
func TestTransferReasonsAreInWords(t *testing.T) {
	t.Parallel()
	codes := append(slices.Collect(maps.Values(usualTransferReasons)), ReasonFundingMismatch, ReasonFundingOutOfBounds, ReasonRouteUnavailable)
	for _, code := range codes {
		require.NotEqual(t, code, payments.TransferReason(code).Message, code)
	}
}
