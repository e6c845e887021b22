package payments

import "fmt"

// Breaks says how the amounts of a transfer break the law that no money comes or goes: source is source-side fees and
// converted; converted × rate is destination, destination-side fees and residue. It is empty when they do not.
func (t Transfer) Breaks() string {
	if t.Source.Amount == nil {
		if t.ConvertedAmount != nil || t.Destination.Amount != nil || t.RoundingResidue != nil {
			return "it has amounts, but no source amount"
		}
		return ""
	}
	if t.ConvertedAmount == nil || t.Destination.Amount == nil || t.RoundingResidue == nil {
		return "it has a source amount, but not all of the others"
	}
	source, destination := *t.ConvertedAmount, t.Destination.Amount.Add(*t.RoundingResidue)
	for _, fee := range t.Fees {
		switch {
		case fee.Amount == nil:
			return "a fee has no amount"
		case fee.Side == "source":
			source = source.Add(*fee.Amount)
		default:
			destination = destination.Add(*fee.Amount)
		}
	}
	if !source.Equal(*t.Source.Amount) {
		return fmt.Sprintf("source-side fees and the converted amount are %s, not the source amount %s", source, t.Source.Amount)
	}
	if converted := t.ConvertedAmount.Mul(t.ExchangeRate); !destination.Equal(converted) {
		return fmt.Sprintf("destination, destination-side fees and residue are %s, not the converted amount at its rate, %s", destination, converted)
	}
	return ""
}

// Breaks says how an event tells of a step that its state machine does not have. It is empty when it does not.
func (e Event) Breaks() string {
	from, to := "", ""
	if e.From != nil {
		from = *e.From
	}
	if e.To != nil {
		to = *e.To
	}
	var lawful bool
	switch e.Type {
	case EventTypeKYCStatusChanged:
		lawful = e.From == nil && e.To != nil || KYCStatus(from).CanBecome(KYCStatus(to))
	case EventTypeTransferStateChanged:
		lawful = TransferState(from).CanBecome(TransferState(to))
	case EventTypeTransferCreated:
		lawful = e.From == nil && e.To != nil
	default:
		lawful = e.From == nil && e.To == nil
	}
	if lawful {
		return ""
	}
	return fmt.Sprintf("%s from %q to %q is no step that there is", e.Type, from, to)
}
