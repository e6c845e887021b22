package server

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/go-json-experiment/json"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/payments"
)

// checkInvariants checks that the amounts of transfers in a successful response add up. JSON Schema cannot express
// that.
func checkInvariants(op *contract.Operation, body []byte) (found []contract.Violation) {
	var page payments.TransferPage
	var err error
	switch op {
	case &contract.CreateAutoTransfer, &contract.GetTransfer, &contract.CancelTransfer,
		&contract.CreateSandboxDeposit, &contract.SetSandboxTransferState:
		page.Data = make([]payments.Transfer, 1)
		err = json.Unmarshal(body, &page.Data[0])
	case &contract.ListTransfers:
		err = json.Unmarshal(body, &page)
	}
	for i := 0; err == nil && i < len(page.Data); i++ {
		if fault := checkAmounts(page.Data[i]); fault != nil {
			found = append(found, contract.Violation{Place: "body.data[" + strconv.Itoa(i) + "]", Reason: fault.Error()})
		}
	}
	if err != nil {
		found = append(found, contract.Violation{Place: "body", Reason: "it cannot be read: " + err.Error()})
	}
	return found
}

// checkAmounts checks that no money appears or disappears in a transfer. The source amount is the source-side fees plus
// the converted amount. The converted amount × rate is the destination amount plus the destination-side fees plus the
// residue.
func checkAmounts(t payments.Transfer) error {
	if t.Source.Amount == nil {
		if t.ConvertedAmount != nil || t.Destination.Amount != nil || t.RoundingResidue != nil {
			return errors.New("it has amounts, but no source amount")
		}
		return nil
	}
	if t.ConvertedAmount == nil || t.Destination.Amount == nil || t.RoundingResidue == nil {
		return errors.New("it has a source amount, but not all of the others")
	}
	source, destination := *t.ConvertedAmount, t.Destination.Amount.Add(*t.RoundingResidue)
	for _, fee := range t.Fees {
		switch {
		case fee.Amount == nil:
			return errors.New("a fee has no amount")
		case fee.Side == "source":
			source = source.Add(*fee.Amount)
		default:
			destination = destination.Add(*fee.Amount)
		}
	}
	if !source.Equal(*t.Source.Amount) {
		return fmt.Errorf("source-side fees and the converted amount are %s, not the source amount %s",
			source, t.Source.Amount)
	}
	if converted := t.ConvertedAmount.Mul(t.ExchangeRate); !destination.Equal(converted) {
		return fmt.Errorf("destination, destination-side fees and residue are %s, not the converted amount at its rate, %s",
			destination, converted)
	}
	return nil
}
