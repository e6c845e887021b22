package journal_test

import (
	"database/sql"
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/payctl/payctl/internal/journal"
	"github.com/payctl/payctl/internal/payments"
)

// However rows are put down, together or one by one, and whatever is known of some of them: each that nothing is known of may
// be sent once, and each outcome is put down with the row that it is of.
func TestManyRowsAhead(t *testing.T) {
	t.Parallel()
	round := 0
	path := filepath.Join(t.TempDir(), "journal.db")
	j := open(t, path)
	rapid.Check(t, func(r *rapid.T) {
		round++
		rows := rapid.IntRange(1, 150).Draw(r, "rows")
		kinds := rapid.SliceOfN(rapid.SampledFrom([]string{"", "", "", "", "", "", "", "done", "refused", "other", "body"}), rows, rows).Draw(r, "kinds")
		if rapid.Bool().Draw(r, "alike") {
			kinds = make([]string, rows)
		}
		twice := rapid.IntRange(-3*rows, rows-1).Draw(r, "twice")
		intents := make([]payments.Intent, rows)
		for i, kind := range kinds {
			intents[i] = payments.Intent{
				Service: "https://a", Client: "c", Operation: "op", Key: fmt.Sprintf("%d-%d", round, i), BodyHash: fmt.Sprintf("%064d", i),
				Reference: fmt.Sprint("r", i), BatchID: "bat_1", World: "w",
			}
			switch kind {
			case "done", "refused":
				_, mine, err := j.Begin(t.Context(), intents[i], false)
				require.NoError(r, err)
				require.True(r, mine)
				require.NoError(r, j.End(intents[i], payments.Result{Outcome: payments.Outcome(kind), Subject: "earlier"}))
			case "other":
				intents[i].World = "w2"
			case "body":
				intents[i].Body = []byte("{}")
			}
		}
		put := slices.Clone(intents)
		if twice >= 0 {
			put = append(put, intents[twice])
		}
		require.NoError(r, j.Prepare(t.Context(), put))
		for i, kind := range kinds {
			entry, mine, err := j.Begin(t.Context(), intents[i], false)
			require.NoError(r, err)
			require.Equal(r, kind != "done", mine)
			if !mine {
				require.Equal(r, "earlier", entry.Subject)
				continue
			}
			_, again, err := j.Begin(t.Context(), intents[i], false)
			require.NoError(r, err)
			require.False(r, again, "it is begun once")
		}
		outcome := func(i int) payments.Outcome {
			return []payments.Outcome{payments.OutcomeDone, payments.OutcomeDone, payments.OutcomeUnknown, payments.OutcomeNotSent}[i%4]
		}
		for i, kind := range kinds {
			if kind != "done" {
				require.NoError(r, j.End(intents[i], payments.Result{Outcome: outcome(i), Subject: fmt.Sprint("trf_", i), State: "s", World: "w3"}))
			}
		}
		require.NoError(r, j.Flush(t.Context()))
		for i, kind := range kinds {
			entry, found, err := j.Lookup(t.Context(), intents[i])
			require.NoError(r, err)
			require.True(r, found)
			if kind == "done" {
				require.Equal(r, "earlier", entry.Subject)
				continue
			}
			require.Equal(r, outcome(i), entry.Outcome)
			require.Equal(r, fmt.Sprint("trf_", i), entry.Subject)
			require.Equal(r, "w3", entry.Result.World)
			require.Equal(r, intents[i].Reference, entry.Reference)
			require.Equal(r, intents[i].BodyHash, entry.BodyHash)
			require.Equal(r, intents[i].BatchID, entry.BatchID)
			require.Equal(r, intents[i].Key, entry.Key)
			require.Equal(r, map[bool]int{true: 2, false: 1}[kind == "refused"], entry.Attempts)
			require.Equal(r, "s", entry.State)
		}
	})
}

// The outcome of a row that was dropped, and whose number another one has now, is not lost and not the other one's.
func TestANumberThatIsAnothers(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "journal.db")
	j, other := open(t, path), open(t, path)
	intents := make([]payments.Intent, 64)
	for i := range intents {
		intents[i] = payments.Intent{Service: "s", Operation: "op", Key: fmt.Sprint(i), BodyHash: "h", BatchID: "b"}
	}
	require.NoError(t, j.Prepare(t.Context(), intents))
	for _, intent := range intents {
		_, mine, err := j.Begin(t.Context(), intent, false)
		require.NoError(t, err)
		require.True(t, mine)
		require.NoError(t, other.End(intent, payments.Result{Outcome: payments.OutcomeNotSent}))
	}
	require.NoError(t, other.Flush(t.Context()))
	dropped, err := other.Compact(t.Context(), start.AddDate(1, 0, 0))
	require.NoError(t, err)
	require.EqualValues(t, len(intents), dropped)
	_, mine, err := other.Begin(t.Context(), intent("new"), false)
	require.NoError(t, err)
	require.True(t, mine)

	for _, intent := range intents {
		require.NoError(t, j.End(intent, payments.Result{Outcome: payments.OutcomeDone, Subject: "trf_1"}))
	}
	require.NoError(t, j.Flush(t.Context()))
	kept := map[string]payments.Outcome{}
	require.NoError(t, j.Each(t.Context(), journal.Filter{}, func(entry payments.JournalEntry) error {
		kept[entry.Key] = entry.Outcome
		return nil
	}))
	require.Len(t, kept, len(intents)+1)
	require.Equal(t, payments.OutcomeSending, kept["new"])
	for _, intent := range intents {
		require.Equal(t, payments.OutcomeDone, kept[intent.Key], "what was done is put down, though the row was dropped")
	}
}

// firstVersion makes a journal, or one that is there, one of the first version.
func firstVersion(t *testing.T, path string) {
	t.Helper()
	require.NoError(t, open(t, path).Close())
	db, err := sql.Open("sqlite", path)
	require.NoError(t, err)
	_, err = db.ExecContext(t.Context(), "CREATE INDEX batches ON writes (batch_id) WHERE batch_id <> ''; PRAGMA user_version = 1")
	require.NoError(t, err)
	require.NoError(t, db.Close())
}

// A journal of the first version is brought up to date with all that is in it.
func TestAJournalOfTheFirstVersion(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "journal.db")
	j := open(t, path)
	_, mine := begin(t, j, intent("k"), false)
	require.True(t, mine)
	require.NoError(t, j.End(intent("k"), payments.Result{Outcome: payments.OutcomeDone, Subject: "trf_1"}))
	require.NoError(t, j.Close())
	firstVersion(t, path)

	j = open(t, path)
	require.Equal(t, "trf_1", lookup(t, j, "k").Subject)
	_, mine = begin(t, j, intent("k"), true)
	require.False(t, mine)
	state, err := journal.Inspect(t.Context(), path)
	require.NoError(t, err)
	require.Equal(t, 2, state.Version)
}
