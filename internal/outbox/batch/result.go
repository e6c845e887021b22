package batch

import (
	"bytes"
	"io"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/rows"
)

// An Outcome is what is known about a row after a batch or an import.
type Outcome = payments.Verdict

// The outcomes of a row.
const (
	Created Outcome = "created" // a transfer exists, made now or before; of an import: it was made by this run
	Refused         = payments.Refused
	Unknown         = payments.Unknown
	NotSent         = payments.NotSent // the batch ended before it, and no earlier run of it has paid it
	// NotChecked is a row that was not reached before it was known what an earlier run has done.
	NotChecked Outcome = "not_checked"

	// Existed and Different are outcomes of imports: something with the row's external id exists, with its content or not.
	Existed   Outcome = "existed"
	Different Outcome = "different"
)

// A Cell is a text of a row in a column of the report, as it may be shown.
type Cell struct{ Column, Text string }

// A Result is a row with its outcome.
type Result struct {
	Line  int
	Cells []Cell // the row

	Outcome Outcome
	// ID and State are those of what exists: a transfer, or an account or contact.
	ID, State   string
	ProblemType string
	Detail      string
	Beneficiary string // as the service names the contact
	Fees        string
	CreatedAt   string // in RFC 3339
	Made        string // when it was made: now, by this run, or before

	// Sum is the amount of a transfer; nil if it has none.
	Sum *Total
	// AbsentIn is how long it takes until a row whose outcome is unknown counts as not done, so that it can be sent
	// again; zero if it need not be waited for.
	AbsentIn time.Duration
	// EarlierBatch is the batch that paid the row, if that was another one, and EarlierFile the name of its file, if known.
	EarlierBatch, EarlierFile string
	// Requested reports that the row took a request of its own, and so time.
	Requested bool

	isImport bool
}

// Exists reports whether what the row asks for exists.
func (r *Result) Exists() bool { return r.Outcome == Created || r.Outcome == Existed }

// ExistedBefore reports whether it existed before this run.
func (r *Result) ExistedBefore() bool { return r.Exists() && r.Made == "before" }

// The columns that a report adds to those of the input.
var (
	TransferColumns = []string{
		"outcome", "transfer_id", "state", "problem_type", "detail", "beneficiary", "fees", "created_at", "made",
	}
	ImportColumns = []string{"outcome", "id", "status", "problem_type", "detail", "created_at", "made"}
)

// Cell returns the text of a column.
func (r *Result) Cell(column string) string {
	switch column {
	case "outcome":
		return string(r.Outcome)
	case "transfer_id", "id":
		return r.ID
	case "state", "status":
		return r.State
	case "problem_type":
		return r.ProblemType
	case "detail":
		return r.Detail
	case "beneficiary":
		return r.Beneficiary
	case "fees":
		return r.Fees
	case "created_at":
		return r.CreatedAt
	case "made":
		return r.Made
	}
	for i := range r.Cells {
		if r.Cells[i].Column == column {
			return r.Cells[i].Text
		}
	}
	return ""
}

// MarshalJSON implements json.Marshaler: it writes the line and the columns that have a text; metadata is an object.
func (r *Result) MarshalJSON() ([]byte, error) {
	tokens := []jsontext.Token{jsontext.BeginObject, jsontext.String("line"), jsontext.Int(int64(r.Line))}
	add := func(name, text string) {
		if text != "" {
			tokens = append(tokens, jsontext.String(name), jsontext.String(text))
		}
	}
	var metadata []Cell
	for _, cell := range r.Cells {
		if name, is := strings.CutPrefix(cell.Column, metadataPrefix); is {
			metadata = append(metadata, Cell{name, cell.Text})
		} else {
			add(cell.Column, cell.Text)
		}
	}
	if len(metadata) > 0 {
		tokens = append(tokens, jsontext.String("metadata"), jsontext.BeginObject)
		for _, cell := range metadata {
			add(cell.Column, cell.Text)
		}
		tokens = append(tokens, jsontext.EndObject)
	}
	columns := TransferColumns
	if r.isImport {
		columns = ImportColumns
	}
	for _, column := range columns {
		add(column, r.Cell(column))
	}
	var text bytes.Buffer
	to := jsontext.NewEncoder(&text)
	for _, token := range append(tokens, jsontext.EndObject) {
		if err := to.WriteToken(token); err != nil {
			return nil, err
		}
	}
	return text.Bytes(), nil
}

// CountEstablished counts the rows of a report whose outcome needs no further run, as far as it can be read.
func CountEstablished(report io.Reader) int {
	return rows.Count(report, "outcome", string(Created), string(Existed), string(Different), string(Refused))
}

// setCreated sets what exists for the row, which existed before this run or was made by it.
func (r *Result) setCreated(made payments.Transfer, existed bool) {
	r.Outcome, r.ID, r.State, r.Made = Created, made.ID, string(made.State), "now"
	if existed {
		r.Made = "before"
	}
	if existed && r.isImport {
		r.Outcome = Existed
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
}
