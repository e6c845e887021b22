package journal_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/payctl/payctl/internal/outbox/journal"
)

// However many rows are claimed, and whatever is known of some of them: each new row may be sent once, and each outcome
// is recorded with its row.
func TestClaimManyRows(t *testing.T) {
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
		made := rapid.Bool().Draw(r, "made") // the keys are made of the references
		twice := rapid.IntRange(-3*rows, rows-1).Draw(r, "twice")
		intents := make([]journal.Intent, rows)
		for i, kind := range kinds {
			intents[i] = journal.Intent{
				Operation: "op", Key: fmt.Sprintf("%d-%d", round, i), Fingerprint: fmt.Sprintf("%064d", i),
				Reference: fmt.Sprintf("r%d-%d", round, i), BatchID: "bat_1", World: "w",
			}
			if made {
				intents[i].Key = journal.ReferenceKey("op", intents[i].Reference)
			}
			switch kind {
			case "done", "refused":
				_, mine := claim(r, j, intents[i], false)
				require.True(r, mine)
				require.NoError(r, j.End(intents[i], journal.Result{Outcome: journal.Outcome(kind), Subject: "earlier"}))
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
		claims, err := j.Claim(t.Context(), put, false)
		require.NoError(r, err)
		require.Len(r, claims, len(put))
		for i, kind := range kinds {
			require.Equal(r, kind != "done", claims[i].Mine)
			if !claims[i].Mine {
				require.Equal(r, "earlier", claims[i].Entry.Subject)
				continue
			}
			mine, err := j.Renew(t.Context(), intents[i])
			require.NoError(r, err)
			require.True(r, mine)
		}
		again, err := j.Claim(t.Context(), put, true)
		require.NoError(r, err)
		for i, c := range again {
			require.False(r, c.Mine, "it is claimed once")
			require.Equal(r, put[i].Key, c.Entry.Key)
			require.NotEqual(r, c.Entry.Outcome == journal.OutcomeDone, c.Entry.Busy)
		}
		if twice >= 0 {
			require.False(r, claims[len(intents)].Mine, "nor twice at a time")
		}
		outcome := func(i int) journal.Outcome {
			return []journal.Outcome{journal.OutcomeDone, journal.OutcomeDone, journal.OutcomeUnknown, journal.OutcomeNotSent}[i%4]
		}
		for i, kind := range kinds {
			if kind != "done" {
				require.NoError(r, j.End(intents[i], journal.Result{Outcome: outcome(i), Subject: fmt.Sprint("trf_", i), State: "s", World: "w3"}))
			}
		}
		flush(r, j)
		for i, kind := range kinds {
			entry := entryOf(r, j, intents[i])
			if kind == "done" {
				require.Equal(r, "earlier", entry.Subject)
				continue
			}
			require.Equal(r, outcome(i), entry.Outcome)
			require.Equal(r, fmt.Sprint("trf_", i), entry.Subject)
			require.Equal(r, "w3", entry.Result.World)
			require.Equal(r, intents[i].Reference, entry.Reference)
			require.Equal(r, intents[i].Fingerprint, entry.Fingerprint)
			require.Equal(r, intents[i].BatchID, entry.BatchID)
			require.Equal(r, intents[i].Key, entry.Key)
			require.Equal(r, map[bool]int{true: 2, false: 1}[kind == "refused"], entry.Attempts)
			require.Equal(r, "s", entry.State)
		}
	})
}

// The outcome of a row that was dropped is recorded all the same, also if another row has its number now.
func TestDroppedRow(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "journal.db")
	j, other := open(t, path), open(t, path)
	intents := make([]journal.Intent, 64)
	for i := range intents {
		intents[i] = journal.Intent{Operation: "op", Key: fmt.Sprint(i), Fingerprint: "h", BatchID: "b"}
	}
	claims, err := j.Claim(t.Context(), intents, false)
	require.NoError(t, err)
	for _, c := range claims {
		require.True(t, c.Mine)
	}
	require.NoError(t, j.Release(intents...))
	flush(t, j)
	dropped, err := other.Compact(t.Context(), start.AddDate(1, 0, 0))
	require.NoError(t, err)
	require.EqualValues(t, len(intents), dropped)
	_, mine := claim(t, other, intent("new"), false)
	require.True(t, mine)

	for _, intent := range intents {
		require.NoError(t, j.End(intent, journal.Result{Outcome: journal.OutcomeDone, Subject: "trf_1"}))
	}
	require.NoError(t, j.Record(t.Context(), nil))
	kept := map[string]journal.Outcome{}
	require.NoError(t, j.Each(t.Context(), journal.Filter{}, func(entry journal.Entry) error {
		kept[entry.Key] = entry.Outcome
		return nil
	}))
	require.Len(t, kept, len(intents)+1)
	require.Equal(t, journal.OutcomeSending, kept["new"])
	for _, intent := range intents {
		require.Equal(t, journal.OutcomeDone, kept[intent.Key], "done is recorded, though the row was dropped")
	}
}

func TestReferenceKeyIsTheSameEverywhere(t *testing.T) {
	t.Parallel()
	require.NotEqual(t, journal.ReferenceKey("createAutoTransfer", "invoice-42"), journal.ReferenceKey("createAutoTransfer", "invoice-43"))
	require.NotEqual(t, journal.ReferenceKey("createAutoTransfer", "x"), journal.ReferenceKey("cancelTransfer", "x"))
	require.Equal(t, "payctl-1c008b5c40dfadd82f17a001668a4049", journal.ReferenceKey("createAutoTransfer", "invoice-42"),
		"a change of this hash would pay every open reference again")
}

// A write that is named twice in a call is claimed once, also in place of an entry.
func TestWriteThatIsClaimedTwiceAtOnce(t *testing.T) {
	t.Parallel()
	for _, outcome := range []journal.Outcome{
		"", journal.OutcomeRefused, journal.OutcomeNotSent, journal.OutcomeAbsent, journal.OutcomeUnknown,
	} {
		path := filepath.Join(t.TempDir(), "journal.db")
		var intents []journal.Intent // enough for one statement
		for n := range 64 {
			i := intent("k")
			if n%2 == 1 {
				i = intent(fmt.Sprint(n))
			}
			i.Key = journal.ReferenceKey(i.Operation, i.Reference)
			intents = append(intents, i)
		}
		j := open(t, path)
		bringTo(t, j, intents[0], outcome)
		require.NoError(t, j.Close())
		claims, err := open(t, path).Claim(t.Context(), intents, true)
		require.NoError(t, err)
		for n, c := range claims {
			require.Equal(t, n == 0 || n%2 == 1, c.Mine, "%d after %q", n, outcome)
			require.Equal(t, !c.Mine, c.Entry.Busy)
		}
	}
}

// Many writes are looked up together: each has its place, also one that is not there or is named twice.
func TestLookupOfManyWrites(t *testing.T) {
	t.Parallel()
	j := open(t, filepath.Join(t.TempDir(), "journal.db"))
	intents := make([]journal.Intent, 1200)
	for i := range intents {
		intents[i] = intent(fmt.Sprint(i % 1100))
		intents[i].BatchID = "b"
	}
	claims, err := j.Claim(t.Context(), intents[:1000], false)
	require.NoError(t, err)
	require.True(t, claims[999].Mine)
	entries, err := j.Lookup(t.Context(), intents...)
	require.NoError(t, err)
	require.Len(t, entries, len(intents))
	for i, entry := range entries {
		if i%1100 >= 1000 {
			require.Empty(t, entry.Outcome)
			continue
		}
		require.Equal(t, intents[i].Key, entry.Key)
		require.True(t, entry.Busy)
	}
	entries, err = j.Lookup(t.Context())
	require.NoError(t, err)
	require.Empty(t, entries)
}

// A result that no write can end with is refused, and the transaction of others does not fail by it.
func TestEndWithoutAnOutcome(t *testing.T) {
	t.Parallel()
	j := open(t, filepath.Join(t.TempDir(), "journal.db"))
	claim(t, j, intent("k"), false)
	for _, outcome := range []journal.Outcome{"", journal.OutcomeSending, journal.OutcomeAbsent} {
		require.Error(t, j.End(intent("k"), journal.Result{Outcome: outcome}))
	}
	end(t, j, intent("k"), journal.Result{Outcome: journal.OutcomeDone})
	require.Equal(t, journal.OutcomeDone, lookup(t, j, "k").Outcome)
}
