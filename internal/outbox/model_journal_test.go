package outbox_test

import (
	"context"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/payctl/payctl/internal/outbox"
	"github.com/payctl/payctl/internal/outbox/journal"
)

// A memoryJournal is the journal of one machine in the model: the rows and rules of package journal, without a disk.
// TestTheModelsJournal compares the two.
type memoryJournal struct {
	rows  []*memoryRow // oldest first
	alive map[string]bool
	now   func() time.Time
}

// A memoryRow is an entry, and the program that claimed it last.
type memoryRow struct {
	journal.Entry

	owner string
}

// A memoryWriter is the journal as one program has it open. What End records is written with the program's next step,
// and is lost if the program dies before.
type memoryWriter struct {
	*memoryJournal

	name  string
	ended []journal.Entry // with an Intent and a Result
}

var _ outbox.Journal = (*memoryWriter)(nil)

func newMemoryJournal(now func() time.Time) *memoryJournal {
	return &memoryJournal{alive: map[string]bool{}, now: now}
}

func (j *memoryJournal) find(intent journal.Intent) *memoryRow {
	for _, row := range j.rows {
		if row.Operation == intent.Operation && row.Key == intent.Key {
			return row
		}
	}
	return nil
}

func (j *memoryJournal) busy(row *memoryRow) bool {
	return !row.Outcome.Settled() && j.alive[row.owner]
}

func (j *memoryJournal) shown(row *memoryRow) journal.Entry {
	entry := row.Entry
	entry.Busy = j.busy(row)
	return entry
}

// Claim implements outbox.Journal.
func (w *memoryWriter) Claim(
	_ context.Context, intents []journal.Intent, takeOver bool,
) (claims []journal.Claim, _ error) {
	w.write()
	w.alive[w.name] = true
	for _, intent := range intents {
		claims = append(claims, w.claim(intent, takeOver))
	}
	return claims, nil
}

func (w *memoryWriter) claim(intent journal.Intent, takeOver bool) journal.Claim {
	var earlier journal.Entry
	outcome := journal.OutcomeSending
	row := w.find(intent)
	if row != nil {
		earlier = w.shown(row)
		var ok bool
		if outcome, ok = next(earlier, intent, takeOver); !ok {
			return journal.Claim{Entry: earlier}
		}
	}
	for _, other := range w.otherKeys(intent) {
		if _, ok := next(w.shown(other), intent, false); !ok {
			return journal.Claim{Entry: w.shown(other)}
		}
	}
	if intent.OneExternalID && !takeOver {
		for _, other := range w.rows {
			sameID := other.ExternalID == intent.ExternalID && other.Operation == intent.Operation && other.Key != intent.Key
			if sameID {
				if _, ok := next(w.shown(other), intent, false); !ok {
					return journal.Claim{Entry: w.shown(other)}
				}
			}
		}
	}
	sameWorld := !isOfOtherWorld(earlier, intent)
	keepBegan := (outcome == journal.OutcomeUnknown || earlier.Outcome == journal.OutcomeAbsent) && sameWorld
	w.replace(intent, outcome, keepBegan)
	return journal.Claim{Mine: true}
}

// otherKeys returns the rows with the reference of a write and other keys: first those with keys that the user has given.
func (w *memoryWriter) otherKeys(intent journal.Intent) (others []*memoryRow) {
	for _, given := range []bool{true, false} {
		for _, row := range w.rows {
			sameReference := intent.Reference != "" && row.Reference == intent.Reference
			if sameReference && row.Operation == intent.Operation && row.Key != intent.Key && row.HasGivenKey() == given {
				others = append(others, row)
			}
		}
	}
	return others
}

// next returns the outcome of a write that is claimed over an earlier entry; false: that entry stands in its way.
func next(earlier journal.Entry, intent journal.Intent, takeOver bool) (journal.Outcome, bool) {
	from, event := earlier.Outcome, journal.EventClaimed
	switch {
	case earlier.Busy:
		return from, false
	case isOfOtherWorld(earlier, intent):
		from, _ = from.After(journal.EventWorldReplaced)
	case takeOver && !from.Settled() && earlier.BodyHash == intent.BodyHash:
		event = journal.EventClaimedAgain
	}
	return from.After(event)
}

func isOfOtherWorld(earlier journal.Entry, intent journal.Intent) bool {
	return earlier.Result.World != "" && intent.World != "" && earlier.Result.World != intent.World
}

// replace records an attempt of a write in place of its earlier entry, if there is one.
func (w *memoryWriter) replace(intent journal.Intent, outcome journal.Outcome, keepBegan bool) *memoryRow {
	row, now := w.find(intent), w.now()
	if row == nil {
		row = &memoryRow{}
		w.rows = append(w.rows, row)
	}
	began, attempts := now, row.Attempts+1
	if keepBegan {
		began = row.Began
	}
	result := journal.Result{Outcome: outcome, World: intent.World, Subject: intent.Of}
	intent.OneExternalID = false // which is not recorded
	row.Entry = journal.Entry{Intent: intent, Result: result, Attempts: attempts, Began: began, Changed: now}
	row.owner = w.name
	return row
}

// Renew implements outbox.Journal.
func (w *memoryWriter) Renew(_ context.Context, intent journal.Intent) (mine bool, err error) {
	w.write()
	row := w.find(intent)
	if row == nil || row.Outcome.Settled() || row.owner != w.name {
		return false, nil
	}
	row.Changed = w.now()
	return true, nil
}

// Release implements outbox.Journal.
func (w *memoryWriter) Release(intents ...journal.Intent) error {
	for _, intent := range intents {
		_ = w.End(intent, journal.Result{Outcome: journal.OutcomeNotSent})
	}
	return nil
}

// End implements outbox.Journal.
func (w *memoryWriter) End(intent journal.Intent, result journal.Result) error {
	w.ended = append(w.ended, journal.Entry{Intent: intent, Result: result})
	return nil
}

// write writes what End and Release have left to write.
func (w *memoryWriter) write() {
	events := map[journal.Outcome]journal.Event{
		journal.OutcomeDone: journal.EventSucceeded, journal.OutcomeRefused: journal.EventRefused,
		journal.OutcomeNotSent: journal.EventNotSent, journal.OutcomeUnknown: journal.EventUnanswered,
	}
	for _, entry := range w.ended {
		event := events[entry.Outcome]
		row := w.find(entry.Intent)
		if _, counts := journal.Outcome("").After(event); row == nil && counts {
			row = w.replace(entry.Intent, journal.OutcomeSending, false)
		}
		if row != nil {
			w.change(row, event, entry.Result)
		}
	}
	w.ended = nil
}

// change changes a row as the table of transitions says.
func (w *memoryWriter) change(row *memoryRow, event journal.Event, result journal.Result) {
	at := slices.IndexFunc(journal.Transitions, func(t journal.Transition) bool {
		return t.From == row.Outcome && t.Event == event && (!t.Owner || row.owner == w.name)
	})
	if at < 0 {
		return
	}
	if result.Outcome = journal.Transitions[at].To; result.World == "" {
		result.World = row.Result.World
	}
	if result.Subject == "" {
		result.Subject = row.Subject
	}
	row.Result, row.Changed = result, w.now()
	row.Intent.World, row.Of = result.World, result.Subject
	if result.Outcome.Settled() {
		row.Body = nil
	}
	if row.owner == w.name {
		row.owner = ""
	}
}

// Record implements outbox.Journal.
func (w *memoryWriter) Record(_ context.Context, entries []journal.Entry) error {
	w.write()
	moved := false
	for _, entry := range entries {
		moved = !w.record(entry) || moved
	}
	if moved {
		return journal.ErrMoved
	}
	return nil
}

func (w *memoryWriter) record(entry journal.Entry) (recorded bool) {
	event := journal.EventFound
	if entry.Outcome == journal.OutcomeAbsent {
		event = journal.EventNotShown
	}
	row, earlier := w.find(entry.Intent), journal.Entry{}
	if row != nil {
		earlier = w.shown(row)
	}
	_, counts := earlier.Outcome.After(event)
	if !counts || event == journal.EventNotShown && (earlier.Busy || earlier.Attempts != entry.Attempts) {
		return false
	}
	switch {
	case row == nil:
		row = w.replace(entry.Intent, journal.OutcomeSending, false)
	case event != journal.EventFound || entry.BodyHash == earlier.BodyHash:
	case earlier.Outcome == journal.OutcomeDone && !isOfOtherWorld(earlier, entry.Intent):
		return true
	default:
		row.BodyHash = entry.BodyHash
	}
	w.change(row, event, entry.Result)
	return true
}

// Lookup implements outbox.Journal.
func (w *memoryWriter) Lookup(_ context.Context, intents ...journal.Intent) ([]journal.Entry, error) {
	entries := make([]journal.Entry, len(intents))
	for i, intent := range intents {
		if row := w.find(intent); row != nil {
			entries[i] = w.shown(row)
		}
	}
	return entries, nil
}

// MadeByAnother implements outbox.Journal.
func (w *memoryWriter) MadeByAnother(_ context.Context, intent journal.Intent, subject string) (bool, error) {
	return slices.ContainsFunc(w.rows, func(row *memoryRow) bool {
		return row.Operation == intent.Operation && row.Subject == subject && row.Outcome == journal.OutcomeDone &&
			row.Key != intent.Key
	}), nil
}

// Each implements outbox.Journal.
func (w *memoryWriter) Each(_ context.Context, filter journal.Filter, each func(journal.Entry) error) error {
	var entries []journal.Entry
	for _, row := range w.rows {
		if !filter.Open || !row.Outcome.Settled() {
			entries = append(entries, w.shown(row))
		}
	}
	for _, entry := range entries {
		if err := each(entry); err != nil {
			return err
		}
	}
	return nil
}

// OpenOutsideScope implements outbox.Journal.
func (w *memoryWriter) OpenOutsideScope(context.Context) (map[string]int, error) { return nil, nil }

// Compact implements outbox.Journal.
func (w *memoryWriter) Compact(context.Context, time.Time) (dropped int64, err error) { return 0, nil }

// TestTheModelsJournal does the same at random with the journal of the model and with the real one: two programs claim,
// renew, end and record writes with two references and three keys. Their answers and their entries are the same.
func TestTheModelsJournal(t *testing.T) {
	t.Parallel()
	folder, files := t.TempDir(), 0
	rapid.Check(t, func(t *rapid.T) {
		files++
		compareJournals(t, filepath.Join(folder, strconv.Itoa(files)+".db"))
	})
}

func compareJournals(t *rapid.T, path string) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	clock := func() time.Time { return now }
	memory := newMemoryJournal(clock)
	var real [2]*journal.Journal
	var model [2]*memoryWriter
	restart := func(i int) {
		real[i] = &journal.Journal{Path: path, Now: clock}
		model[i] = &memoryWriter{memoryJournal: memory, name: rapid.StringN(8, 8, -1).Draw(t, "owner")}
	}
	stop := func(i int) {
		require.NoError(t, real[i].Close())
		model[i].write()
		delete(memory.alive, model[i].name)
	}
	restart(0)
	restart(1)
	defer func() { stop(0); stop(1) }()
	i := func() int { return rapid.IntRange(0, 1).Draw(t, "program") }
	entryOf := func(intent journal.Intent) journal.Entry {
		entries, err := real[0].Lookup(t.Context(), intent)
		require.NoError(t, err)
		if entries[0].Outcome == "" {
			entries[0].Intent = intent
		}
		return entries[0]
	}
	t.Repeat(map[string]func(*rapid.T){
		"claim": func(t *rapid.T) {
			p, intent, takeOver := i(), drawIntent(t), rapid.Bool().Draw(t, "take over")
			want, err := real[p].Claim(t.Context(), []journal.Intent{intent}, takeOver)
			require.NoError(t, err)
			got, err := model[p].Claim(t.Context(), []journal.Intent{intent}, takeOver)
			require.NoError(t, err)
			require.Equal(t, want, got)
		},
		"renew": func(t *rapid.T) {
			p, intent := i(), drawIntent(t)
			want, err := real[p].Renew(t.Context(), intent)
			require.NoError(t, err)
			got, err := model[p].Renew(t.Context(), intent)
			require.NoError(t, err)
			require.Equal(t, want, got)
		},
		"end": func(t *rapid.T) {
			p, intent, result := i(), drawIntent(t), drawResult(t, "done", "refused", "not_sent", "unknown")
			require.NoError(t, real[p].End(intent, result))
			_, err := real[p].Renew(t.Context(), journal.Intent{Key: "other"}) // waits until it is written
			require.NoError(t, err)
			require.NoError(t, model[p].End(intent, result))
			model[p].write()
		},
		"record": func(t *rapid.T) {
			p, entry := i(), entryOf(drawIntent(t))
			entry.BodyHash = drawIntent(t).BodyHash
			entry.Result = drawResult(t, "done", "absent")
			if rapid.Bool().Draw(t, "moved") {
				entry.Attempts--
			}
			want := real[p].Record(t.Context(), []journal.Entry{entry})
			require.Equal(t, want, model[p].Record(t.Context(), []journal.Entry{entry}))
		},
		"other maker": func(t *rapid.T) {
			p, intent := i(), drawIntent(t)
			want, err := real[p].MadeByAnother(t.Context(), intent, "trf_1")
			require.NoError(t, err)
			got, err := model[p].MadeByAnother(t.Context(), intent, "trf_1")
			require.NoError(t, err)
			require.Equal(t, want, got)
		},
		"restart": func(t *rapid.T) {
			p := i()
			stop(p)
			restart(p)
		},
		"time": func(*rapid.T) { now = now.Add(time.Minute) },
		"": func(t *rapid.T) {
			require.Equal(t, list(t, real[0]), list(t, model[0]))
		},
	})
}

func drawIntent(t *rapid.T) journal.Intent {
	reference := rapid.SampledFrom([]string{"r1", "r2"}).Draw(t, "reference")
	made := journal.ReferenceKey("pay", reference)
	return journal.Intent{
		Operation: "pay", Reference: reference, Body: []byte("{}"),
		Key:      rapid.SampledFrom([]string{made, reference + "a", reference + "b"}).Draw(t, "key"),
		BodyHash: rapid.SampledFrom([]string{"h1", "h2"}).Draw(t, "hash"),
		World:    rapid.SampledFrom([]string{"", "w1", "w2"}).Draw(t, "world"),

		ExternalID: "e-" + rapid.SampledFrom([]string{"1", "2"}).Draw(t, "external id"), OneExternalID: rapid.Bool().Draw(t, "alone"),
	}
}

func drawResult(t *rapid.T, outcomes ...journal.Outcome) journal.Result {
	return journal.Result{
		Outcome: rapid.SampledFrom(outcomes).Draw(t, "outcome"),
		Subject: rapid.SampledFrom([]string{"", "trf_1", "trf_2"}).Draw(t, "subject"),
		World:   rapid.SampledFrom([]string{"", "w1", "w2"}).Draw(t, "world"),
	}
}

func list(t *rapid.T, j outbox.Journal) (all []journal.Entry) {
	require.NoError(t, j.Each(t.Context(), journal.Filter{}, func(entry journal.Entry) error {
		all = append(all, entry)
		return nil
	}))
	return all
}
