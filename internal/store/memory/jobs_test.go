package memory

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/payctl/payctl/internal/store"
)

// TestJobsLeaveInTheirOrder, whatever the order in which they came, and as if nothing had been where a transaction
// failed.
func TestJobsLeaveInTheirOrder(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := New()
		var left []store.Job
		number := 0
		begin := time.Unix(0, 0).UTC()
		for range rapid.IntRange(1, 8).Draw(t, "transactions") {
			before, fails := slices.Clone(left), rapid.Bool().Draw(t, "fails")
			err := s.Update(t.Context(), "w", func(tx store.Tx) error {
				for range rapid.IntRange(0, 100).Draw(t, "steps") {
					if rapid.Bool().Draw(t, "finish") {
						next, err := tx.NextJob()
						if len(left) == 0 {
							require.ErrorIs(t, err, store.ErrNotFound)
							require.ErrorIs(t, tx.FinishJob(), store.ErrNotFound)
							continue
						}
						require.NoError(t, err)
						require.Equal(t, left[0], next)
						require.NoError(t, tx.FinishJob())
						left = left[1:]
						continue
					}
					number++
					at := number
					if rapid.IntRange(0, 9).Draw(t, "out of order") == 0 {
						at = rapid.IntRange(0, number).Draw(t, "at")
					}
					kind := rapid.SampledFrom([]store.JobKind{store.JobKYC, store.JobTransfer, store.JobExpireKey, store.JobExpireToken}).Draw(t, "kind")
					job := store.Job{At: begin.Add(time.Duration(at/4) * time.Second), Kind: kind, Subject: fmt.Sprint(number)}
					require.NoError(t, tx.Schedule(job))
					place, _ := slices.BinarySearchFunc(left, job, func(known, job store.Job) int {
						return cmp.Or(known.At.Compare(job.At), -1)
					})
					left = slices.Insert(left, place, job)
				}
				if fails {
					return errors.New("it failed")
				}
				return nil
			})
			if require.Equal(t, fails, err != nil); fails {
				left = before
			}
			require.NoError(t, s.View(t.Context(), "w", func(tx store.Tx) error {
				jobs, err := tx.Jobs()
				require.Equal(t, append([]store.Job{}, left...), jobs)
				return err
			}))
		}
	})
}
