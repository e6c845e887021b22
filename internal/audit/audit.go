// Package audit takes down what a service was asked and how it answered, for the report at its end.
package audit

import (
	"maps"
	"slices"
	"strconv"
	"sync"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/server"
)

// maxViolations is how many violations are told; the others are counted.
const maxViolations = 1000

// A Log counts answers. It is safe for concurrent use.
type Log struct {
	mu     sync.Mutex
	report Report
}

// A Report is what a service was asked from its start to its end, and how it answered.
type Report struct {
	// Requests counts all answers, those that were cut off too.
	Requests int `json:"requests"`
	// Operations maps the operations that were asked for to their answers, counted by status; 0 stands for a connection
	// that was cut before there was one.
	Operations map[string]map[string]int `json:"operations"`
	// NotCovered names the operations that were never asked for, in the order of the contract.
	NotCovered []string `json:"notCovered"`
	// Elsewhere counts answers to what the contract does not have, by status.
	Elsewhere map[string]int `json:"elsewhere"`
	// Refused counts requests that were answered with a problem, by its type.
	Refused map[string]int `json:"refused"`
	// Faults counts what the sandbox let go wrong.
	Faults map[string]int `json:"faults"`
	// Checked says whether answers were held to the contract.
	Checked bool `json:"checked"`
	// ViolationCount counts where answers broke it.
	ViolationCount int `json:"violationCount"`
	// Violations tells of the first of them.
	Violations []Violation `json:"violations"`
}

// A Violation is a place where an answer broke the contract.
type Violation struct {
	Operation string `json:"operation,omitempty"` // absent: the contract has none of the method and path
	Method    string `json:"method"`
	Path      string `json:"path"`
	Status    int    `json:"status"`
	RequestID string `json:"requestId,omitempty"` // as in the answer
	// Pointer leads to the place (RFC 6901) through the answer as an object with the members status, headers and body.
	Pointer string `json:"pointer"`
	Reason  string `json:"reason"`
}

// New returns an empty log of a service. Checked says whether answers are held to the contract, sandbox whether the
// service has the operations of the sandbox.
func New(checked, sandbox bool) *Log {
	l := &Log{report: Report{
		Operations: map[string]map[string]int{}, NotCovered: []string{}, Elsewhere: map[string]int{},
		Refused: map[string]int{}, Faults: map[string]int{}, Checked: checked, Violations: []Violation{},
	}}
	for _, op := range contract.Operations {
		if sandbox || !op.IsSandbox() {
			l.report.NotCovered = append(l.report.NotCovered, op.ID)
		}
	}
	return l
}

// Answered implements server.Audit.
func (l *Log) Answered(e server.Exchange) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.report.Requests++
	status := strconv.Itoa(e.Status)
	name := ""
	if e.Operation == nil {
		l.report.Elsewhere[status]++
	} else {
		name = e.Operation.ID
		if l.report.Operations[name] == nil {
			l.report.Operations[name] = map[string]int{}
		}
		l.report.Operations[name][status]++
	}
	if e.Problem != "" {
		l.report.Refused[string(e.Problem)]++
	}
	for _, fault := range e.Faults {
		l.report.Faults[fault]++
	}
	l.report.ViolationCount += len(e.Violations)
	for _, violation := range e.Violations[:min(len(e.Violations), maxViolations-len(l.report.Violations))] {
		l.report.Violations = append(l.report.Violations, Violation{
			Operation: name, Method: e.Method, Path: e.Path, Status: e.Status, RequestID: e.RequestID,
			Pointer: violation.Pointer, Reason: violation.Reason,
		})
	}
}

// Violations counts where answers broke the contract.
func (l *Log) Violations() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.report.ViolationCount
}

// Report is what has been taken down.
func (l *Log) Report() Report {
	l.mu.Lock()
	defer l.mu.Unlock()
	r := l.report
	r.Operations, r.Elsewhere = make(map[string]map[string]int, len(r.Operations)), maps.Clone(r.Elsewhere)
	for name, statuses := range l.report.Operations {
		r.Operations[name] = maps.Clone(statuses)
	}
	r.Refused, r.Faults, r.Violations = maps.Clone(r.Refused), maps.Clone(r.Faults), slices.Clone(r.Violations)
	r.NotCovered = slices.DeleteFunc(slices.Clone(r.NotCovered), func(name string) bool { return r.Operations[name] != nil })
	return r
}
