package batch

import (
	"github.com/payctl/payctl/internal/payments"
)

// An Outcome is what became of a row.
type Outcome string

// The outcomes of a row.
const (
	Created Outcome = "created"  // the transfer is there, made now or before
	Refused Outcome = "refused"  // the service said no, or the reference belongs to another transfer
	Unknown Outcome = "unknown"  // it was sent, and whether it took effect is not known
	NotSent Outcome = "not_sent" // the batch ended before it
)

// A Result is a row with what became of it.
type Result struct {
	Line       int               `json:"line"`
	Reference  string            `json:"reference"`
	Contact    string            `json:"contact"`
	Route      string            `json:"route"`
	Amount     string            `json:"amount,omitzero"`
	AmountType string            `json:"amount_type,omitzero"`
	Metadata   map[string]string `json:"metadata,omitempty"`

	Outcome     Outcome `json:"outcome"`
	TransferID  string  `json:"transfer_id,omitzero"`
	State       string  `json:"state,omitzero"`
	ProblemType string  `json:"problem_type,omitzero"`
	Detail      string  `json:"detail,omitzero"`

	// Sum is the amount with the currency that it counts in, of a row that was created with one.
	Sum *payments.Decimal `json:"-"`
	// Currency is the currency of Sum.
	Currency string `json:"-"`
	// Before says that the transfer was found, and so made before its row was sent.
	Before bool `json:"-"`
	// Asked says that the service was asked about the row by itself, which takes time.
	Asked bool `json:"-"`
}

// ReportColumns are the columns that a report adds to those of the input.
func ReportColumns() []string {
	return []string{"outcome", "transfer_id", "state", "problem_type", "detail"}
}

// Cell is the value of a column.
func (r *Result) Cell(column string) string {
	switch column {
	case names[reference]:
		return r.Reference
	case names[contact]:
		return r.Contact
	case names[route]:
		return r.Route
	case names[amount]:
		return r.Amount
	case names[amountType]:
		return r.AmountType
	case "outcome":
		return string(r.Outcome)
	case "transfer_id":
		return r.TransferID
	case "state":
		return r.State
	case "problem_type":
		return r.ProblemType
	case "detail":
		return r.Detail
	}
	if len(column) > len(metadataPrefix) {
		return r.Metadata[column[len(metadataPrefix):]]
	}
	return ""
}

func resultOf(row *Row) Result {
	return Result{
		Line: row.Line, Reference: row.Reference(), Contact: row.Contact(), Route: row.Route(),
		Amount: row.Amount(), AmountType: row.AmountType(), Metadata: row.Metadata,
	}
}

// created fills in the transfer that a row has.
func (r *Result) created(request payments.NewAutoTransfer, id, state string) {
	r.Outcome, r.TransferID, r.State = Created, id, state
	key, err := payments.ParseRouteKey(r.Route)
	if request.Amount == nil || err != nil {
		return
	}
	r.Sum, r.Currency = request.Amount, key.SourceCurrency
	if request.AmountType == payments.AmountTypeTarget {
		r.Currency = key.DestinationCurrency
	}
}
