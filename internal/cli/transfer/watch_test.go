package transfer

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/watch"
)

// An event of a transfer that --all does not mean takes none in.
func TestWhoBelongsToAll(t *testing.T) {
	t.Parallel()
	to := string(payments.TransferStateAwaitingFunds)
	event := payments.Event{To: &to, Data: payments.EventData{AccountID: "acc_1", Reference: "invoice-42", ExternalID: "mine", BatchID: "bat_1"}}
	for _, c := range []struct {
		filter payments.TransferFilter
		wanted watch.Belonging
	}{
		{payments.TransferFilter{}, watch.Member},
		{payments.TransferFilter{AccountID: "acc_1", State: payments.TransferStateAwaitingFunds, Reference: "invoice-42", ExternalID: "mine", BatchID: "bat_1"}, watch.Member},
		{payments.TransferFilter{AccountID: "acc_2"}, watch.Foreign},
		{payments.TransferFilter{State: payments.TransferStateFailed}, watch.Foreign},
		{payments.TransferFilter{Reference: "invoice-4"}, watch.Foreign},
		{payments.TransferFilter{ExternalID: "other"}, watch.Foreign},
		{payments.TransferFilter{BatchID: "bat_2"}, watch.Foreign},
	} {
		require.Equal(t, c.wanted, (&watchOptions{filter: c.filter}).belongs(event), "%+v", c.filter)
	}
}
