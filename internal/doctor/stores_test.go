package doctor

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/journal"
	"github.com/payctl/payctl/internal/payments"
)

// TestOpenWritesAreTold looks at a journal while a program has it open and when it has died.
func TestOpenWritesAreTold(t *testing.T) {
	t.Parallel()
	e := environment(t, "http://127.0.0.1:1")
	look := func() Finding { return newExamination(t.Context(), subjectOf(e)).journal(t.Context())[0] }
	writes, err := journal.Open(t.Context(), filepath.Join(e["PAYCTL_CONFIG_DIR"], "state", journal.FileName), time.Now)
	require.NoError(t, err)
	t.Cleanup(func() { _ = writes.Close() })
	for i, outcome := range []payments.Outcome{payments.OutcomeDone, payments.OutcomeUnknown, payments.OutcomeSending} {
		intent := payments.Intent{Service: "https://payments.test", Operation: "createAutoTransfer", Key: string(outcome), BodyHash: "h"}
		_, mine, err := writes.Begin(t.Context(), intent, false)
		require.NoError(t, err)
		require.True(t, mine)
		if outcome != payments.OutcomeSending {
			require.NoError(t, writes.End(intent, payments.Result{Outcome: outcome}))
		}
		require.NoError(t, writes.Flush(t.Context()))
		found := look()
		if i == 0 {
			require.Equal(t, OK, found.Result, found.Message)
			require.Contains(t, found.Message, "of 1 writes none is open")
		}
	}
	for _, state := range []string{"in use", "left behind"} {
		found := look()
		require.Equal(t, Warning, found.Result, "%s: %s", state, found.Message)
		require.Contains(t, found.Message, "The outcome of 2 of 3 writes is not known")
		require.Equal(t, "payctl transfer settle", found.Mend)
		require.NoError(t, writes.Close())
	}
}
