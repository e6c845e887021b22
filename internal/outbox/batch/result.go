package batch

import (
	"cmp"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/rows"
)

// An Outcome is what is known about a row after a batch.
type Outcome = payments.Verdict

// The outcomes of a row.
const (
	Created Outcome = "created" // its transfer exists, made now or before
	Refused         = payments.Refused
	Unknown         = payments.Unknown
	NotSent         = payments.NotSent // the batch ended before it, and no earlier run of it has paid it
	// NotChecked is a row of a batch that ended before it was known whether an earlier run has paid it.
	NotChecked Outcome = "not_checked"
)

// A Result is a row with its outcome, as reports print it.
type Result struct {
	Row

	Outcome     Outcome `json:"outcome"`
	TransferID  string  `json:"transfer_id,omitzero"`
	State       string  `json:"state,omitzero"`
	ProblemType string  `json:"problem_type,omitzero"`
	Detail      string  `json:"detail,omitzero"`
	Beneficiary string  `json:"beneficiary,omitzero"` // as the service names the contact
	Fees        string  `json:"fees,omitzero"`
	CreatedAt   string  `json:"created_at,omitzero"`
	// Made is when the transfer was made: now or before this run.
	Made string `json:"made,omitzero"`

	// Sum is the amount of a row that was created with one, in Currency.
	Sum      *payments.Decimal `json:"-"`
	Currency string            `json:"-"`
	// AbsentIn is how long it takes until a row whose outcome is unknown counts as not done, so that it can be sent
	// again; zero if it need not be waited for.
	AbsentIn time.Duration `json:"-"`
	// Existed reports that the transfer was found, and so created before this run.
	Existed bool `json:"-"`
	// EarlierBatch is the batch that paid the row, if it existed and is of another one.
	EarlierBatch string `json:"-"`
	// EarlierFile is the name of that batch's file, if it is known.
	EarlierFile string `json:"-"`
	// Requested reports that the row took a request of its own, and so time.
	Requested bool `json:"-"`
}

// ReportColumns are the columns that a report adds to those of the input.
var ReportColumns = []string{
	"outcome", "transfer_id", "state", "problem_type", "detail", "beneficiary", "fees", "created_at", "made",
}

// Cell returns the text of a column.
func (r *Result) Cell(column string) string {
	if member := slices.Index(names[:], column); member >= 0 {
		return *r.values()[member]
	}
	if added := slices.Index(ReportColumns, column); added >= 0 {
		return []string{
			string(r.Outcome), r.TransferID, r.State, r.ProblemType, r.Detail, r.Beneficiary, r.Fees, r.CreatedAt, r.Made,
		}[added]
	}
	if column == contactIDColumn {
		return cmp.Or(r.ContactID, r.Contact)
	}
	return r.Metadata[strings.TrimPrefix(column, metadataPrefix)]
}

// CountEstablished counts the rows of a report that are created or refused, as far as it can be read.
func CountEstablished(report io.Reader) int {
	return rows.Count(report, "outcome", string(Created), string(Refused))
}

// setCreated sets the transfer of a row, which existed before this run or was made by it.
func (r *Result) setCreated(request payments.NewAutoTransfer, made payments.Transfer, existed bool) {
	r.Outcome, r.TransferID, r.State, r.Existed, r.Made = Created, made.ID, string(made.State), existed, "now"
	if existed {
		r.Made = "before"
	}
	if !made.CreatedAt.IsZero() {
		r.CreatedAt = made.CreatedAt.UTC().Format(time.RFC3339)
	}
	for i, fee := range made.Fees {
		if i > 0 {
			r.Fees += "; "
		}
		if fee.Amount != nil {
			r.Fees += fee.Amount.String() + " " + fee.Currency + " "
		}
		r.Fees += fee.Type + " (" + fee.Side + ")"
	}
	key, err := payments.ParseRouteKey(r.Route)
	if request.Amount == nil || err != nil {
		return
	}
	r.Sum, r.Currency = request.Amount, key.SourceCurrency
	if request.AmountType == payments.AmountTypeTarget {
		r.Currency = key.DestinationCurrency
	}
}
