package journal_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/payments"
)

// What is found at the service may have another content than what was put down here: another machine sent it under the same
// key. It is put down as what it is, so that nobody takes it for what was asked for here.
func TestWhatWasFoundIsPutDownWithItsOwnContent(t *testing.T) {
	t.Parallel()
	for _, outcome := range []payments.Outcome{payments.OutcomeRefused, payments.OutcomeNotSent, payments.OutcomeUnknown} {
		j := open(t, filepath.Join(t.TempDir(), "journal.db"))
		begin(t, j, intent("k"), false)
		require.NoError(t, j.End(intent("k"), payments.Result{Outcome: outcome}))
		require.NoError(t, j.Flush(t.Context()))

		theirs := payments.JournalEntry{Intent: intent("k"), Result: payments.Result{Outcome: payments.OutcomeDone, Subject: "trf_1"}}
		theirs.BodyHash = "of another content"
		require.NoError(t, j.Record(t.Context(), []payments.JournalEntry{theirs}))
		entry := lookup(t, j, "k")
		require.Equal(t, payments.OutcomeDone, entry.Outcome)
		require.Equal(t, "trf_1", entry.Subject)
		require.Equal(t, "of another content", entry.BodyHash, "after %s", outcome)
	}
}

// What was done here, with its own content, is not taken for the other transfer that has its reference too.
func TestWhatWasFoundBesideWhatWasDone(t *testing.T) {
	t.Parallel()
	j := open(t, filepath.Join(t.TempDir(), "journal.db"))
	begin(t, j, intent("k"), false)
	require.NoError(t, j.End(intent("k"), payments.Result{Outcome: payments.OutcomeDone, Subject: "trf_2", World: "w"}))
	require.NoError(t, j.Flush(t.Context()))

	theirs := payments.JournalEntry{Intent: intent("k"), Result: payments.Result{Outcome: payments.OutcomeDone, Subject: "trf_1", World: "w"}}
	theirs.Intent.World = "w"
	theirs.BodyHash = "of another content"
	require.NoError(t, j.Record(t.Context(), []payments.JournalEntry{theirs}))
	entry := lookup(t, j, "k")
	require.Equal(t, "trf_2", entry.Subject)
	require.Equal(t, intent("k").BodyHash, entry.BodyHash)

	// In another world nothing of it is left.
	theirs.Intent.World, theirs.Result.World = "a new one", "a new one"
	require.NoError(t, j.Record(t.Context(), []payments.JournalEntry{theirs}))
	entry = lookup(t, j, "k")
	require.Equal(t, "trf_1", entry.Subject)
	require.Equal(t, "of another content", entry.BodyHash)
}

// Only what another write of the same operation, service and client has made is claimed.
func TestWhatIsClaimed(t *testing.T) {
	t.Parallel()
	j := open(t, filepath.Join(t.TempDir(), "journal.db"))
	begin(t, j, intent("k"), false)
	require.NoError(t, j.End(intent("k"), payments.Result{Outcome: payments.OutcomeDone, Subject: "trf_1"}))
	begin(t, j, intent("open"), false)
	require.NoError(t, j.End(intent("open"), payments.Result{Outcome: payments.OutcomeUnknown, Subject: "trf_2"}))
	require.NoError(t, j.Flush(t.Context()))
	other, service, operation, token := intent("k2"), intent("k2"), intent("k2"), intent("by token")
	service.Service, operation.Operation, token.Client = "https://elsewhere.example.com", "cancelTransfer", ""
	begin(t, j, token, false)
	require.NoError(t, j.End(token, payments.Result{Outcome: payments.OutcomeDone, Subject: "trf_4"}))
	require.NoError(t, j.Flush(t.Context()))
	for name, c := range map[string]struct {
		intent  payments.Intent
		subject string
		claimed bool
	}{
		"another's":            {other, "trf_1", true},
		"its own":              {intent("k"), "trf_1", false},
		"nobody's":             {other, "trf_3", false},
		"one that is open":     {other, "trf_2", false},
		"at another service":   {service, "trf_1", false},
		"by another operation": {operation, "trf_1", false},
		"by a token":           {other, "trf_4", true},
		"its own by a token":   {intent("by token"), "trf_4", false},
	} {
		claimed, err := j.Claimed(t.Context(), c.intent, c.subject)
		require.NoError(t, err)
		require.Equal(t, c.claimed, claimed, name)
	}
}
