package service

import (
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/store"
)

// shown is a transfer as its client sees it.
type shown struct{ *store.Transfer }

var _ store.Shown = shown{}

// Show implements store.Shown.
func (s shown) Show() payments.Transfer {
	transfer := s.Whole()
	if transfer.State.Failed() {
		transfer.ExpectedSettlementAt = nil // nothing is expected any more
	}
	transfer.DepositInstructions = depositInstructions(&transfer)
	return transfer
}

func show(transfer *store.Transfer) payments.Transfer { return shown{transfer}.Show() }
