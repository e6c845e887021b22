package server

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/payments"
)

// maxViolations is the most violations that a report lists. Further ones are only counted.
const maxViolations = 1000

// A CoverageRecorder counts responses. It is safe for concurrent use.
type CoverageRecorder struct {
	mu       sync.Mutex
	report   Coverage
	keeps    bool              // the latest requests are kept
	ended    bool              // nothing is recorded any more
	requests []ResponseSummary // the latest, of which the oldest is at the number modulo keptRequests
}

// keptRequests is how many requests the HTML report shows with their contents.
const keptRequests = 1000

// Requests returns the latest requests as they are shown, newest first, numbered in the order in which they came. It is
// called after Report.
func (r *CoverageRecorder) Requests() []payments.SandboxRequest {
	shown := []payments.SandboxRequest{}
	slices.SortFunc(r.requests, func(a, b ResponseSummary) int { return b.Began.Compare(a.Began) })
	for i, kept := range r.requests {
		number := r.report.Requests - i
		path, err := url.PathUnescape(kept.Path)
		if err != nil {
			path = kept.Path
		}
		request := payments.SandboxRequest{
			Number: number, Time: kept.Began.UTC(), Method: kept.Method, Path: LoggablePath(path), Status: kept.Status,
			DurationMs: int(kept.Took.Milliseconds()), RequestID: kept.RequestID, Fault: strings.Join(kept.Faults, " "),
		}
		if kept.Operation != nil {
			request.Operation = kept.Operation.ID
		}
		kept.Content.AddTo(&request)
		shown = append(shown, request)
	}
	return shown
}

// Coverage is what a service was asked from its start to its end, and how it answered.
type Coverage struct {
	// Requests counts all requests that were answered or whose connection was cut.
	Requests int `json:"requests"`
	// Operations counts the responses of each operation by status. 0 is a connection that was cut before the response.
	Operations map[string]map[string]int `json:"operations"`
	// NotCovered lists the operations that were never called, in the order of the contract.
	NotCovered []string `json:"notCovered"`
	// NotInContract counts, by status, the responses to methods and paths that are not in the contract.
	NotInContract map[string]int `json:"notInContract"`
	// Problems counts the problems that were answered, by type.
	Problems map[string]int `json:"refused"`
	// Faults counts the faults that the sandbox injected.
	Faults map[string]int `json:"faults"`
	// Checked reports whether responses were checked against the contract, and CheckedCount how many were.
	Checked      bool `json:"checked"`
	CheckedCount int  `json:"checkedCount"`
	// ViolationCount counts the violations of the contract.
	ViolationCount int `json:"violationCount"`
	// Violations lists the first of them.
	Violations []Violation `json:"violations"`
}

// A Violation is a place where a response violates the contract.
type Violation struct {
	Operation string `json:"operation,omitempty"` // absent if the contract has no operation with this method and path
	Method    string `json:"method"`
	Path      string `json:"path"`
	Status    int    `json:"status"`
	RequestID string `json:"requestId,omitempty"` // of the X-Request-Id header
	contract.Violation
}

// NewCoverageRecorder returns an empty recorder. Checked reports whether responses are checked against the contract,
// sandbox whether the service has the sandbox operations, keeps whether the latest requests are kept.
func NewCoverageRecorder(checked, sandbox, keeps bool) *CoverageRecorder {
	r := &CoverageRecorder{keeps: keeps, report: Coverage{
		Operations: map[string]map[string]int{}, NotCovered: []string{}, NotInContract: map[string]int{},
		Problems: map[string]int{}, Faults: map[string]int{}, Checked: checked, Violations: []Violation{},
	}}
	for _, op := range contract.Operations {
		if sandbox || !op.IsSandbox() {
			r.report.NotCovered = append(r.report.NotCovered, op.ID)
		}
	}
	return r
}

// Record counts a response. It is the server's OnResponse.
func (r *CoverageRecorder) Record(response ResponseSummary) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.ended {
		return
	}
	r.report.Requests++
	if r.keeps {
		if len(r.requests) < keptRequests {
			r.requests = append(r.requests, ResponseSummary{})
		}
		r.requests[(r.report.Requests-1)%keptRequests] = response
	}
	status := strconv.Itoa(response.Status)
	name := ""
	if response.Operation == nil {
		r.report.NotInContract[status]++
	} else {
		name = response.Operation.ID
		if r.report.Operations[name] == nil {
			r.report.Operations[name] = map[string]int{}
		}
		r.report.Operations[name][status]++
	}
	if response.Problem != "" {
		r.report.Problems[string(response.Problem)]++
	}
	for _, fault := range response.Faults {
		r.report.Faults[fault]++
	}
	if response.Checked {
		r.report.CheckedCount++
	}
	r.report.ViolationCount += len(response.Violations)
	room := maxViolations - len(r.report.Violations)
	for _, violation := range response.Violations[:min(len(response.Violations), room)] {
		r.report.Violations = append(r.report.Violations, Violation{
			Operation: name, Method: response.Method, Path: LoggablePath(response.Path), Status: response.Status,
			RequestID: response.RequestID, Violation: violation,
		})
	}
}

// Report returns the report, and ends the recording: an event stream may be ending still.
func (r *CoverageRecorder) Report() Coverage {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ended = true
	report := r.report
	report.NotCovered = slices.DeleteFunc(slices.Clone(report.NotCovered), func(name string) bool {
		return report.Operations[name] != nil
	})
	return report
}
