package postgres_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/store"
	"github.com/payctl/payctl/internal/store/sql"
	"github.com/payctl/payctl/internal/store/sql/postgres"
	"github.com/payctl/payctl/internal/test/pgtest"
)

// However much of a world another process has changed, an update of it takes three round trips: for the lock, for all
// that it needs, and for the commit.
func TestRoundTripsAfterAnotherProcess(t *testing.T) {
	t.Parallel()
	databaseURL, schema := pgtest.New(t)
	r := &recorder{DB: openConfig(t, postgres.Config{URL: databaseURL, Schema: schema})}
	s, other := sql.New(r), sql.New(openConfig(t, postgres.Config{URL: databaseURL, Schema: schema}))
	defer func() { require.NoError(t, errors.Join(s.Close(), other.Close())) }()
	began, made := time.Now(), 0
	// create runs the jobs that are due, as an update of the service does, and adds a transfer whose job is due.
	create := func(in *sql.Store) {
		made++
		id, reference := fmt.Sprintf("trf_%05d", made), fmt.Sprint("invoice ", made)
		require.NoError(t, in.Update(t.Context(), "w", func(tx store.Tx) error {
			for job, err := tx.NextJob(); err == nil && job.At.Before(began); job, err = tx.NextJob() {
				moved, err := tx.Transfers().Get(job.Subject)
				if err := errors.Join(err, tx.FinishJob()); err != nil {
					return err
				}
				after := *moved
				after.Revision++
				if err := tx.Transfers().Put(&after); err != nil {
					return err
				}
			}
			latest, err := tx.Transfers().List(store.Query{Limit: 1})
			require.NoError(t, err)
			if made > 1 {
				require.Equal(t, fmt.Sprintf("trf_%05d", made-1), latest[0].ID)
			}
			_, err = tx.TransferByReference(reference)
			require.ErrorIs(t, err, store.ErrNotFound)
			transfer := &store.Transfer{Transfer: &payments.Transfer{ID: id, Reference: reference}}
			return errors.Join(tx.Transfers().Put(transfer),
				tx.Schedule(store.Job{At: began.Add(-time.Minute), Kind: store.JobTransfer, Subject: id}),
				tx.Schedule(store.Job{At: began.Add(time.Hour), Kind: store.JobExpireKey, Subject: id}))
		}, store.Need{Kind: store.NeedReference, ID: reference}))
	}
	create(s)
	for range 3 {
		for range 4 {
			create(other)
		}
		before := r.roundTrips
		create(s)
		require.LessOrEqual(t, r.roundTrips-before, 3)
	}
}
