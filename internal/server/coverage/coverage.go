// Package coverage counts the requests to a service and its responses, for the report of `payctl serve`.
package coverage

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/server"
)

// maxViolations is the most violations that a report lists. Further ones are only counted.
const maxViolations = 1000

// A Recorder counts responses. It is safe for concurrent use.
type Recorder struct {
	mu       sync.Mutex
	report   Report
	keeps    bool                     // the latest requests are kept
	ended    bool                     // nothing more is recorded
	requests []server.ResponseSummary // a ring of the latest requests
}

// keptRequests is how many requests the HTML report shows with their contents.
const keptRequests = 1000

// Requests returns the latest requests, newest first, numbered as they came. It is called after Report.
func (r *Recorder) Requests() []payments.SandboxRequest {
	shown := []payments.SandboxRequest{}
	slices.SortFunc(r.requests, func(a, b server.ResponseSummary) int { return b.Began.Compare(a.Began) })
	for i, kept := range r.requests {
		number := r.report.Requests - i
		path, err := url.PathUnescape(kept.Path)
		if err != nil {
			path = kept.Path
		}
		request := payments.SandboxRequest{
			Number: number, Time: kept.Began.UTC(), Method: kept.Method, Path: server.LoggablePath(path), Status: kept.Status,
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

// A Report counts the requests to a service and its responses, from its start to its end.
type Report struct {
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

// New returns an empty recorder. Checked means that responses are checked against the contract, sandbox that the
// service has a sandbox, keeps that the latest requests are kept.
func New(checked, sandbox, keeps bool) *Recorder {
	r := &Recorder{keeps: keeps, report: Report{
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
func (r *Recorder) Record(response server.ResponseSummary) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.ended {
		return
	}
	r.report.Requests++
	if r.keeps {
		if len(r.requests) < keptRequests {
			r.requests = append(r.requests, server.ResponseSummary{})
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
			Operation: name, Method: response.Method, Path: server.LoggablePath(response.Path), Status: response.Status,
			RequestID: response.RequestID, Violation: violation,
		})
	}
}

// Report returns the report and ends the recording. Event streams may still be ending.
func (r *Recorder) Report() Report {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ended = true
	report := r.report
	report.NotCovered = slices.DeleteFunc(slices.Clone(report.NotCovered), func(name string) bool {
		return report.Operations[name] != nil
	})
	return report
}
