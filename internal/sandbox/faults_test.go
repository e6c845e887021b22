package sandbox_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/payments"
)

// A fault of 100 percent is certain, and one of 1 percent is not out of the question.
func TestPercentOfFaults(t *testing.T) {
	t.Parallel()
	const requests = 2000
	for percent, wanted := range map[int][2]int{100: {requests, requests}, 50: {800, 1200}, 1: {1, 80}} {
		w := newWorld(t)
		_, err := w.SetSandboxFaults(t.Context(), payments.SandboxFaults{Faults: []payments.SandboxFault{
			{Operation: "getAccount", Action: payments.SandboxFaultActionReset, Percent: percent},
		}})
		require.NoError(t, err)
		happened := 0
		for range requests {
			_, fault, err := w.NextFault(t.Context(), "getAccount", true)
			require.NoError(t, err)
			if fault != nil {
				happened++
			}
		}
		require.GreaterOrEqual(t, happened, wanted[0], percent)
		require.LessOrEqual(t, happened, wanted[1], percent)
	}
}
