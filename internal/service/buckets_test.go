package service_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/service"
	"github.com/payctl/payctl/internal/store"
	"github.com/payctl/payctl/internal/store/memory"
)

// A bucket remembers until when it is filled, and is removed once it is full, though its client never comes back.
func TestBucketsAreRemovedWhenFull(t *testing.T) {
	t.Parallel()
	kept, now := memory.New(), paytestStart
	buckets := service.Buckets{Store: kept}
	fill := func(name string, until time.Duration) (before time.Time) {
		require.NoError(t, buckets.UpdateBucket(background, name, func() time.Time { return now },
			func(at, full time.Time) time.Time {
				before = full
				return at.Add(until)
			}))
		return before
	}
	stored := func() (count int) {
		require.NoError(t, kept.View(background, "\x01rate-limit", func(tx store.Tx) error {
			for i := range 100 {
				if _, err := tx.Keys().Get(fmt.Sprint("client ", i)); err == nil {
					count++
				}
			}
			jobs, err := tx.Jobs()
			require.Len(t, jobs, count)
			return err
		}))
		return count
	}
	for i := range 50 {
		require.Zero(t, fill(fmt.Sprint("client ", i), time.Minute))
	}
	require.Equal(t, 50, stored())
	require.Equal(t, now.Add(time.Minute), fill("client 7", 3*time.Minute))
	now = now.Add(2 * time.Minute)
	for i := range 50 {
		fill(fmt.Sprint("client ", 50+i%2), time.Second)
	}
	require.Equal(t, 3, stored(), "the two, and the one that is not full yet")
	require.Equal(t, now.Add(time.Minute), fill("client 7", 0))
	now = now.Add(time.Hour)
	for range 2 {
		fill("client 99", time.Second)
	}
	require.Equal(t, 1, stored())
}
