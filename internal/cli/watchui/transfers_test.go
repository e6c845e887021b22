package watchui

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/ui"
)

// An event of the reference service tells as much as the transfer; what another service leaves out is taken from what
// was known before.
func TestRecordsOfTransfers(t *testing.T) {
	t.Parallel()
	by := time.Unix(1000, 0)
	source := payments.TransferSide{Currency: "USDC", PaymentRail: "base", Amount: new(payments.MustDecimal("5.00"))}
	destination := payments.TransferSide{Currency: "EUR", Amount: new(payments.MustDecimal("4.05"))}
	whole := recordOfTransfer(payments.Transfer{
		Reference: "invoice-42", ExternalID: "mine", BatchID: "bat_1", AccountID: "acc_1", DestinationSavedContactID: "sct_1",
		Route: "a->b", Source: source, Destination: destination, ExpectedSettlementAt: &by,
	})
	require.Equal(t, whole, recordOfEvent(payments.EventData{
		Reference: "invoice-42", ExternalID: "mine", BatchID: "bat_1", AccountID: "acc_1", DestinationSavedContactID: "sct_1",
		Route: "a->b", Source: &source, Destination: &destination, ExpectedSettlementAt: &by,
	}))
	require.Equal(t, len("invoice-42minebat_1acc_1sct_1a->bUSDCbaseEUR"), whole.Size())
	require.Equal(t, []ui.Cell{ui.Text("5.00 USDC"), ui.Text("invoice-42")}, transferWords(whole))
	require.Empty(t, transferWords(nil))

	little := recordOfEvent(payments.EventData{Reference: "invoice-43"})
	merged, _ := little.Over(whole).(TransferRecord)
	require.Equal(t, "invoice-43", merged.Reference)
	require.Equal(t, "sct_1", merged.ContactID)
	require.Equal(t, "5.00", merged.Source.Amount.String())
	require.Equal(t, "4.05", merged.Destination.Amount.String())
	require.True(t, merged.Expected.IsZero(), "it belongs to the state")

	require.Equal(t, by, transferDeadline("payment_submitted", whole))
	require.Equal(t, by, transferDeadline("in_review", whole))
	for _, state := range []string{"awaiting_funds", "payment_processed", "failed"} {
		require.Zero(t, transferDeadline(state, whole), state)
	}
	require.Zero(t, transferDeadline("payment_submitted", nil))
}
