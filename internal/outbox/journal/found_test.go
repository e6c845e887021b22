package journal_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/outbox/journal"
)

// What is found at the service may have another content than the entry, because another machine sent it under the same
// key. It is recorded with its own content, so that it does not count as what was asked for here.
func TestFoundWriteIsRecordedWithItsContent(t *testing.T) {
	t.Parallel()
	for _, outcome := range []journal.Outcome{journal.OutcomeRefused, journal.OutcomeNotSent, journal.OutcomeUnknown} {
		j := open(t, filepath.Join(t.TempDir(), "journal.db"))
		claim(t, j, intent("k"), false)
		require.NoError(t, j.End(intent("k"), journal.Result{Outcome: outcome}))
		require.NoError(t, j.Record(t.Context(), nil))

		theirs := journal.Entry{Intent: intent("k"), Result: journal.Result{Outcome: journal.OutcomeDone, Subject: "trf_1"}}
		theirs.Fingerprint = "of another content"
		require.NoError(t, j.Record(t.Context(), []journal.Entry{theirs}))
		entry := lookup(t, j, "k")
		require.Equal(t, journal.OutcomeDone, entry.Outcome)
		require.Equal(t, "trf_1", entry.Subject)
		require.Equal(t, "of another content", entry.Fingerprint, "after %s", outcome)
	}
}

// What was done here, with its own content, is not confused with another transfer that has the same reference.
func TestFoundWriteDoesNotReplaceOneThatIsDone(t *testing.T) {
	t.Parallel()
	j := open(t, filepath.Join(t.TempDir(), "journal.db"))
	claim(t, j, intent("k"), false)
	require.NoError(t, j.End(intent("k"), journal.Result{Outcome: journal.OutcomeDone, Subject: "trf_2", World: "w"}))
	require.NoError(t, j.Record(t.Context(), nil))

	theirs := journal.Entry{Intent: intent("k"), Result: journal.Result{Outcome: journal.OutcomeDone, Subject: "trf_1", World: "w"}}
	theirs.Intent.World = "w"
	theirs.Fingerprint = "of another content"
	require.NoError(t, j.Record(t.Context(), []journal.Entry{theirs}))
	entry := lookup(t, j, "k")
	require.Equal(t, "trf_2", entry.Subject)
	require.Equal(t, intent("k").Fingerprint, entry.Fingerprint)

	// In another world nothing of it is left.
	theirs.Intent.World, theirs.Result.World = "a new one", "a new one"
	require.NoError(t, j.Record(t.Context(), []journal.Entry{theirs}))
	entry = lookup(t, j, "k")
	require.Equal(t, "trf_1", entry.Subject)
	require.Equal(t, "of another content", entry.Fingerprint)
}

// A subject may have been made by another write of the same operation, service and client.
func TestMadeByAnother(t *testing.T) {
	t.Parallel()
	j := open(t, filepath.Join(t.TempDir(), "journal.db"))
	claim(t, j, intent("k"), false)
	require.NoError(t, j.End(intent("k"), journal.Result{Outcome: journal.OutcomeDone, Subject: "trf_1"}))
	claim(t, j, intent("open"), false)
	require.NoError(t, j.End(intent("open"), journal.Result{Outcome: journal.OutcomeUnknown, Subject: "trf_2"}))
	require.NoError(t, j.Record(t.Context(), nil))
	other, service, operation, token := intent("k2"), intent("k2"), intent("k2"), intent("by token")
	service.Service, operation.Operation, token.Client = "https://elsewhere.example.com", "cancelTransfer", ""
	claim(t, j, token, false)
	require.NoError(t, j.End(token, journal.Result{Outcome: journal.OutcomeDone, Subject: "trf_4"}))
	require.NoError(t, j.Record(t.Context(), nil))
	for name, c := range map[string]struct {
		intent  journal.Intent
		subject string
		made    bool
	}{
		"another's":            {other, "trf_1", true},
		"its own":              {intent("k"), "trf_1", false},
		"no write's":           {other, "trf_3", false},
		"one that is open":     {other, "trf_2", false},
		"at another service":   {service, "trf_1", false},
		"by another operation": {operation, "trf_1", false},
		"by a token":           {other, "trf_4", true},
		"its own by a token":   {intent("by token"), "trf_4", false},
	} {
		made, err := j.MadeByAnother(t.Context(), c.intent, c.subject)
		require.NoError(t, err)
		require.Equal(t, c.made, made, name)
	}
}
