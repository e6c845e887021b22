package importer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/payctl/payctl/internal/outbox"
	"github.com/payctl/payctl/internal/outbox/pace"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/rows"
)

// The outcomes of a row.
const (
	Created   payments.Verdict = "created"   // by this run
	Existed   payments.Verdict = "existed"   // with the row's external id and content, made by an earlier run or otherwise
	Different payments.Verdict = "different" // something with the row's external id exists and has other content
	// NotChecked is a row of an import that ended before it was known whether an earlier run has created it.
	NotChecked payments.Verdict = "not_checked"
)

// A Result is what became of a row.
type Result struct {
	Line    int
	Outcome payments.Verdict
	// ID and Status are those of what exists.
	ID, Status  string
	ProblemType string
	Detail      string

	cells map[string]string // the row by its columns
}

// Exists reports whether the row's account or contact exists as the row has it.
func (r *Result) Exists() bool { return r.Outcome == Created || r.Outcome == Existed }

// ReportColumns are the columns that a report adds to those of the input.
var ReportColumns = []string{"outcome", "id", "status", "problem_type", "detail"}

// Cell returns the text of a column.
func (r *Result) Cell(column string) string {
	if added := slices.Index(ReportColumns, column); added >= 0 {
		return []string{string(r.Outcome), r.ID, r.Status, r.ProblemType, r.Detail}[added]
	}
	return r.cells[column]
}

// Fields are the line and the columns that have a text, by their names.
func (r *Result) Fields() map[string]any {
	fields := map[string]any{"line": r.Line}
	for name, text := range r.cells {
		fields[name] = text
	}
	for _, added := range ReportColumns {
		if text := r.Cell(added); text != "" {
			fields[added] = text
		}
	}
	return fields
}

// Planned are the results of rows that are not sent.
func Planned[T any](file []*Row[T], shown func(T) any) []Result {
	results := make([]Result, len(file))
	for i, row := range file {
		results[i] = Result{Line: row.Line, cells: cells(row.Request, shown(row.Request))}
	}
	return results
}

// CountEstablished counts the rows of a report whose outcome needs no further run, as far as it can be read.
func CountEstablished(report io.Reader) int {
	return rows.Count(report, "outcome", string(Created), string(Existed), string(Different), string(payments.Refused))
}

// A Sender creates what the rows of a file describe.
type Sender[T any] struct {
	// Create creates one, unless it exists.
	Create func(context.Context, T) payments.Outcome
	// Shown is a request as it may be shown in the report.
	Shown func(T) any
	// Concurrency bounds the requests in flight; more than zero.
	Concurrency int
	// Patience is how long a service that cannot be reached is tried again.
	Patience time.Duration
	// RowTimeout bounds one attempt at a row.
	RowTimeout time.Duration

	Now   func() time.Time
	Sleep func(context.Context, time.Duration) error
	// Unreachable is called when an outage of the service begins, and Reachable when it ends. Paused is called when the
	// service asks for a pause, with its end, and Ended with the outcome of each row; all of them by several goroutines.
	Unreachable func(error)
	Reachable   func()
	Paused      func(until time.Time)
	Ended       func(payments.Verdict)
}

// Run creates every row, and returns the results in the order of the file. When the context ends, nothing more is sent,
// and requests in flight are waited for. The error is the reason why not every row was sent; rows that the service
// refused are no error.
func (s *Sender[T]) Run(ctx context.Context, file []*Row[T]) ([]Result, error) {
	sending, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	pacer := &pace.Sender{
		Concurrency: s.Concurrency, Patience: s.Patience, Timeout: s.RowTimeout, Stop: stop, Now: s.Now, Sleep: s.Sleep,
		Unreachable: s.Unreachable, Reachable: s.Reachable, Paused: s.Paused,
	}
	// An attempt that was begun is finished when the import stops.
	finishing := payments.WithoutRateLimitRetry(context.WithoutCancel(sending))
	results := make([]Result, len(file))
	next := make(chan int, len(file))
	for i := range file {
		next <- i
	}
	close(next)
	var group sync.WaitGroup
	for range s.Concurrency {
		group.Go(func() {
			for i := range next {
				results[i] = s.send(sending, finishing, pacer, file[i])
				s.Ended(results[i].Outcome)
			}
		})
	}
	group.Wait()
	return results, context.Cause(sending)
}

// send creates one row.
func (s *Sender[T]) send(sending, finishing context.Context, pacer *pace.Sender, row *Row[T]) Result {
	result := Result{Line: row.Line, cells: cells(row.Request, s.Shown(row.Request))}
	outcome := pacer.Send(sending, finishing, func(ctx context.Context) payments.Outcome {
		return s.Create(ctx, row.Request)
	})
	result.ID, result.Status = outcome.Subject, outcome.State
	if outcome.IsDone() {
		if result.Outcome = Created; outcome.Replayed {
			result.Outcome = Existed
			result.Detail = pace.NotCompared(outcome)
		}
		return result
	}
	result.Outcome, result.Detail = outcome.Verdict, outcome.Err.Error()
	if problem, ok := errors.AsType[*payments.ProblemError](outcome.Err); ok {
		result.ProblemType, result.Detail = problem.Type, problem.Error()
	}
	different, isDifferent := errors.AsType[*outbox.DifferentError](outcome.Err)
	switch {
	case isDifferent:
		result.Outcome = Different
		result.Detail = "it exists and differs: " + strings.Join(different.Differences, "; ")
		if different.Differences == nil {
			result.Detail = problemDetail(outcome.Err)
		}
	case outcome.Verdict == payments.NotSent:
		result.Outcome, result.ProblemType = NotChecked, ""
		result.Detail = "the import ended before it was known whether an earlier run has created this row"
	}
	return result
}

func problemDetail(err error) string {
	problem, _ := errors.AsType[*payments.ProblemError](err)
	return problem.Detail
}

// cells are the texts of the members of a request by the names of columns, as they may be shown.
func cells(request, shown any) map[string]string {
	cells, texts := texts(request), texts(shown)
	for name := range cells {
		cells[name] = texts[name]
	}
	return cells
}

// texts are the texts of a JSON object by the names of columns.
func texts(value any) map[string]string {
	all := map[string]string{}
	fields, _ := payments.Document(value) // values of the contract can always be encoded
	addTexts(all, "", fields)
	return all
}

func addTexts(all map[string]string, prefix string, fields map[string]any) {
	for name, value := range fields {
		if inner, ok := value.(map[string]any); ok {
			addTexts(all, prefix+name+".", inner)
			continue
		}
		all[column(prefix+name)] = fmt.Sprint(value)
	}
}
