package doctor

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/outbox/journal"
)

// TestOpenWritesAreTold looks at a journal while a program has it open and when it has died.
func TestOpenWritesAreTold(t *testing.T) {
	t.Parallel()
	e := environment(t, "http://127.0.0.1:1")
	look := func() Finding { return findings(t, subjectOf(e), (*examination).journal)[0] }
	writes := &journal.Journal{Path: filepath.Join(e["PAYCTL_CONFIG_DIR"], "state", journal.FileName), Now: time.Now}
	t.Cleanup(func() { _ = writes.Close() })
	for i, outcome := range []journal.Outcome{journal.OutcomeDone, journal.OutcomeUnknown, journal.OutcomeSending} {
		intent := journal.Intent{Service: "https://payments.test", Operation: "createAutoTransfer", Key: string(outcome), Fingerprint: "h"}
		claims, err := writes.Claim(t.Context(), []journal.Intent{intent}, false)
		require.NoError(t, err)
		require.True(t, claims[0].Mine)
		if outcome != journal.OutcomeSending {
			require.NoError(t, writes.End(intent, journal.Result{Outcome: outcome}))
		}
		require.NoError(t, writes.Record(t.Context(), nil), "outcomes are on the disk")
		found := look()
		if i == 0 {
			require.Equal(t, OK, found.Result, found.Message)
			require.Contains(t, found.Message, "of 1 writes none is unresolved")
		}
	}
	for _, state := range []string{"in use", "left behind"} {
		found := look()
		require.Equal(t, Warning, found.Result, "%s: %s", state, found.Message)
		require.Contains(t, found.Message, "The outcome of 2 of 3 writes is not known")
		require.Equal(t, "payctl transfer resolve", found.Fix)
		require.NoError(t, writes.Close())
	}
}
