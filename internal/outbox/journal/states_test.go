package journal_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/outbox/journal"
)

var outcomes = []journal.Outcome{
	"", journal.OutcomeSending, journal.OutcomeUnknown, journal.OutcomeDone, journal.OutcomeRefused,
	journal.OutcomeNotSent, journal.OutcomeAbsent,
}

// happen makes an event happen to a write in a journal.
func happen(t *testing.T, j *journal.Journal, i journal.Intent, e journal.Event) {
	record := func(outcome journal.Outcome) {
		entries, err := j.Lookup(t.Context(), i)
		require.NoError(t, err)
		entry := entries[0]
		entry.Intent, entry.Result = i, journal.Result{Outcome: outcome, World: i.World}
		if err := j.Record(t.Context(), []journal.Entry{entry}); err != nil {
			require.ErrorIs(t, err, journal.ErrMoved)
		}
	}
	ended := func(outcome journal.Outcome) { end(t, j, i, journal.Result{Outcome: outcome, World: i.World}) }
	switch e {
	case journal.EventClaimed:
		claim(t, j, i, false)
	case journal.EventClaimedAgain:
		claim(t, j, i, true)
	case journal.EventSucceeded:
		ended(journal.OutcomeDone)
	case journal.EventRefused:
		ended(journal.OutcomeRefused)
	case journal.EventUnanswered:
		ended(journal.OutcomeUnknown)
	case journal.EventNotSent:
		require.NoError(t, j.Release(i))
		flush(t, j)
	case journal.EventFound:
		record(journal.OutcomeDone)
	case journal.EventNotShown:
		record(journal.OutcomeAbsent)
	case journal.EventWorldReplaced:
		i.World = "another"
		claim(t, j, i, false)
	}
}

// Every event, in every outcome, for the program that claimed the write and for another one, while the first one is
// running and afterwards: the file has what the table says.
func TestEveryEventInEveryOutcome(t *testing.T) {
	t.Parallel()
	var events []journal.Event
	for _, transition := range journal.Transitions {
		if !slices.Contains(events, transition.Event) {
			events = append(events, transition.Event)
		}
	}
	require.Len(t, events, 9)
	const byOwner, byAnother, afterwards = "by the owner", "by another", "by another, afterwards"
	for _, from := range outcomes {
		for _, by := range []string{byOwner, byAnother, afterwards} {
			t.Run(fmt.Sprintf("%s/%s", from, by), func(t *testing.T) {
				t.Parallel()
				path := filepath.Join(t.TempDir(), "journal.db")
				j, other := open(t, path), open(t, path)
				about := func(event journal.Event) journal.Intent {
					i := intent(string(event))
					i.World = "w"
					return i
				}
				for _, event := range events {
					bringTo(t, j, about(event), from)
				}
				actor := other
				switch by {
				case byOwner:
					actor = j
				case afterwards:
					require.NoError(t, j.Close())
				}
				for _, event := range events {
					happen(t, actor, about(event), event)
				}
				require.NoError(t, actor.Close())
				last := open(t, path)
				for _, event := range events {
					entries, err := last.Lookup(t.Context(), about(event))
					require.NoError(t, err)
					want := expected(from, event, by == byOwner, by != afterwards)
					require.Equal(t, want, entries[0].Outcome, event)
				}
			})
		}
	}
}

// expected is the outcome after an event that the program that claimed the write, or another one, makes happen.
func expected(from journal.Outcome, event journal.Event, byOwner, ownerRuns bool) journal.Outcome {
	isOpen := from == journal.OutcomeSending || from == journal.OutcomeUnknown
	to, changes := journal.After(from, event)
	switch event {
	case journal.EventRefused, journal.EventNotSent:
		changes = changes && byOwner
	case journal.EventNotShown:
		changes = changes && !(isOpen && ownerRuns)
	case journal.EventClaimed, journal.EventClaimedAgain, journal.EventWorldReplaced: // all of them claim the write
		switch {
		case isOpen && ownerRuns:
			return from
		case event == journal.EventWorldReplaced:
			to, changes = journal.After(to, journal.EventClaimed)
		case !changes:
			to, changes = journal.After(from, journal.EventClaimed)
		}
	}
	if changes {
		return to
	}
	return from
}

// bringTo brings a new write to an outcome. If that is open, the journal has claimed it.
func bringTo(t *testing.T, j *journal.Journal, i journal.Intent, outcome journal.Outcome) {
	t.Helper()
	if outcome == "" {
		return
	}
	_, mine := claim(t, j, i, false)
	require.True(t, mine)
	bring(t, j, i, outcome)
	if outcome == journal.OutcomeUnknown {
		_, mine := claim(t, j, i, true)
		require.True(t, mine)
	}
	require.Equal(t, outcome, entryOf(t, j, i).Outcome)
}

// The table has each outcome and event once, and only the outcomes that there are.
func TestTransitions(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, transition := range journal.Transitions {
		name := string(transition.From) + "/" + string(transition.Event)
		require.False(t, seen[name], name)
		seen[name] = true
		require.Contains(t, outcomes, transition.From)
		require.Contains(t, outcomes, transition.To)
		if transition.From == journal.OutcomeDone && transition.To != "" {
			require.Equal(t, journal.OutcomeDone, transition.To, "what is done stays done")
		}
	}
}

// That a second attempt was not sent says nothing about the first one, which may have had its effect.
func TestSecondAttemptThatIsNotSent(t *testing.T) {
	t.Parallel()
	for name, first := range map[string]func(*testing.T, *journal.Journal){
		"unknown": func(t *testing.T, j *journal.Journal) {
			end(t, j, intent("k"), journal.Result{Outcome: journal.OutcomeUnknown})
		},
		"dead": func(t *testing.T, j *journal.Journal) { require.NoError(t, j.Close()) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "journal.db")
			j, other := open(t, path), open(t, path)
			claim(t, j, intent("k"), false)
			first(t, j)
			_, mine := claim(t, other, intent("k"), true)
			require.True(t, mine)
			require.True(t, lookup(t, other, "k").Busy)
			require.NoError(t, other.Release(intent("k")))
			flush(t, other)
			entry, mine := claim(t, other, intent("k"), false)
			require.False(t, mine)
			require.Equal(t, journal.OutcomeUnknown, entry.Outcome)
			require.False(t, entry.Busy)
			require.Equal(t, []byte(`{}`), entry.Body)
			require.Equal(t, start, entry.Began)
		})
	}
}

// An open entry with another content is not taken over: with its key, that content would be confused with the first.
func TestOtherContentIsNotTakenOver(t *testing.T) {
	t.Parallel()
	j := open(t, filepath.Join(t.TempDir(), "journal.db"))
	claim(t, j, intent("k"), false)
	end(t, j, intent("k"), journal.Result{Outcome: journal.OutcomeUnknown})
	other := intent("k")
	other.Fingerprint = "another"
	entry, mine := claim(t, j, other, true)
	require.False(t, mine)
	require.Equal(t, intent("k").Fingerprint, entry.Fingerprint)
}

// A program that has lost its claim, since its file of the owners is gone, for example, neither sends nor ends the
// attempt of the program that has the claim now. That its own attempt had its effect counts.
func TestClaimThatAnotherProgramTookOver(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("Windows removes no file that is locked")
	}
	path := filepath.Join(t.TempDir(), "journal.db")
	j, other := open(t, path), open(t, path)
	_, mine := claim(t, j, intent("k"), false)
	require.True(t, mine)
	require.NoError(t, os.RemoveAll(path+".owners"))
	_, mine = claim(t, other, intent("k"), true)
	require.True(t, mine)

	require.False(t, renew(t, j, intent("k")))
	require.NoError(t, j.Release(intent("k")))
	end(t, j, intent("k"), journal.Result{Outcome: journal.OutcomeRefused})
	require.Equal(t, journal.OutcomeUnknown, lookup(t, other, "k").Outcome)
	require.True(t, renew(t, other, intent("k")))
	end(t, j, intent("k"), journal.Result{Outcome: journal.OutcomeUnknown})
	require.True(t, renew(t, other, intent("k")))
	end(t, j, intent("k"), journal.Result{Outcome: journal.OutcomeDone, Subject: "trf_1"})
	require.False(t, renew(t, other, intent("k")))
	require.Equal(t, "trf_1", lookup(t, other, "k").Subject)
}

// A write of which several results come at once has the last one.
func TestSeveralResultsAtOnce(t *testing.T) {
	t.Parallel()
	j := open(t, filepath.Join(t.TempDir(), "journal.db"))
	claim(t, j, intent("k"), false)
	require.NoError(t, j.End(intent("k"), journal.Result{Outcome: journal.OutcomeUnknown}))
	require.NoError(t, j.End(intent("k"), journal.Result{Outcome: journal.OutcomeDone, Subject: "trf_1"}))
	require.NoError(t, j.End(intent("k"), journal.Result{Outcome: journal.OutcomeUnknown}))
	flush(t, j)
	entry := lookup(t, j, "k")
	require.Equal(t, journal.OutcomeDone, entry.Outcome)
	require.Equal(t, "trf_1", entry.Subject)
}

// The time from which a key counts is that of the first attempt that may have had an effect, in the same world.
func TestBegan(t *testing.T) {
	t.Parallel()
	later := start.Add(time.Hour)
	for outcome, began := range map[journal.Outcome]time.Time{
		journal.OutcomeSending: start, journal.OutcomeUnknown: start, journal.OutcomeAbsent: start,
		journal.OutcomeRefused: later, journal.OutcomeNotSent: later,
	} {
		path := filepath.Join(t.TempDir(), "journal.db")
		j, other := open(t, path), open(t, path)
		other.Now = func() time.Time { return later }
		for _, world := range []string{"w", "another"} {
			i := intent(world)
			i.World = "w"
			bringTo(t, j, i, outcome)
		}
		require.NoError(t, j.Close())
		for _, world := range []string{"w", "another"} {
			i := intent(world)
			i.World = world
			_, mine := claim(t, other, i, true)
			require.True(t, mine)
			entry := entryOf(t, other, i)
			require.Equal(t, later, entry.Changed)
			if world == "another" {
				began = later
			}
			require.Equal(t, began, entry.Began, "%s in %s", outcome, world)
		}
	}
}
