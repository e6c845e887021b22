package payments

import (
	"errors"
	"fmt"
)

// CheckInvariants checks that no money appears or disappears in a transfer: the source amount is the source-side fees plus the
// converted amount; the converted amount × rate is the destination amount plus the destination-side fees plus the residue.
// The error names what does not add up.
func (t Transfer) CheckInvariants() error {
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
		return fmt.Errorf("source-side fees and the converted amount are %s, not the source amount %s", source, t.Source.Amount)
	}
	if converted := t.ConvertedAmount.Mul(t.ExchangeRate); !destination.Equal(converted) {
		return fmt.Errorf("destination, destination-side fees and residue are %s, not the converted amount at its rate, %s", destination, converted)
	}
	return nil
}

// CheckInvariants checks that the state machine of the event's subject has the transition that the event reports.
func (e Event) CheckInvariants() error {
	from, to := "", ""
	if e.From != nil {
		from = *e.From
	}
	if e.To != nil {
		to = *e.To
	}
	var legal bool
	switch e.Type {
	case EventTypeKYCStatusChanged:
		legal = e.From == nil && e.To != nil || KYCStatus(from).CanBecome(KYCStatus(to))
	case EventTypeTransferStateChanged:
		legal = TransferState(from).CanBecome(TransferState(to))
	case EventTypeTransferCreated:
		legal = e.From == nil && e.To != nil
	default:
		legal = e.From == nil && e.To == nil
	}
	if !legal {
		return fmt.Errorf("%s from %q to %q is not a transition of the state machine", e.Type, from, to)
	}
	return nil
}
