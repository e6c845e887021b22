package journal_test

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/effect"
	"github.com/payctl/payctl/internal/outbox/journal"
)

var outcomes = []effect.Outcome{
	"", journal.OutcomeSending, effect.Unknown, effect.Done, effect.Refused,
	effect.NotSent, journal.OutcomeClosed,
}

// Every event happens in every outcome: by the program that claimed the write, by another one meanwhile, and by one
// afterwards. Each line has the outcomes after an event, in the order of outcomes: - unchanged, s sending, u unknown, d
// done, r refused, n not sent, c closed.
func TestEveryEventInEveryOutcome(t *testing.T) {
	t.Parallel()
	record := func(outcome effect.Outcome) func(*testing.T, *journal.Journal, journal.PendingWrite) {
		return func(t *testing.T, j *journal.Journal, i journal.PendingWrite) {
			entries, err := j.Lookup(t.Context(), i)
			require.NoError(t, err)
			entries[0].PendingWrite, entries[0].Ending = i, journal.Ending{Outcome: outcome, World: i.World}
			if err := j.Record(t.Context(), entries); err != nil {
				require.ErrorIs(t, err, journal.ErrMoved)
			}
		}
	}
	ended := func(outcome effect.Outcome) func(*testing.T, *journal.Journal, journal.PendingWrite) {
		return func(t *testing.T, j *journal.Journal, i journal.PendingWrite) {
			end(t, j, i, journal.Ending{Outcome: outcome, World: i.World})
		}
	}
	claimed := func(mode journal.Mode, world string) func(*testing.T, *journal.Journal, journal.PendingWrite) {
		return func(t *testing.T, j *journal.Journal, i journal.PendingWrite) {
			i.World = world
			_, err := j.Claim(t.Context(), []journal.PendingWrite{i}, mode)
			require.NoError(t, err)
		}
	}
	letters := map[byte]effect.Outcome{
		's': journal.OutcomeSending, 'u': effect.Unknown, 'd': effect.Done, 'r': effect.Refused,
		'n': effect.NotSent, 'c': journal.OutcomeClosed,
	}
	for name, event := range map[string]struct {
		happen                     func(*testing.T, *journal.Journal, journal.PendingWrite)
		owner, another, afterwards string
	}{
		"claimed":        {claimed(journal.First, "w"), "s---ss-", "s---ss-", "s---ss-"},
		"claimed again":  {claimed(journal.Again, "w"), "s---ss-", "s---ss-", "suu-ss-"},
		"claimed anew":   {claimed(journal.Anew, "w"), "s--ussu", "s--ussu", "suuussu"},
		"in a new world": {claimed(journal.First, "new"), "s--ssss", "s--ssss", "sssssss"},
		"success":        {ended(effect.Done), "-dddddd", "-dddddd", "-dddddd"},
		"refused":        {ended(effect.Refused), "-rr----", "-------", "-------"},
		"not sent":       {ended(effect.NotSent), "-n-----", "-------", "-------"},
		"no answer":      {ended(effect.Unknown), "-uu-uu-", "-uu-uu-", "-uu-uu-"},
		"accepted":       {record(effect.Done), "---dddd", "---dddd", "-dddddd"},
		"dismissed":      {record(journal.OutcomeClosed), "---cccc", "---cccc", "-cccccc"},
	} {
		for by, want := range map[string]string{
			"owner": event.owner, "another": event.another, "afterwards": event.afterwards,
		} {
			t.Run(name+" by "+by, func(t *testing.T) {
				t.Parallel()
				path := filepath.Join(t.TempDir(), "journal.db")
				j, other := open(t, path), open(t, path)
				about := func(from effect.Outcome) journal.PendingWrite {
					i := intent("of " + string(from))
					i.World = "w"
					return i
				}
				for _, from := range outcomes {
					bringTo(t, j, about(from), from)
				}
				actor := other
				if by == "owner" {
					actor = j
				} else if by == "afterwards" {
					require.NoError(t, j.Close())
				}
				for n, from := range outcomes {
					event.happen(t, actor, about(from))
					flush(t, actor)
					entries, err := other.Lookup(t.Context(), about(from))
					require.NoError(t, err)
					expected, changes := letters[want[n]]
					if !changes {
						expected = from
					}
					require.Equal(t, expected, entries[0].Outcome, "from %q", from)
				}
			})
		}
	}
}

// bringTo brings a new write to an outcome. If the outcome is open, j has claimed the write.
func bringTo(t *testing.T, j *journal.Journal, i journal.PendingWrite, outcome effect.Outcome) {
	t.Helper()
	if outcome == "" {
		return
	}
	_, mine := claim(t, j, i, false)
	require.True(t, mine)
	bring(t, j, i, outcome)
	if outcome == effect.Unknown {
		_, mine := claim(t, j, i, true)
		require.True(t, mine)
	}
	require.Equal(t, outcome, entryOf(t, j, i).Outcome)
}

// An open entry with other content is not taken over: with the same key, the contents would be confused.
func TestOtherContentIsNotTakenOver(t *testing.T) {
	t.Parallel()
	j := open(t, filepath.Join(t.TempDir(), "journal.db"))
	claim(t, j, intent("k"), false)
	end(t, j, intent("k"), journal.Ending{Outcome: effect.Unknown})
	other := intent("k")
	other.Fingerprint = "another"
	entry, mine := claim(t, j, other, true)
	require.False(t, mine)
	require.Equal(t, intent("k").Fingerprint, entry.Fingerprint)
}

// A program may lose its claim, for example when its owner file is removed. Then it neither sends the write nor ends
// the attempt of the program that has the claim now. But its own success counts.
func TestClaimThatAnotherProgramTookOver(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("Windows does not remove a locked file")
	}
	path := filepath.Join(t.TempDir(), "journal.db")
	j, other := open(t, path), open(t, path)
	_, mine := claim(t, j, intent("k"), false)
	require.True(t, mine)
	require.NoError(t, os.RemoveAll(path+".owners"))
	_, mine = claim(t, other, intent("k"), true)
	require.True(t, mine)

	require.False(t, renew(t, j, intent("k")))
	require.NoError(t, j.End(intent("k"), journal.Ending{Outcome: effect.NotSent}))
	end(t, j, intent("k"), journal.Ending{Outcome: effect.Refused})
	require.Equal(t, effect.Unknown, lookup(t, other, "k").Outcome)
	require.True(t, renew(t, other, intent("k")))
	end(t, j, intent("k"), journal.Ending{Outcome: effect.Unknown})
	require.True(t, renew(t, other, intent("k")))
	end(t, j, intent("k"), journal.Ending{Outcome: effect.Done, Subject: "trf_1"})
	require.False(t, renew(t, other, intent("k")))
	require.Equal(t, "trf_1", lookup(t, other, "k").Subject)
}

// Began is the time of the first attempt in the same world that may have had an effect.
func TestBegan(t *testing.T) {
	t.Parallel()
	later := start.Add(time.Hour)
	for outcome, began := range map[effect.Outcome]time.Time{
		journal.OutcomeSending: start, effect.Unknown: start, journal.OutcomeClosed: start,
		effect.Refused: later, effect.NotSent: later,
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
			claims, err := other.Claim(t.Context(), []journal.PendingWrite{i}, journal.Anew)
			require.NoError(t, err)
			require.True(t, claims[0].Mine)
			entry := entryOf(t, other, i)
			require.Equal(t, later, entry.Changed)
			if world == "another" {
				began = later
			}
			require.Equal(t, began, entry.Began, "%s in %s", outcome, world)
		}
	}
}
