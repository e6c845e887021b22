package outbox

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/outbox/journal"
	"github.com/payctl/payctl/internal/payments"
)

// The tests of this file are named by the rules of the package comment.

// Rule 1: when a write arrives at the service, its entry is on the disk.
func TestNothingLeavesBeforeItIsRecorded(t *testing.T) {
	t.Parallel()
	for name, write := range map[string]func(context.Context, *Outbox) error{
		"a transfer": func(ctx context.Context, o *Outbox) error {
			_, err := o.CreateAutoTransfer(ctx, invoice("invoice-42"), payments.Idempotency{})
			return err
		},
		"a transfer with a key alone": func(ctx context.Context, o *Outbox) error {
			_, err := o.CreateAutoTransfer(ctx, invoice(""), payments.Idempotency{Key: "k"})
			return err
		},
		"a row of a file": func(ctx context.Context, o *Outbox) error {
			p, err := o.PrepareAutoTransfer(invoice("invoice-42"), payments.Idempotency{})
			if err != nil {
				return err
			}
			if err := o.Claim(ctx, []*PreparedTransfer{p}); err != nil {
				return err
			}
			_, err = o.SubmitAutoTransfer(ctx, p)
			return err
		},
		"a cancellation": func(ctx context.Context, o *Outbox) error {
			_, err := o.CancelTransfer(ctx, "trf_0", payments.Idempotency{})
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newFakeService(func(s *fakeService) { s.lose = once(theResponse); s.honoursKeys = true })
			m := s.machine(t)
			if name == "a cancellation" {
				s.made(invoice(""))
			}
			seen := 0
			s.arrived = func() {
				seen++
				require.Equal(t, journal.OutcomeSending, m.outcome())
			}
			o, _ := m.program(1)
			require.NoError(t, write(t.Context(), o))
			require.Equal(t, 2, seen)

			// What cannot be recorded is not sent.
			folder := filepath.Join(t.TempDir(), "file")
			require.NoError(t, os.WriteFile(folder, nil, 0o600))
			m.path = filepath.Join(folder, "journal.db")
			_, before := s.count()
			o, _ = m.program(1)
			require.Error(t, write(t.Context(), o))
			_, after := s.count()
			require.Equal(t, before, after)
		})
	}
}

// Rule 2: with one journal, a reference is paid once, however many programs, keys and goroutines send it at a time.
func TestOneReferenceWithTwoKeys(t *testing.T) {
	t.Parallel()
	for name, kind := range kindsOfService {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newFakeService(kind)
			m := s.machine(t)
			first, _ := m.program(0)
			second, _ := m.program(0)
			errs, ids := make([]error, 12), make([]string, 12)
			var group sync.WaitGroup
			for i := range errs {
				o, key := first, fmt.Sprint("key-", i%4)
				if i%2 == 0 {
					o = second
				}
				if i%4 == 3 {
					key = "" // the one that is made of the reference
				}
				group.Go(func() {
					result, err := o.CreateAutoTransfer(t.Context(), invoice("invoice-42"), payments.Idempotency{Key: key})
					errs[i], ids[i] = err, result.Value.ID
				})
			}
			group.Wait()
			for i := range errs {
				require.NoError(t, errs[i])
				require.Equal(t, "trf_0", ids[i])
			}
			requireOne(t, s, 1)
		})
	}
}

// Rule 2: a program that is stopped while it sends keeps others from sending, and they say so.
func TestAWriteThatAnotherProgramSendsIsWaitedFor(t *testing.T) {
	t.Parallel()
	s := newFakeService(nil)
	m := s.machine(t)
	other, _ := m.program(0)
	other.sleep = func(context.Context, time.Duration) error { s.clock.pass(busyPoll); return nil }
	s.arrived = func() {
		for _, key := range []string{"", "another key"} {
			_, err := other.CreateAutoTransfer(t.Context(), invoice("invoice-42"), payments.Idempotency{Key: key})
			require.Equal(t, payments.KindBeingSent, kindOf(t, err))
		}
		ctx, cancel := context.WithCancel(t.Context())
		other.sleep = func(context.Context, time.Duration) error { cancel(); return ctx.Err() }
		_, err := other.CreateAutoTransfer(ctx, invoice("invoice-42"), payments.Idempotency{})
		require.Equal(t, payments.KindBeingSent, kindOf(t, err), "an interrupted wait tells nothing else")
	}
	_, err := m.pay(invoice("invoice-42"), "")
	require.NoError(t, err)
	requireOne(t, s, 1)
}

// Rule 3: an entry that is done in another instance of a world is looked up, and not believed.
func TestAnEntryOfAnotherWorld(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		lose  func(int) loss
		keeps bool // the world was restored, with its transfers, and not reset
		posts int
	}{
		"restored":           {nil, true, 1},
		"restored, unknown":  {always(theResponse), true, 1},
		"reset":              {nil, false, 2},
		"reset, and unknown": {once(theRequest), false, 1},
	} {
		for kind, change := range kindsOfService {
			t.Run(name+", "+kind, func(t *testing.T) {
				t.Parallel()
				s := newFakeService(change)
				s.world, s.lose = "a", test.lose
				m := s.machine(t)
				_, err := m.pay(invoice("invoice-42"), "")
				require.Equal(t, strings.Contains(name, "unknown"), err != nil)
				s.clock.pass(25 * time.Hour)
				s.world, s.lose, s.keys = "b", nil, map[string]usedKey{}
				if !test.keeps {
					s.transfers = nil
				}
				posts := test.posts
				if s.unique && name == "restored, unknown" {
					posts = 2 // it is sent again, which has no effect
				}
				for range 2 {
					result, err := m.pay(invoice("invoice-42"), "")
					require.NoError(t, err)
					require.Equal(t, "trf_0", result.Value.ID)
					requireOne(t, s, posts)
				}
				entries := m.entries()
				require.Len(t, entries, 1)
				require.Equal(t, journal.OutcomeDone, entries[0].Outcome)
				require.Equal(t, "b", entries[0].Result.World)
			})
		}
	}
}

// Rule 4: what another machine has paid is found before a write is sent for the first time.
func TestLooksBeforeSending(t *testing.T) {
	t.Parallel()
	for name, kind := range kindsOfService {
		for _, key := range []string{"", "my-key"} {
			t.Run(name+" "+key, func(t *testing.T) {
				t.Parallel()
				s := newFakeService(kind)
				s.made(invoice("INVOICE-43"))
				existing := s.made(invoice("invoice-42"))
				s.ignoresFilters = true
				m := s.machine(t)
				result, err := m.pay(invoice("invoice-42"), key)
				require.NoError(t, err)
				require.True(t, result.Replayed)
				require.Equal(t, existing.ID, result.Value.ID)
				require.Equal(t, journal.OutcomeDone, m.outcome())

				other := invoice("invoice-42")
				other.Route.RouteKey = "another:X->way:Y"
				_, err = s.machine(t).pay(other, key)
				require.Equal(t, payments.KindReferenceReused, kindOf(t, err))
				require.ErrorContains(t, err, "another:X->way:Y")
				_, posts := s.count()
				require.Zero(t, posts)
			})
		}
	}
	t.Run("a row, unless the service keeps references unique", func(t *testing.T) {
		t.Parallel()
		for _, unique := range []bool{false, true} {
			s := newFakeService(func(s *fakeService) { s.unique = unique })
			s.made(invoice("invoice-42"))
			o, _ := s.machine(t).program(0)
			p, err := o.PrepareAutoTransfer(invoice("invoice-42"), payments.Idempotency{})
			require.NoError(t, err)
			result, err := o.SubmitAutoTransfer(t.Context(), p)
			require.NoError(t, err)
			require.True(t, result.Replayed)
			transfers, posts := s.count()
			require.Equal(t, []any{1, unique, !unique}, []any{transfers, posts == 1, s.lists == 1})
		}
	})
	t.Run("a key alone, by the external id that is made of it", func(t *testing.T) {
		t.Parallel()
		s := newFakeService(nil)
		_, err := s.machine(t).pay(invoice(""), "october")
		require.NoError(t, err)
		result, err := s.machine(t).pay(invoice(""), "october") // on another machine
		require.NoError(t, err)
		require.True(t, result.Replayed)
		requireOne(t, s, 1)
	})
	t.Run("a lookup that fails", func(t *testing.T) {
		t.Parallel()
		s := newFakeService(nil)
		s.down = payments.NewLocalProblem(payments.KindUnreachable, nil, "It is not there.", "")
		m := s.machine(t)
		_, err := m.pay(invoice("invoice-42"), "")
		require.Equal(t, payments.KindUnreachable, kindOf(t, err))
		require.Equal(t, journal.OutcomeNotSent, m.outcome(), "it was never sent")
		s.down = nil
		_, err = m.pay(invoice("invoice-42"), "")
		require.NoError(t, err)
		requireOne(t, s, 1)
	})
}

// Rule 5: a write that may have had its effect is sent again only while the service keeps it from having it twice.
func TestSendsAgainOnlyWhatIsSafe(t *testing.T) {
	t.Parallel()
	const keyed, free, unique, both = "keys", "no promise", "unique references", "both"
	for _, test := range []struct {
		service, key string
		after        time.Duration // the first program
		again        bool          // it is sent again
		unknown      bool          // nothing is sent, and the outcome stays unknown
	}{
		{keyed, "", 0, true, false}, {keyed, "", 22 * time.Hour, true, false},
		{keyed, "", keyLifetime - time.Second, true, false},
		{keyed, "", -time.Minute, true, false}, {keyed, "", -2 * time.Hour, false, true},
		{keyed, "my-key", 22 * time.Hour, true, false},
		{free, "", time.Minute, false, true}, {free, "my-key", time.Minute, false, true},
		{unique, "", time.Minute, true, false}, {unique, "", 1000 * time.Hour, true, false},
		{unique, "my-key", time.Minute, true, false},
		{both, "", time.Minute, true, false}, {both, "", 25 * time.Hour, true, false},
	} {
		for _, what := range []loss{theRequest, theResponse} {
			t.Run(fmt.Sprintf("%s %s after %s, lost %d", test.service, test.key, test.after, what), func(t *testing.T) {
				t.Parallel()
				s := newFakeService(kindsOfService[test.service])
				s.lose = always(what)
				m := s.machine(t)
				_, err := m.pay(invoice("invoice-42"), test.key)
				require.Equal(t, payments.KindOutcomeUnknown, kindOf(t, err))
				require.Equal(t, journal.OutcomeUnknown, m.outcome())
				_, before := s.count()

				s.clock.pass(test.after)
				s.lose = nil
				result, err := m.pay(invoice("invoice-42"), test.key)
				_, after := s.count()
				// Unless references are unique, it is looked up before it is sent again.
				require.Equal(t, test.again && (what == theRequest || s.unique), after > before)
				if test.unknown && what == theRequest {
					require.Equal(t, payments.KindOutcomeUnknown, kindOf(t, err))
					require.Equal(t, journal.OutcomeUnknown, m.outcome())
					return
				}
				require.NoError(t, err)
				require.Equal(t, "trf_0", result.Value.ID)
				require.Equal(t, journal.OutcomeDone, m.outcome())
				transfers, _ := s.count()
				require.Equal(t, 1, transfers)
			})
		}
	}
	t.Run("a row, without a lookup where references are unique", func(t *testing.T) {
		t.Parallel()
		s := newFakeService(func(s *fakeService) { s.unique, s.lose = true, once(theResponse) })
		m := s.machine(t)
		for i := range 2 {
			o, _ := m.program(0)
			s.lose = once([]loss{theResponse, nothing}[i])
			p, err := o.PrepareAutoTransfer(invoice("invoice-42"), payments.Idempotency{})
			require.NoError(t, err)
			_, err = o.SubmitAutoTransfer(t.Context(), p)
			require.Equal(t, i == 1, err == nil, "%v", err)
			require.Equal(t, i == 1, p.Repeated())
			require.NoError(t, o.journal.(*journal.Journal).Close())
		}
		requireOne(t, s, 2)
		require.Zero(t, s.lists)
	})
	t.Run("a lookup that fails before it is sent again", func(t *testing.T) {
		t.Parallel()
		s := newFakeService(func(s *fakeService) { s.honoursKeys, s.lose = true, always(theRequest) })
		m := s.machine(t)
		_, err := m.pay(invoice("invoice-42"), "")
		require.Error(t, err)
		s.down = payments.NewLocalProblem(payments.KindUnreachable, nil, "It is not there.", "")
		_, err = m.pay(invoice("invoice-42"), "")
		require.Equal(t, payments.KindOutcomeUnknown, kindOf(t, err), "not that it was not sent")
		require.ErrorIs(t, err, s.down)
		require.Equal(t, journal.OutcomeUnknown, m.outcome())
	})
	t.Run("within a call", func(t *testing.T) {
		t.Parallel()
		for name, kind := range kindsOfService {
			for _, what := range []loss{theRequest, theResponse} {
				s := newFakeService(kind)
				s.lose = once(what)
				m := s.machine(t)
				result, err := m.payWith(invoice("invoice-42"), "", 2)
				if name == free && what == theRequest {
					require.Equal(t, payments.KindOutcomeUnknown, kindOf(t, err))
					require.Equal(t, journal.OutcomeUnknown, m.outcome())
					continue
				}
				// At a service without promises, the transfer whose response was lost is looked up at once.
				require.NoError(t, err, name)
				require.Equal(t, "trf_0", result.Value.ID)
				require.Equal(t, journal.OutcomeDone, m.outcome())
				transfers, posts := s.count()
				require.Equal(t, 1, transfers)
				require.Equal(t, name != free && what == theResponse, posts == 2, "%s: %d", name, posts)
			}
		}
	})
	t.Run("with other content", func(t *testing.T) {
		t.Parallel()
		for _, kind := range kindsOfService {
			s := newFakeService(kind)
			s.lose = always(theResponse)
			m := s.machine(t)
			_, err := m.pay(invoice("invoice-42"), "")
			require.Error(t, err)
			s.lose = nil
			other := invoice("invoice-42")
			other.Route.RouteKey = "another:X->way:Y"
			_, err = m.pay(other, "")
			require.Equal(t, payments.KindReferenceReused, kindOf(t, err))
			requireOne(t, s, 1)
			require.Equal(t, journal.OutcomeUnknown, m.outcome(), "the first one is still to be established")
		}
	})
}

// Rule 6, on its own: the clock that shows more elapsed time counts.
func TestElapsed(t *testing.T) {
	t.Parallel()
	clock := newClock()
	before := clock.now()
	clock.move(-time.Hour, time.Minute)
	now := clock.now()
	require.Equal(t, time.Minute, now.Sub(before), "the monotonic clock")
	require.Equal(t, -time.Hour, now.Round(0).Sub(before.Round(0)), "the wall clock")
	require.Equal(t, "2026-01-02 02:04:05 +0000 UTC", now.Round(0).String())
	require.Equal(t, time.Minute, elapsed(before, now))
	clock.move(2*time.Hour, 0)
	require.Equal(t, time.Hour, elapsed(before, clock.now()))
	require.Equal(t, time.Hour, elapsed(before.Round(0), clock.now()), "a time that was read from the journal")
	require.False(t, holds(time.Time{}, now, time.Hour), "nothing was learned")
}

// Rule 6: what is known expires by the clock that shows more elapsed time, and is checked before each attempt leaves.
func TestKnowledgeExpires(t *testing.T) {
	t.Parallel()
	day := map[string]func(*fakeClock){
		"the machine slept":           func(c *fakeClock) { c.move(25*time.Hour, 0) },
		"the wall clock was set back": func(c *fakeClock) { c.move(-time.Minute, 25*time.Hour) },
	}
	for name, pass := range day {
		for _, what := range []loss{theRequest, theResponse} {
			t.Run(fmt.Sprintf("an attempt in flight, %s, lost %d", name, what), func(t *testing.T) {
				t.Parallel()
				s := newFakeService(func(s *fakeService) { s.honoursKeys, s.lose = true, once(what) })
				connected := 0
				s.connect = func() {
					if connected++; connected == 2 {
						pass(s.clock)
						s.keys = map[string]usedKey{} // the service has forgotten them
					}
				}
				m := s.machine(t)
				result, err := m.payWith(invoice("invoice-42"), "", 2)
				require.Equal(t, 2, connected)
				transfers, posts := s.count()
				if what == theRequest {
					require.Equal(t, payments.KindOutcomeUnknown, kindOf(t, err))
					require.Equal(t, []int{0, 0}, []int{transfers, posts})
					require.Equal(t, journal.OutcomeUnknown, m.outcome())
					return
				}
				require.NoError(t, err)
				require.Equal(t, "trf_0", result.Value.ID)
				require.Equal(t, []int{1, 1}, []int{transfers, posts}, "it is looked up and not sent again")
				require.Equal(t, journal.OutcomeDone, m.outcome())
			})
		}
		t.Run("a first attempt, "+name, func(t *testing.T) {
			t.Parallel()
			s := newFakeService(func(s *fakeService) { s.honoursKeys = true })
			m := s.machine(t)
			slept := false
			s.connect = func() {
				if !slept {
					slept = true
					pass(s.clock)
					s.made(invoice("invoice-42")) // by another machine
				}
			}
			result, err := m.pay(invoice("invoice-42"), "")
			require.NoError(t, err)
			require.True(t, result.Replayed)
			requireOne(t, s, 0)
			require.Equal(t, 2, s.lists)
			require.Equal(t, journal.OutcomeDone, m.outcome())
		})
	}
	t.Run("a lookup where a key does not protect", func(t *testing.T) {
		t.Parallel()
		for name, test := range map[string]struct {
			keys   bool
			key    string
			passed time.Duration
			lists  int
		}{
			"no keys, soon":            {false, "", unkeyedLifetime - time.Second, 1},
			"no keys":                  {false, "", unkeyedLifetime, 2},
			"keys":                     {true, "", time.Hour, 1},
			"keys, and one of its own": {true, "my-key", unkeyedLifetime, 2},
		} {
			s := newFakeService(func(s *fakeService) { s.honoursKeys = test.keys })
			m := s.machine(t)
			connected := 0
			s.connect = func() {
				if connected++; connected == 1 {
					s.clock.pass(test.passed)
				}
			}
			o, _ := m.program(0)
			p, err := o.PrepareAutoTransfer(invoice("invoice-42"), payments.Idempotency{Key: test.key})
			require.NoError(t, err)
			_, err = o.SubmitAutoTransfer(t.Context(), p)
			require.NoError(t, err, name)
			requireOne(t, s, 1)
			require.Equal(t, test.lists, s.lists, name)
		}
	})
	t.Run("a lookup that always takes too long", func(t *testing.T) {
		t.Parallel()
		s := newFakeService(nil)
		s.listed = func() { s.clock.pass(unkeyedLifetime) }
		m := s.machine(t)
		_, err := m.pay(invoice("invoice-42"), "")
		require.Equal(t, payments.KindTimeout, kindOf(t, err))
		_, posts := s.count()
		require.Zero(t, posts)
		require.Equal(t, journal.OutcomeNotSent, m.outcome())
	})
	t.Run("a claim is renewed after a minute", func(t *testing.T) {
		t.Parallel()
		s := newFakeService(func(s *fakeService) { s.honoursKeys = true })
		m := s.machine(t)
		s.connect = func() { s.clock.pass(claimLifetime) }
		arrived := 0
		s.arrived = func() {
			arrived++
			entry := m.entries()[0]
			require.Equal(t, s.clock.now().Round(0), entry.Changed, "resolving counts from here")
		}
		_, err := m.pay(invoice("invoice-42"), "")
		require.NoError(t, err)
		require.Equal(t, 1, arrived)
	})
	t.Run("a claim that is not renewed", func(t *testing.T) {
		t.Parallel()
		// The program sleeps, and another one takes its process for gone: it finds the write paid by another machine.
		s := newFakeService(func(s *fakeService) { s.honoursKeys = true })
		m := s.machine(t)
		connected := false
		s.connect = func() {
			if connected {
				return
			}
			connected = true
			s.clock.pass(claimLifetime)
			entry, transfer := m.entries()[0], s.made(invoice("invoice-42"))
			entry.Result = journal.Result{Outcome: journal.OutcomeDone, Subject: transfer.ID}
			other := m.journal()
			require.NoError(t, other.Record(t.Context(), []journal.Entry{entry}))
			require.NoError(t, other.Close())
		}
		result, err := m.pay(invoice("invoice-42"), "")
		require.NoError(t, err)
		require.Equal(t, "trf_0", result.Value.ID)
		requireOne(t, s, 0)
	})
	t.Run("the declaration of unique references", func(t *testing.T) {
		t.Parallel()
		s := newFakeService(func(s *fakeService) { s.unique = true })
		m := s.machine(t)
		o, _ := m.program(0)
		for i, passed := range []time.Duration{0, declarationLifetime - 1, 1, declarationLifetime} {
			s.clock.pass(passed)
			require.True(t, o.KeepsReferencesUnique(t.Context()))
			require.Equal(t, []int{1, 1, 2, 3}[i], s.asked)
		}
		// The service is replaced while a row is about to leave, by one on which another machine has paid.
		p, err := o.PrepareAutoTransfer(invoice("invoice-42"), payments.Idempotency{})
		require.NoError(t, err)
		s.connect = func() {
			s.connect = nil
			s.clock.pass(declarationLifetime)
			s.unique = false
			s.made(invoice("invoice-42"))
		}
		result, err := o.SubmitAutoTransfer(t.Context(), p)
		require.NoError(t, err)
		require.True(t, result.Replayed)
		requireOne(t, s, 0)
		require.Equal(t, 1, s.lists)
	})
	t.Run("the declaration, with a lost attempt", func(t *testing.T) {
		t.Parallel()
		s := newFakeService(func(s *fakeService) { s.unique, s.lose = true, once(theRequest) })
		m := s.machine(t)
		connected := 0
		s.connect = func() {
			if connected++; connected == 2 {
				s.clock.pass(declarationLifetime)
				s.unique = false
			}
		}
		_, err := m.payWith(invoice("invoice-42"), "", 1)
		require.Equal(t, payments.KindOutcomeUnknown, kindOf(t, err))
		_, posts := s.count()
		require.Zero(t, posts)
	})
}

// Rule 7: a write counts as not done only if the service does not show it 15 minutes after it was last sent.
func TestAbsenceTakesTime(t *testing.T) {
	t.Parallel()
	s := newFakeService(func(s *fakeService) { s.lose = always(theRequest) })
	m := s.machine(t)
	_, err := m.pay(invoice("invoice-42"), "")
	require.Equal(t, payments.KindOutcomeUnknown, kindOf(t, err))
	s.lose = nil
	for _, passed := range []time.Duration{0, AbsentAfter / 3, AbsentAfter/3*2 - time.Second} {
		s.clock.pass(passed)
		_, err = m.pay(invoice("invoice-42"), "")
		require.Equal(t, payments.KindOutcomeUnknown, kindOf(t, err))
		require.Equal(t, journal.OutcomeUnknown, m.outcome())
	}
	var problem *payments.ProblemError
	require.ErrorAs(t, err, &problem)
	require.Contains(t, problem.Next, "in 1 second:")
	_, posts := s.count()
	require.Zero(t, posts)
	s.clock.pass(time.Second)
	result, err := m.pay(invoice("invoice-42"), "")
	require.NoError(t, err)
	require.False(t, result.Replayed)
	requireOne(t, s, 1)

	// The time counts from the last attempt, and a lookup that fails is no answer.
	s.lose = always(theRequest)
	_, err = m.pay(invoice("invoice-43"), "")
	require.Equal(t, payments.KindOutcomeUnknown, kindOf(t, err))
	s.clock.pass(AbsentAfter)
	_, err = m.pay(invoice("invoice-43"), "")
	require.Equal(t, payments.KindOutcomeUnknown, kindOf(t, err), "it was sent again, and lost again")
	s.lose = nil
	s.clock.pass(AbsentAfter - time.Second)
	_, err = m.pay(invoice("invoice-43"), "")
	require.Equal(t, payments.KindOutcomeUnknown, kindOf(t, err))
	s.clock.pass(time.Second)
	s.down = payments.NewLocalProblem(payments.KindUnreachable, nil, "It is not there.", "")
	_, err = m.pay(invoice("invoice-43"), "")
	require.Equal(t, payments.KindOutcomeUnknown, kindOf(t, err))
	require.ErrorIs(t, err, s.down)
	require.ErrorContains(t, err, "could not be asked")
	requireOne(t, s, 1)
}

// Rule 8: a transfer whose reference only looks the same proves nothing, before the first attempt and after a lost one.
func TestANearReferenceProvesNothing(t *testing.T) {
	t.Parallel()
	for near, wanted := range map[string]string{
		"INVOICE-42": "invoice-42", " invoice-42": "invoice-42", "invoice 42": "invoice  42",
		"rechnung-\u00fc": "rechnung-u\u0308", // a letter in two normal forms
	} {
		for _, lost := range []bool{false, true} {
			t.Run(fmt.Sprintf("%q %t", near, lost), func(t *testing.T) {
				t.Parallel()
				s := newFakeService(func(s *fakeService) { s.ignoresFilters = true })
				m := s.machine(t)
				if lost {
					s.lose = always(theRequest)
					_, err := m.pay(invoice(wanted), "")
					require.Error(t, err)
					s.lose = nil
				}
				s.made(invoice(near))
				s.clock.pass(time.Hour)
				_, err := m.pay(invoice(wanted), "")
				require.Equal(t, payments.KindOutcomeUnknown, kindOf(t, err))
				require.ErrorContains(t, err, fmt.Sprintf("%q", near))
				require.ErrorContains(t, err, fmt.Sprintf("%q", wanted))
				require.ErrorContains(t, err, "trf_0")
				requireOne(t, s, 0)
				want := journal.OutcomeNotSent
				if lost {
					want = journal.OutcomeUnknown
				}
				require.Equal(t, want, m.outcome())
			})
		}
	}
}

// Rule 9: two transfers with one reference are reported with both identifiers, whenever they are seen.
func TestPaidTwiceIsReported(t *testing.T) {
	t.Parallel()
	twice := func(t *testing.T, err error) {
		t.Helper()
		require.Equal(t, payments.KindPaidTwice, kindOf(t, err))
		require.ErrorContains(t, err, "trf_0 and trf_1")
	}
	t.Run("before it is sent", func(t *testing.T) {
		t.Parallel()
		s := newFakeService(nil)
		s.made(invoice("invoice-42"))
		s.made(invoice("invoice-42"))
		_, err := s.machine(t).pay(invoice("invoice-42"), "")
		twice(t, err)
		_, posts := s.count()
		require.Zero(t, posts)
	})
	t.Run("two machines at the same moment", func(t *testing.T) {
		t.Parallel()
		for key, kind := range map[string]string{"": "no promise", "my-key": "keys"} {
			s := newFakeService(kindsOfService[kind])
			s.arrived = func() { s.made(invoice("invoice-42")) }
			m := s.machine(t)
			result, err := m.pay(invoice("invoice-42"), key)
			twice(t, err)
			require.Equal(t, "trf_1", result.Value.ID)
			require.Equal(t, journal.OutcomeDone, m.outcome())
		}
	})
	t.Run("after a lost attempt", func(t *testing.T) {
		t.Parallel()
		s := newFakeService(func(s *fakeService) { s.lose = once(theResponse) })
		s.arrived = func() { s.made(invoice("invoice-42")) }
		m := s.machine(t)
		_, err := m.payWith(invoice("invoice-42"), "", 1)
		twice(t, err)
		require.Equal(t, journal.OutcomeUnknown, m.outcome())
		_, err = m.pay(invoice("invoice-42"), "")
		twice(t, err)
		_, posts := s.count()
		require.Equal(t, 1, posts)
	})
	t.Run("a refused key", func(t *testing.T) {
		t.Parallel()
		s := newFakeService(func(s *fakeService) { s.honoursKeys = true })
		m := s.machine(t)
		s.connect = func() { // after the lookup
			s.made(invoice("invoice-42"))
			s.made(invoice("invoice-42"))
			s.keys[journal.ReferenceKey(CreateAutoTransferOperation, "invoice-42")] = usedKey{s.clock.now().Round(0), "another", "trf_0"}
		}
		_, err := m.pay(invoice("invoice-42"), "")
		twice(t, err)
	})
}

// A program that is interrupted at any step leaves what the journal has true.
func TestInterruptionAtEachStep(t *testing.T) {
	t.Parallel()
	enough := errors.New("enough")
	for name, test := range map[string]struct {
		at      func(s *fakeService, interrupt func())
		outcome journal.Outcome // empty: there is no entry
		paid    int
	}{
		"before it begins":      {func(_ *fakeService, interrupt func()) { interrupt() }, "", 0},
		"while it is looked up": {func(s *fakeService, interrupt func()) { s.listed = interrupt }, journal.OutcomeNotSent, 0},
		"while it connects":     {func(s *fakeService, interrupt func()) { s.connect = interrupt }, journal.OutcomeNotSent, 0},
		"when it has arrived":   {func(s *fakeService, interrupt func()) { s.arrived = interrupt }, journal.OutcomeDone, 1},
		"before it is sent anew": {func(s *fakeService, interrupt func()) {
			s.lose = func(int) loss { interrupt(); return theResponse }
		}, journal.OutcomeUnknown, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newFakeService(func(s *fakeService) { s.honoursKeys = true })
			ctx, cancel := context.WithCancelCause(t.Context())
			test.at(s, func() { cancel(enough) })
			m := s.machine(t)
			o, _ := m.program(2)
			_, err := o.CreateAutoTransfer(ctx, invoice("invoice-42"), payments.Idempotency{})
			require.Equal(t, test.outcome == journal.OutcomeDone, err == nil, "%v", err)
			transfers, _ := s.count()
			require.Equal(t, test.paid, transfers)
			if test.outcome == "" {
				require.Empty(t, m.entries())
			} else {
				require.NoError(t, o.journal.(*journal.Journal).Close())
				require.Equal(t, test.outcome, m.outcome())
			}
			s.listed, s.connect, s.arrived, s.lose = nil, nil, nil, nil
			result, err := m.pay(invoice("invoice-42"), "")
			require.NoError(t, err)
			require.Equal(t, "trf_0", result.Value.ID)
			transfers, _ = s.count()
			require.Equal(t, 1, transfers)
		})
	}
}

// named is a transfer with an external id and without a reference.
func named(externalID string) payments.NewAutoTransfer {
	request := invoice("")
	request.ExternalID = externalID
	return request
}

// payOnce creates a transfer as a program of its own, whose external id must be the only one.
func (m *fakeMachine) payOnce(
	request payments.NewAutoTransfer, key string,
) (payments.WriteResult[payments.Transfer], error) {
	m.t.Helper()
	o, _ := m.program(0)
	return o.CreateAutoTransfer(m.t.Context(), request, payments.Idempotency{Key: key, OneExternalID: true})
}

// requireUsed requires the error of an external id that belongs to a transfer.
func requireUsed(t *testing.T, err error, id string) {
	t.Helper()
	require.Equal(t, payments.KindExternalIDUsed, kindOf(t, err))
	var used *ExternalIDUsedError
	require.ErrorAs(t, err, &used)
	require.Equal(t, id, used.ID)
	require.Equal(t, string(payments.TransferStateAwaitingFunds), used.State)
	require.ErrorContains(t, err, id)
}

// Rule 10: a second creation with an external id of the user's is refused by what the journal or the service has. The
// same creation that is run again is not a second one.
func TestADuplicateExternalID(t *testing.T) {
	t.Parallel()
	for name, kind := range kindsOfService {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			t.Run("on this machine and on another", func(t *testing.T) {
				t.Parallel()
				s := newFakeService(kind)
				s.ignoresFilters = true // it is compared here
				s.made(named("ORDER-7"))
				m := s.machine(t)
				first, err := m.payOnce(named("order-7"), "k1")
				require.NoError(t, err)
				again, err := m.payOnce(named("order-7"), "k1")
				require.NoError(t, err, "the same key again is a replay")
				require.Equal(t, first.Value.ID, again.Value.ID)
				for _, machine := range []*fakeMachine{m, s.machine(t)} {
					_, err := machine.payOnce(named("order-7"), "k2")
					requireUsed(t, err, first.Value.ID)
				}
				_, posts := s.count()
				require.Equal(t, 1, posts)
				_, err = m.pay(named("order-7"), "k3") // allowed
				require.NoError(t, err)
				_, err = m.payOnce(named("order-8"), "k4")
				require.NoError(t, err)
			})
			t.Run("without the journal's entry, or without a list", func(t *testing.T) {
				t.Parallel()
				s := newFakeService(kind)
				m := s.machine(t)
				_, err := m.payOnce(named("order-7"), "k1")
				require.NoError(t, err)
				s.transfers[0].ExternalID = "" // as of a service that does not show it
				_, err = m.payOnce(named("order-7"), "k2")
				requireUsed(t, err, "trf_0")
			})
			t.Run("with references", func(t *testing.T) {
				t.Parallel()
				s := newFakeService(kind)
				m := s.machine(t)
				request := invoice("invoice-42")
				request.ExternalID = "order-7"
				for _, machine := range []*fakeMachine{m, m, s.machine(t)} {
					result, err := machine.payOnce(request, "")
					require.NoError(t, err)
					require.Equal(t, "trf_0", result.Value.ID)
				}
				request.Reference = "invoice-43"
				for _, machine := range []*fakeMachine{m, s.machine(t)} {
					_, err := machine.payOnce(request, "")
					requireUsed(t, err, "trf_0")
				}
				requireOne(t, s, 1)
			})
			for what, lost := range map[string]loss{"the response": theResponse, "the request": theRequest} {
				t.Run("after "+what+" was lost", func(t *testing.T) {
					t.Parallel()
					s := newFakeService(kind)
					s.lose = always(lost)
					m := s.machine(t)
					_, err := m.payOnce(named("order-7"), "k1")
					require.Equal(t, payments.KindOutcomeUnknown, kindOf(t, err))
					s.lose = nil
					_, err = m.payOnce(named("order-7"), "k2")
					if lost == theResponse {
						requireUsed(t, err, "trf_0")
					} else {
						require.Equal(t, payments.KindOutcomeUnknown, kindOf(t, err))
					}
					_, posts := s.count()
					require.LessOrEqual(t, posts, 1)

					s.clock.pass(AbsentAfter)
					o, _ := m.program(0)
					for _, entry := range m.entries() {
						if !entry.Outcome.Settled() {
							_, err := o.Resolve(t.Context(), entry, ResolveOptions{After: AbsentAfter})
							require.NoError(t, err)
						}
					}
					_, err = m.payOnce(named("order-7"), "k3")
					require.Equal(t, lost == theResponse, err != nil, "%v", err)
					transfers, _ := s.count()
					require.Equal(t, 1, transfers)
				})
			}
		})
	}
	t.Run("two programs at a time", func(t *testing.T) {
		t.Parallel()
		s := newFakeService(nil)
		m := s.machine(t)
		outboxes := make([]*Outbox, 6)
		for i := range outboxes {
			outboxes[i], _ = m.program(0)
		}
		errs := make([]error, len(outboxes))
		var group sync.WaitGroup
		for i, o := range outboxes {
			group.Go(func() {
				key := payments.Idempotency{Key: fmt.Sprint("k", i), OneExternalID: true}
				_, errs[i] = o.CreateAutoTransfer(t.Context(), named("order-7"), key)
			})
		}
		group.Wait()
		refused := 0
		for _, err := range errs {
			if err != nil {
				requireUsed(t, err, "trf_0")
				refused++
			}
		}
		require.Equal(t, len(outboxes)-1, refused)
		requireOne(t, s, 1)
	})
	t.Run("in another world", func(t *testing.T) {
		t.Parallel()
		s := newFakeService(func(s *fakeService) { s.world = "a" })
		m := s.machine(t)
		_, err := m.payOnce(named("order-7"), "k1")
		require.NoError(t, err)
		s.world, s.transfers = "b", nil
		_, err = m.payOnce(named("order-7"), "k2")
		require.NoError(t, err)
	})
	t.Run("with a token that may not list", func(t *testing.T) {
		t.Parallel()
		s := newFakeService(func(s *fakeService) { s.noLists = true })
		m := s.machine(t)
		o, _ := m.program(0)
		var notes []string
		o.note = func(text string) { notes = append(notes, text) }
		_, err := o.CreateAutoTransfer(t.Context(), named("order-7"), payments.Idempotency{Key: "k1", OneExternalID: true})
		require.NoError(t, err)
		require.Len(t, notes, 1)
		_, err = m.payOnce(named("order-7"), "k2")
		requireUsed(t, err, "trf_0")
	})
}

// A lateContext is over once it has been asked after the machine has slept.
type lateContext struct {
	context.Context
	slept atomic.Bool
	asked atomic.Int64
}

func (c *lateContext) Err() error {
	if c.slept.Load() && c.asked.Add(1) > 1 {
		return context.DeadlineExceeded
	}
	return c.Context.Err()
}

// Rule 6: a machine sleeps while a write is about to leave, longer than what was looked up holds and longer than the
// write may take. Nothing is sent, the error tells why, and the next attempt sends it.
func TestSleepsBeyondTheTimeForAWrite(t *testing.T) {
	t.Parallel()
	s := newFakeService(nil)
	m := s.machine(t)
	o, _ := m.program(0)
	ctx := &lateContext{Context: t.Context()}
	s.connect = func() {
		if !ctx.slept.Swap(true) {
			s.clock.pass(25 * time.Hour)
		}
	}
	p, err := o.PrepareAutoTransfer(invoice("invoice-42"), payments.Idempotency{})
	require.NoError(t, err)
	_, err = o.SubmitAutoTransfer(ctx, p)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	_, notSent := errors.AsType[*payments.NotSentError](err)
	require.True(t, notSent)
	_, posts := s.count()
	require.Zero(t, posts)
	_, err = o.SubmitAutoTransfer(t.Context(), p)
	require.NoError(t, err)
	requireOne(t, s, 1)
}
