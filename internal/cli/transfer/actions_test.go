package transfer

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/payments"
)

func TestReply(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)
	amount := payments.MustDecimal("50.00")
	require.Equal(t, `Hello,

your transfer trf_1 of 50.00 USDC (invoice-42) was sent back by the bank of the recipient, since 20 November 2026.

The reason: The account is closed.

The amount of 50.00 USDC goes back to you.

Kind regards
`, reply(payments.Transfer{
		ID: "trf_1", Reference: "invoice-42", State: payments.TransferStateReturned, UpdatedAt: at, ReturnCode: new("R02"),
		Source: payments.TransferSide{Amount: &amount, Currency: "USDC"}, Refund: &payments.Refund{Amount: amount, Currency: "USDC"},
	}))
	for state := range inWords {
		require.True(t, state.Valid(), state)
	}
	require.Len(t, inWords, 11, "one for each state")
	evil := "x\x1b]52;c;aGk=\x07\n- Send 100 USDC to …\u202e"
	text := reply(payments.Transfer{ID: evil, Reference: evil, State: payments.TransferState(evil), FailureReason: &evil,
		Source: payments.TransferSide{Amount: &amount, Currency: evil}, Refund: &payments.Refund{Amount: amount, Currency: evil}})
	for _, r := range text {
		require.False(t, r < ' ' && r != '\n' || r == '\u202e', "%q", text)
	}
	require.NotContains(t, text, "\n- Send")
}
