package transfer

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/follow"
	"github.com/payctl/payctl/internal/payments"
)

// An event of a transfer that --all does not mean adds no transfer.
func TestMembership(t *testing.T) {
	t.Parallel()
	to := string(payments.TransferStateAwaitingFunds)
	event := payments.Event{To: &to, Data: payments.EventData{AccountID: "acc_1", Reference: "invoice-42", ExternalID: "mine", BatchID: "bat_1"}}
	for _, c := range []struct {
		filter payments.TransferFilter
		wanted follow.Membership
	}{
		{payments.TransferFilter{}, follow.Member},
		{payments.TransferFilter{AccountID: "acc_1", States: []payments.TransferState{payments.TransferStateAwaitingFunds}, Reference: "invoice-42", ExternalID: "mine", BatchID: "bat_1"}, follow.Member},
		{payments.TransferFilter{AccountID: "acc_2"}, follow.NotMember},
		{payments.TransferFilter{States: []payments.TransferState{payments.TransferStateFailed}}, follow.NotMember},
		{payments.TransferFilter{Reference: "invoice-4"}, follow.NotMember},
		{payments.TransferFilter{ExternalID: "other"}, follow.NotMember},
		{payments.TransferFilter{BatchID: "bat_2"}, follow.NotMember},
	} {
		require.Equal(t, c.wanted, (&watchOptions{filter: c.filter}).membership(event), "%+v", c.filter)
	}
}
