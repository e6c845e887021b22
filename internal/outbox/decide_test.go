package outbox

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/outbox/journal"
)

// Each decision is made for some entry, and for no other than it names.
func TestDecisions(t *testing.T) {
	t.Parallel()
	reached := map[action]bool{}
	for name, test := range map[string]struct {
		service string
		entry   journal.Entry
		other   bool // the entry has another key, or another content
		age     time.Duration
		want    action
	}{
		"running":              {"keys", journal.Entry{Busy: true, Result: of(journal.OutcomeSending)}, false, 0, waitForSender},
		"running again":        {"keys", journal.Entry{Busy: true, Result: of(journal.OutcomeUnknown)}, false, 0, waitForSender},
		"running, other key":   {"both", journal.Entry{Busy: true, Result: of(journal.OutcomeSending)}, true, 0, waitForSender},
		"done":                 {"no promise", journal.Entry{Result: of(journal.OutcomeDone)}, false, 1000 * time.Hour, readEffect},
		"done, other key":      {"keys", journal.Entry{Result: of(journal.OutcomeDone)}, true, 0, readEffect},
		"died, keys":           {"keys", journal.Entry{Result: of(journal.OutcomeSending)}, false, 0, sendAgain},
		"unknown, keys":        {"keys", journal.Entry{Result: of(journal.OutcomeUnknown)}, false, 22 * time.Hour, sendAgain},
		"key too old":          {"keys", journal.Entry{Result: of(journal.OutcomeUnknown)}, false, 23 * time.Hour, lookUp},
		"clock set back":       {"keys", journal.Entry{Result: of(journal.OutcomeUnknown)}, false, -2 * time.Hour, lookUp},
		"other key":            {"both", journal.Entry{Result: of(journal.OutcomeUnknown)}, true, 0, lookUp},
		"died, unique":         {"unique references", journal.Entry{Result: of(journal.OutcomeSending)}, false, 25 * time.Hour, sendAgain},
		"unknown, both, old":   {"both", journal.Entry{Result: of(journal.OutcomeUnknown)}, false, 25 * time.Hour, sendAgain},
		"died, no promise":     {"no promise", journal.Entry{Result: of(journal.OutcomeSending)}, false, 0, lookUp},
		"unknown, no promise":  {"no promise", journal.Entry{Result: of(journal.OutcomeUnknown)}, false, time.Hour, lookUp},
		"unknown, other world": {"no promise", journal.Entry{Result: journal.Result{Outcome: journal.OutcomeUnknown, World: "a"}}, false, 0, lookUp},
	} {
		s := newFakeService(kindsOfService[test.service])
		o, _ := s.machine(t).program(0)
		intent := journal.Intent{Operation: CreateAutoTransferOperation, Key: "k", BodyHash: "h", Reference: "r"}
		entry := test.entry
		entry.Intent, entry.Began = intent, s.clock.now().Round(0).Add(-test.age)
		if test.other {
			entry.BodyHash = "another"
		}
		require.Equal(t, test.want, o.decide(t.Context(), intent, entry), name)
		if test.other {
			entry.BodyHash, entry.Key = "h", "another"
			require.Equal(t, test.want, o.decide(t.Context(), intent, entry), name)
		}
		reached[test.want] = true
	}
	for _, d := range Decisions {
		require.True(t, d.applies == nil || reached[d.do], d.Entry)
	}

	// A write without a reference is not kept from having its effect twice by unique references.
	s := newFakeService(kindsOfService["unique references"])
	o, _ := s.machine(t).program(0)
	entry := journal.Entry{Result: of(journal.OutcomeUnknown), Began: s.clock.now()}
	require.Equal(t, lookUp, o.decide(t.Context(), entry.Intent, entry))
}

func of(outcome journal.Outcome) journal.Result { return journal.Result{Outcome: outcome} }
