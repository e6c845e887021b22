package journal_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/payctl/payctl/internal/effect"
	"github.com/payctl/payctl/internal/money"
	"github.com/payctl/payctl/internal/outbox/journal"
)

// A sent is a write in the model.
type sent struct {
	pending journal.PendingWrite
	outcome effect.Outcome
	times   []time.Time // when it was sent and may have left, oldest first
	by      int         // the program that has claimed it; -1 means none
}

func (s *sent) isOpen() bool {
	return s.outcome == journal.OutcomeSending || s.outcome == effect.Unknown
}

func (s *sent) amount() int {
	amount, _ := strconv.Atoi(s.pending.Amount)
	return amount
}

// send adds a time, or replaces the last one. Times never decrease.
func (s *sent) send(at time.Time, again bool) {
	if n := len(s.times); n > 0 && s.times[n-1].After(at) {
		at = s.times[n-1]
	}
	if again {
		s.drop()
	}
	s.times = append(s.times, at)
}

func (s *sent) drop() { s.times = slices.Clone(s.times[:max(len(s.times)-1, 0)]) }

// Programs of several clients and profiles claim, renew, end, sleep and die under a clock that jumps. Together they
// pass no limit: after each claim or renewal of a further payment, everything that may have left fits the limit.
func TestNoProgramsPassALimitTogether(t *testing.T) {
	t.Parallel()
	dir, n := t.TempDir(), 0
	rapid.Check(t, func(t *rapid.T) {
		n++
		path, now := filepath.Join(dir, strconv.Itoa(n), "journal.db"), start
		most := []int{10, 10, 7} // the limit of each program
		begin := func(program int) *journal.Journal {
			j := scope(path)
			j.Now = func() time.Time { return now }
			j.Limits.Day = map[string]money.Decimal{"X": money.MustDecimal(strconv.Itoa(most[program]))}
			return j
		}
		programs := []*journal.Journal{begin(0), begin(1), begin(2)}
		defer func() {
			for _, j := range programs {
				_ = j.Close()
			}
		}()
		var writes []*sent
		for i := range 4 {
			w := &sent{pending: intent(strconv.Itoa(i)), by: -1}
			w.pending.Amount, w.pending.Currency, w.pending.Client = strconv.Itoa(2+i), "X", fmt.Sprint("client ", i%2)
			writes = append(writes, w)
		}
		sum := func() (total int) {
			for _, w := range writes {
				count := 0
				for _, at := range w.times {
					if at.After(now.Add(-24 * time.Hour)) {
						count++
					}
				}
				if w.isOpen() {
					count = max(count, 1)
				}
				total += count * w.amount()
			}
			return total
		}
		claim := func(program int) {
			mode := rapid.SampledFrom([]journal.Mode{journal.First, journal.Again, journal.Anew}).Draw(t, "mode")
			var chosen []*sent
			var intents []journal.PendingWrite
			for _, w := range writes {
				isTogether := mode != journal.Anew || len(chosen) == 0 // a person decides about one at a time
				if rapid.Bool().Draw(t, "chosen") && isTogether {
					chosen, intents = append(chosen, w), append(intents, w.pending)
				}
			}
			claims, err := programs[program].Claim(t.Context(), intents, mode)
			require.NoError(t, err)
			for i, w := range chosen {
				repeats := w.isOpen() && mode == journal.Again
				if claims[i].Refused != nil {
					require.Greater(t, sum()+w.amount(), most[program], "it fits")
					require.False(t, repeats, "a repetition is held back")
				}
				if !claims[i].Mine {
					continue
				}
				require.Equal(t, repeats, intents[i].Repeats)
				w.send(now, repeats)
				wasOpen := w.isOpen()
				w.pending, w.by, w.outcome = intents[i], program, journal.OutcomeSending
				if wasOpen {
					w.outcome = effect.Unknown
				}
				require.True(t, repeats || sum() <= most[program], "it passes the limit")
			}
		}
		for range rapid.IntRange(30, 120).Draw(t, "steps") {
			program, w := rapid.IntRange(0, 2).Draw(t, "program"), writes[rapid.IntRange(0, 3).Draw(t, "write")]
			step := rapid.SampledFrom([]string{"act", "act", "act", "act", "die", "jump"}).Draw(t, "step")
			switch {
			case step == "jump":
				now = now.Add(time.Duration(rapid.IntRange(-10, 25).Draw(t, "hours")) * time.Hour)
			case step == "die":
				require.NoError(t, programs[program].Close())
				programs[program] = begin(program)
				for _, w := range writes {
					if w.by == program {
						w.by = -1
					}
				}
			case w.by < 0:
				claim(program)
			case rapid.Bool().Draw(t, "renew"):
				_, err := programs[w.by].Renew(t.Context(), w.pending)
				require.Equal(t, w.pending.Repeats || sum() <= most[w.by], err == nil, "%v", err)
				if err == nil {
					w.send(now, true)
				}
			default:
				outcome := rapid.SampledFrom([]effect.Outcome{
					effect.Done, effect.Unknown, effect.Refused, effect.NotSent,
				}).Draw(t, "outcome")
				end(t, programs[w.by], w.pending, journal.Ending{Outcome: outcome})
				if outcome == effect.Refused || outcome == effect.NotSent && !w.pending.Repeats {
					w.drop()
				}
				w.outcome, w.by = entryOf(t, programs[w.by], w.pending).Outcome, -1
			}
			checked := begin(0)
			checked.Limits.Day["X"] = money.MustDecimal(strconv.Itoa(sum() + 1))
			refused, err := checked.Check(t.Context(), 2, func(i int) journal.PendingWrite {
				return journal.PendingWrite{Body: []byte{}, Amount: []string{"1", "0.01"}[i], Currency: "X"}
			})
			require.NoError(t, errors.Join(err, checked.Close()))
			require.Equal(t, []bool{true, false}, []bool{refused[0] == nil, refused[1] == nil}, "%v, not %d", refused, sum())
		}
	})
}
