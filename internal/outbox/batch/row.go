package batch

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/payctl/payctl/internal/effect"
	"github.com/payctl/payctl/internal/outbox"
	"github.com/payctl/payctl/internal/outbox/journal"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/rows"
)

// The outcomes that only rows have.
const (
	Created effect.Outcome = "created" // a transfer exists; in an import: this run made it
	// NotChecked is a row that was not reached. An earlier run may have done it.
	NotChecked effect.Outcome = "not_checked"

	// Existed and Different are outcomes of imports. Something with the row's external id exists, with the same or
	// other content.
	Existed   effect.Outcome = "existed"
	Different effect.Outcome = "different"
)

// A Row is a row of a file, from when it is read until it is reported with its outcome.
type Row struct {
	Line int

	Outcome effect.Outcome
	// ID and State are those of the transfer, account or contact.
	ID, State   string
	ProblemType string
	Detail      string
	Fees        string
	CreatedAt   string // in RFC 3339
	Made        string // when it was made: now, by this run, or before

	// ContactID and Beneficiary are who is paid. Sum is the amount of a transfer. Nil means it has none.
	ContactID, Beneficiary string
	Sum                    *Total
	// Earlier is the batch that paid the row before this run. It has no rows if none has.
	Earlier PaidBefore

	fields   []rows.Field // as they may be shown
	isImport bool
	isDone   bool                 // the journal has its reference as done: it is not sent
	isOpen   bool                 // the journal has its reference as open: it is not a further payment
	payee    *journal.Payee       // of a transfer; nil means not known
	newWrite func() *outbox.Write // nil means that it cannot be sent
	// Both are set only while the row is sent: they take much memory. Without an outcome, the entry means that the
	// journal has none.
	write *outbox.Write
	entry *journal.Entry
}

// withWrites are those rows that the journal can have.
func withWrites(all []*Row) []*Row {
	return slices.DeleteFunc(slices.Clone(all), func(row *Row) bool { return row.newWrite == nil })
}

// prepare sets and returns the writes of rows.
func prepare(all []*Row) []*outbox.Write {
	writes := make([]*outbox.Write, len(all))
	for i, row := range all {
		row.write = row.newWrite()
		writes[i] = row.write
	}
	return writes
}

// Unsettled returns the unknown earlier attempt at a row, or cause if there was none. Cause is why no row was sent.
func Unsettled(ctx context.Context, o *outbox.Outbox, cause error, all []*Row) error {
	all = withWrites(all)
	err := o.Unsettled(ctx, cause, prepare(all)...)
	for _, row := range all {
		row.write = nil
	}
	return err
}

// MarkSent marks the rows among refused ones that an earlier run has sent: as unknown, or as not checked if they are
// done.
func MarkSent(ctx context.Context, o *outbox.Outbox, refused []*Row) error {
	readable := withWrites(refused)
	entries, err := o.Lookup(ctx, prepare(readable))
	if err != nil {
		return unreadable(err)
	}
	for i, row := range readable {
		row.write = nil
		switch entry := &entries[i]; {
		case entry.IsOpen():
			row.Outcome = effect.Unknown
		case entry.Outcome == effect.Done:
			row.Outcome = NotChecked
		default:
			continue
		}
		row.Detail = "an earlier run has sent it; now " + row.Detail
	}
	return nil
}

// Exists reports whether what the row asks for exists.
func (r *Row) Exists() bool { return r.Outcome == Created || r.Outcome == Existed }

// ExistedBefore reports whether it existed before this run.
func (r *Row) ExistedBefore() bool { return r.Exists() && r.Made == "before" }

// A Cell is a text of a row in a column of the report.
type Cell struct{ Column, Text string }

// Cells are the row in the report: the columns of the file, and the results.
func (r *Row) Cells() []Cell {
	all := make([]Cell, 0, len(r.fields))
	for _, field := range r.fields {
		all = append(all, Cell{field.Name, field.Text})
	}
	return append(all, r.Results()...)
}

// Results are what became of the row, in the columns that the report adds to those of the file.
func (r *Row) Results() []Cell {
	id, state, to := "id", "status", []Cell(nil)
	if !r.isImport {
		id, state = "transfer_id", "state"
		to = []Cell{{"beneficiary", r.Beneficiary}, {"contact_id", r.ContactID}, {"fees", r.Fees}}
	}
	return slices.Concat([]Cell{
		{"outcome", string(r.Outcome)}, {id, r.ID}, {state, r.State}, {"problem_type", r.ProblemType}, {"detail", r.Detail},
	}, to, []Cell{{"created_at", r.CreatedAt}, {"made", r.Made}})
}

// MarshalJSON implements json.Marshaler. It writes the line and the columns that have a text.
func (r *Row) MarshalJSON() ([]byte, error) {
	text := fmt.Appendf(nil, `{"line":%d`, r.Line)
	for _, cell := range r.Cells() {
		if cell.Text != "" {
			text, _ = jsontext.AppendQuote(append(text, ','), cell.Column) // invalid UTF-8 is replaced
			text, _ = jsontext.AppendQuote(append(text, ':'), cell.Text)
		}
	}
	return append(text, '}'), nil
}

// A madeResource is what a report shows of a transfer, account or contact.
type madeResource struct {
	ID        string
	State     string
	BatchID   string
	Fees      []payments.Fee
	CreatedAt time.Time

	fingerprint string // of the request that would create what the service shows
}

// setCreated sets the resource of the row. Existed reports that it existed before this run.
func (r *Row) setCreated(m madeResource, existed bool) {
	r.Outcome, r.ID, r.State, r.Made = Created, m.ID, m.State, "now"
	if existed {
		r.Made = "before"
	}
	if existed && r.isImport {
		r.Outcome = Existed
	}
	if !m.CreatedAt.IsZero() {
		r.CreatedAt = m.CreatedAt.UTC().Format(time.RFC3339)
	}
	if existed && !r.isImport {
		r.Earlier = PaidBefore{BatchID: m.BatchID, Day: m.CreatedAt.UTC().Format(time.DateOnly), Rows: 1}
		if r.entry.BatchID == m.BatchID {
			r.Earlier.File = r.entry.File
		}
		if m.CreatedAt.IsZero() {
			r.Earlier.Day = r.entry.Began.UTC().Format(time.DateOnly)
		}
	}
	for i, fee := range m.Fees {
		if i > 0 {
			r.Fees += "; "
		}
		if fee.Amount != nil {
			r.Fees += fee.Amount.String() + " " + fee.Currency + " "
		}
		r.Fees += fee.Type + " (" + fee.Side + ")"
	}
}

// setOutcome sets what became of the write.
func (r *Row) setOutcome(o effect.Result) {
	switch {
	case o.IsDone():
		m := madeResource{ID: o.Subject, State: o.State, BatchID: o.Members.Text("batchId")}
		_ = json.Unmarshal(o.Members["fees"], &m.Fees) // what cannot be read is not shown
		_ = json.Unmarshal(o.Members["createdAt"], &m.CreatedAt)
		r.setCreated(m, o.Replayed)
		if o.Replayed && len(o.NotCompared) > 0 {
			r.Detail = "not compared, since the service does not show it: " + strings.Join(o.NotCompared, ", ")
		}
		return
	case r.isImport && o.Outcome == effect.NotSent:
		r.setNotSent(NotChecked)
		return
	}
	r.Outcome, r.Detail = o.Outcome, o.Err.Error()
	problem, isProblem := errors.AsType[*payments.ProblemError](o.Err)
	if isProblem {
		r.ProblemType = problem.Type
	}
	different, isDifferent := errors.AsType[*outbox.WriteError](o.Err)
	isDifferent = isDifferent && different.IsOther
	r.ID, r.State = o.Subject, o.State
	if isProblem && problem.ProblemType() == payments.ProblemClosed {
		r.Outcome = journal.OutcomeClosed
	}
	switch {
	case !isDifferent, o.Outcome == effect.Unknown:
	case !r.isImport:
		// The differences come first: a table may have no room for more.
		r.Detail = strings.Join(different.Differences, "; ") + "; the reference belongs to the transfer " + o.Subject
	case len(different.Differences) > 0:
		r.Outcome, r.Detail = Different, "it exists and differs: "+strings.Join(different.Differences, "; ")
	case isProblem:
		r.Outcome, r.Detail = Different, problem.Detail
	}
}

// setNotSent sets the outcome of a row that was not reached.
func (r *Row) setNotSent(outcome effect.Outcome) {
	r.Outcome, r.Detail = outcome, "the run ended before this row"
	if outcome == NotChecked {
		r.Detail = "the run ended before this row; an earlier run may have done it"
	}
}
