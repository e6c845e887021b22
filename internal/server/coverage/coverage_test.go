package coverage

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/server"
)

func TestReport(t *testing.T) {
	t.Parallel()
	recorder := New(true, false)
	recorder.Record(server.ResponseSummary{Operation: &contract.CreateAccount, Method: "POST", Path: "/accounts/v1", Status: 201})
	recorder.Record(server.ResponseSummary{Operation: &contract.CreateAccount, Method: "POST", Path: "/accounts/v1", Status: 201})
	recorder.Record(server.ResponseSummary{
		Operation: &contract.CreateAccount, Method: "POST", Path: "/accounts/v1", Status: 400, Problem: payments.KindValidation, RequestID: "req_1",
		Violations: []contract.Violation{{Pointer: "/body/title", Reason: "it is empty"}},
	})
	recorder.Record(server.ResponseSummary{Operation: &contract.GetTransfer, Faults: []string{"getTransfer=delay:1s", "getTransfer=reset"}})
	recorder.Record(server.ResponseSummary{Method: "GET", Path: "/nowhere", Status: 404, Problem: payments.KindNotFound})
	r := recorder.Report()
	require.Equal(t, 5, r.Requests)
	require.Equal(t, map[string]map[string]int{"createAccount": {"201": 2, "400": 1}, "getTransfer": {"0": 1}}, r.Operations)
	require.Equal(t, map[string]int{"404": 1}, r.NotInContract)
	require.Equal(t, map[string]int{"validation-error": 1, "not-found": 1}, r.Problems)
	require.Equal(t, map[string]int{"getTransfer=delay:1s": 1, "getTransfer=reset": 1}, r.Faults)
	require.Contains(t, r.NotCovered, "cancelTransfer")
	require.NotContains(t, r.NotCovered, "createAccount")
	require.NotContains(t, r.NotCovered, "resetSandbox", "the service has no sandbox")
	require.Contains(t, New(true, true).Report().NotCovered, "resetSandbox")
	require.Equal(t, 1, recorder.ViolationCount())
	require.Equal(t, []Violation{{
		Operation: "createAccount", Method: "POST", Path: "/accounts/v1", Status: 400, RequestID: "req_1", Pointer: "/body/title", Reason: "it is empty",
	}}, r.Violations)
}

// The report stays small, however many violations there are.
func TestViolationsAreBounded(t *testing.T) {
	t.Parallel()
	recorder := New(true, true)
	for range 2 * maxViolations {
		recorder.Record(server.ResponseSummary{Operation: &contract.GetTransfer, Violations: make([]contract.Violation, 3)})
	}
	require.Equal(t, 6*maxViolations, recorder.ViolationCount())
	require.Len(t, recorder.Report().Violations, maxViolations)
}
