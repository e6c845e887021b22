package service

import (
	"context"
	"errors"
	"time"

	"github.com/payctl/payctl/internal/store"
)

// bucketsWorld is the name of the world that holds the buckets of the rate limit. No client has it, as client ids have
// no control characters. The buckets change with each request, so that they are in no world that is read often.
const bucketsWorld = "\x01rate-limit"

// Buckets keep the buckets of the rate limit, of which only the time is stored at which each is full again. A bucket is
// stored as a Key: its response is that time.
type Buckets struct{ Store store.Store }

// sweptPerUpdate is how many buckets an update may remove. An update adds one at most, so that this is enough.
const sweptPerUpdate = 2

// UpdateBucket calls change with the time and with when a bucket is full again, and stores the time that it returns.
func (b Buckets) UpdateBucket(
	ctx context.Context, bucket string, now func() time.Time, change func(now, full time.Time) time.Time,
) error {
	return b.Store.Update(ctx, bucketsWorld, func(tx store.Tx) error {
		at := now()
		if err := sweepBuckets(tx, at); err != nil {
			return err
		}
		before, err := fullAt(tx, bucket)
		if err != nil {
			return err
		}
		full := change(at, before)
		switch {
		case full.Equal(before):
			return nil
		case before.IsZero():
			if err := tx.Schedule(store.Job{At: full, Kind: store.JobExpireKey, Subject: bucket}); err != nil {
				return err
			}
		}
		text, err := full.MarshalText()
		if err != nil {
			return err
		}
		return tx.Keys().Put(&store.Key{ID: bucket, Response: text, At: at})
	})
}

// fullAt returns when a bucket is full again; the zero time if it is not stored.
func fullAt(tx store.Tx, bucket string) (full time.Time, err error) {
	record, err := tx.Keys().Get(bucket)
	if errors.Is(err, store.ErrNotFound) {
		return full, nil
	}
	if err == nil {
		err = full.UnmarshalText(record.Response)
	}
	return full, err
}

// sweepBuckets removes buckets that are full, which are as good as new ones. A job looks at each when it would be full
// if no request came.
func sweepBuckets(tx store.Tx, now time.Time) error {
	for range sweptPerUpdate {
		job, due, err := nextDueJob(tx, now)
		if err != nil || !due {
			return err
		}
		if err := tx.FinishJob(job); err != nil {
			return err
		}
		full, err := fullAt(tx, job.Subject)
		switch {
		case err != nil:
		case full.After(now):
			job.At = full
			err = tx.Schedule(job)
		default:
			err = tx.Keys().Delete(job.Subject)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
