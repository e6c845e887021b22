package sql_test

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/store"
	"github.com/payctl/payctl/internal/store/memory"
	storesql "github.com/payctl/payctl/internal/store/sql"
)

// A step is something that an update does; what it sees is text, the same for every store.
type step struct {
	does   func(tx store.Tx, number int) (any, error)
	number int
}

func (s step) apply(tx store.Tx) string {
	seen, err := s.does(tx, s.number)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return "failed: " + err.Error()
	}
	return fmt.Sprint(seen, " ", err)
}

// number of an account, and what changes about it.
func numbered(number int) *store.Account {
	a := &store.Account{Revision: number}
	a.ID = fmt.Sprint("acc_", number%4)
	a.Email = fmt.Sprint(number%3, "@example.com")
	return a
}

func described(accounts ...*store.Account) (all []string) {
	for _, a := range accounts {
		if a != nil {
			all = append(all, fmt.Sprint(a.ID, a.Email, a.Revision))
		}
	}
	return all
}

// transferNumbered is one of five transfers, with one of two references or without one.
func transferNumbered(number int) *store.Transfer {
	t := &payments.Transfer{ID: fmt.Sprint("trf_", number%5)}
	if number%3 != 0 {
		t.Reference = fmt.Sprint("invoice ", number%3)
	}
	return &store.Transfer{Transfer: t, Revision: number}
}

func jobAt(number int) store.Job {
	kind, subject := store.JobKYC, fmt.Sprint(number)
	if number%2 == 0 {
		kind, subject = store.JobTransfer, transferNumbered(number).ID
	}
	return store.Job{At: time.Unix(int64(number%5), 0).UTC(), Kind: kind, Subject: subject}
}

// steps are all that a transaction can do.
var steps = map[string]func(tx store.Tx, number int) (any, error){
	"get": func(tx store.Tx, number int) (any, error) {
		a, err := tx.Accounts().Get(numbered(number).ID)
		return described(a), err
	},
	"put":       func(tx store.Tx, number int) (any, error) { return nil, tx.Accounts().Put(numbered(number)) },
	"put again": func(tx store.Tx, number int) (any, error) { return nil, tx.Accounts().Put(numbered(number + 100)) },
	"delete": func(tx store.Tx, number int) (any, error) {
		return nil, tx.Accounts().Delete(numbered(number).ID)
	},
	"list": func(tx store.Tx, number int) (any, error) {
		found, err := tx.Accounts().List(store.Query{Where: map[string]string{store.ColumnEmail: numbered(number).Email}, Limit: 9})
		return described(found...), err
	},
	"put transfer": func(tx store.Tx, number int) (any, error) {
		return nil, tx.Transfers().Put(transferNumbered(number))
	},
	"delete transfer": func(tx store.Tx, number int) (any, error) {
		return nil, tx.Transfers().Delete(transferNumbered(number).ID)
	},
	"transfer by reference": func(tx store.Tx, number int) (any, error) {
		t, err := tx.TransferByReference(transferNumbered(number).Reference)
		if err != nil {
			return nil, err
		}
		return fmt.Sprint(t.ID, t.Revision), nil
	},
	"latest transfer": func(tx store.Tx, _ int) (any, error) {
		found, err := tx.Transfers().List(store.Query{Limit: 1})
		if len(found) == 0 {
			return nil, err
		}
		return fmt.Sprint(found[0].ID, found[0].Revision), err
	},
	"schedule":       func(tx store.Tx, number int) (any, error) { return nil, tx.Schedule(jobAt(number)) },
	"schedule again": func(tx store.Tx, number int) (any, error) { return nil, tx.Schedule(jobAt(number + 1)) },
	"next":           func(tx store.Tx, _ int) (any, error) { return first(tx.NextJob()) },
	"finish":         func(tx store.Tx, _ int) (any, error) { return nil, tx.FinishJob() },
	"finish many": func(tx store.Tx, number int) (any, error) {
		for range number {
			if err := tx.FinishJob(); err != nil {
				return nil, err
			}
		}
		return nil, nil
	},
	"jobs": func(tx store.Tx, _ int) (any, error) { return tx.Jobs() },
	"append": func(tx store.Tx, number int) (any, error) {
		return tx.Events().Append(&store.Event{Type: payments.EventTypeAccountCreated, SubjectID: fmt.Sprint(number)})
	},
	"extent": func(tx store.Tx, _ int) (any, error) { return tx.Events().Extent() },
	"prune":  func(tx store.Tx, number int) (any, error) { return nil, tx.Events().Prune(uint64(number)) },
	"events": func(tx store.Tx, _ int) (any, error) {
		found, err := tx.Events().After(store.EventQuery{Limit: 100})
		var all []string
		for _, e := range found {
			all = append(all, fmt.Sprint(e.Seq, e.SubjectID))
		}
		return all, err
	},
}

func first(job store.Job, err error) (any, error) { return fmt.Sprint(job.At, job.Subject), err }

// readSteps are the steps that read everything.
var readSteps = []string{"list", "transfer by reference", "jobs", "next", "extent", "events"}

// However updates are grouped into batches, and whichever of them fail, each sees what it would see if updates ran one
// by one, and so do later views, also of another process.
func TestBatchesEqualSingleUpdates(t *testing.T) {
	t.Parallel()
	eachDialect(t, batchesEqualSingleUpdates)
}

func batchesEqualSingleUpdates(t *testing.T, database func(t testing.TB) opener) {
	refused := errors.New("refused")
	open := database(t)
	s, other, checks := open(t), open(t), 0
	defer func() { require.NoError(t, errors.Join(s.Close(), other.Close())) }()
	rapid.Check(t, func(r *rapid.T) {
		checks++
		world, oracle := fmt.Sprint("client-", checks), memory.New()
		both := func(s store.Store, fails bool, plan []step) error {
			return s.Update(t.Context(), world, func(tx store.Tx) error {
				err := oracle.Update(t.Context(), world, func(expected store.Tx) error {
					for i, step := range plan {
						if want, got := step.apply(expected), step.apply(tx); want != got {
							return fmt.Errorf("step %d of %d: %q instead of %q", i, len(plan), got, want)
						}
					}
					if fails {
						return refused
					}
					return nil
				})
				return err
			}, store.Need{Kind: store.NeedReference, ID: transferNumbered(1).Reference})
		}
		drawn := rapid.Custom(func(r *rapid.T) step {
			name := rapid.SampledFrom(sortedSteps()).Draw(r, "step")
			return step{steps[name], rapid.IntRange(0, 11).Draw(r, "number")}
		})
		for range rapid.IntRange(1, 4).Draw(r, "batches") {
			var updates []func() error
			for range rapid.IntRange(1, 5).Draw(r, "updates") {
				plan := rapid.SliceOfN(drawn, 0, 12).Draw(r, "plan")
				fails := rapid.Bool().Draw(r, "fails")
				updates = append(updates, func() error {
					err := both(s, fails, plan)
					if fails && errors.Is(err, refused) {
						return nil
					}
					return err
				})
			}
			results, err := together(t, s, world, updates...)
			require.NoError(r, errors.Join(append(results, err)...))
			var look []step
			for _, name := range readSteps {
				look = append(look, step{steps[name], rapid.IntRange(0, 2).Draw(r, "look")})
			}
			for _, from := range []*storesql.Store{s, other} {
				require.NoError(r, from.View(t.Context(), world, func(tx store.Tx) error {
					return oracle.View(t.Context(), world, func(expected store.Tx) error {
						for _, step := range look {
							require.Equal(r, step.apply(expected), step.apply(tx))
						}
						return nil
					})
				}))
			}
			if rapid.Bool().Draw(r, "another process writes") {
				require.NoError(r, both(other, false, rapid.SliceOfN(drawn, 1, 6).Draw(r, "other")))
			}
		}
	})
}

// A transaction may write more than the store keeps in memory before it is committed.
func TestLargeUpdates(t *testing.T) {
	t.Parallel()
	eachDialect(t, func(t *testing.T, database func(t testing.TB) opener) {
		s := database(t)(t)
		defer func() { require.NoError(t, s.Close()) }()
		const many = 10_000
		refused := errors.New("refused")
		for _, outcome := range []error{refused, nil} {
			require.ErrorIs(t, s.Update(t.Context(), world, func(tx store.Tx) error {
				for i := range many {
					require.NoError(t, put(fmt.Sprint(i))(tx))
					require.NoError(t, tx.Schedule(jobAt(i)))
				}
				for i := range many / 2 {
					require.NoError(t, tx.Keys().Delete(fmt.Sprint(i)))
					require.NoError(t, tx.FinishJob())
				}
				return outcome
			}), outcome)
			kept := map[bool]int{true: many / 2}[outcome == nil]
			require.NoError(t, s.View(t.Context(), world, func(tx store.Tx) error {
				keys, err := tx.Keys().List(store.Query{Limit: many})
				require.NoError(t, err)
				require.Len(t, keys, kept)
				jobs, err := tx.Jobs()
				require.NoError(t, err)
				require.Len(t, jobs, kept)
				return nil
			}))
		}
	})
}

func sortedSteps() []string { return slices.Sorted(maps.Keys(steps)) }

// However large records are, few bytes of them are kept in memory.
func TestLargeRecordsLeaveTheCache(t *testing.T) {
	t.Parallel()
	eachDialect(t, func(t *testing.T, database func(t testing.TB) opener) {
		s := database(t)(t)
		defer func() { require.NoError(t, s.Close()) }()
		const size, most = 2 << 20, 36 << 20
		for i := range 2 * most / size {
			require.NoError(t, s.Update(t.Context(), world, func(tx store.Tx) error {
				return tx.Keys().Put(&store.Key{ID: fmt.Sprint(i), Response: make([]byte, size)})
			}))
			require.NoError(t, s.View(t.Context(), world, func(tx store.Tx) error {
				_, err := tx.Keys().Get(fmt.Sprint(i))
				return err
			}))
			require.Positive(t, s.Cached())
			require.Less(t, s.Cached(), most)
		}
	})
}

// However many worlds there are, few bytes of all of them are kept in memory.
func TestManyWorldsLeaveTheCaches(t *testing.T) {
	t.Parallel()
	eachDialect(t, func(t *testing.T, database func(t testing.TB) opener) {
		s := database(t)(t)
		defer func() { require.NoError(t, s.Close()) }()
		const size, most, worlds = 10_000, 100_000, 40
		s.LimitCaches(most)
		get := func(tx store.Tx) error {
			_, err := tx.Keys().Get("k")
			return err
		}
		for range 2 { // the second time others are still in memory
			for i := range worlds {
				world := fmt.Sprint("client-", i)
				require.NoError(t, s.Update(t.Context(), world, func(tx store.Tx) error {
					return tx.Keys().Put(&store.Key{ID: "k", Response: make([]byte, size)})
				}))
				require.NoError(t, s.View(t.Context(), world, get))
				require.NoError(t, s.Update(t.Context(), world, get))
				require.Less(t, s.Cached(), most+size)
			}
			require.Positive(t, s.Cached())
		}
	})
}

// References that no transfer has count as records do.
func TestReferencesLeaveTheCaches(t *testing.T) {
	t.Parallel()
	eachDialect(t, func(t *testing.T, database func(t testing.TB) opener) {
		s := database(t)(t)
		defer func() { require.NoError(t, s.Close()) }()
		s.LimitCaches(100_000)
		for i := range 10 {
			require.NoError(t, s.Update(t.Context(), fmt.Sprint("client-", i), func(tx store.Tx) error {
				for j := range 90 {
					_, err := tx.TransferByReference(fmt.Sprint("invoice ", j))
					require.ErrorIs(t, err, store.ErrNotFound)
				}
				return nil
			}))
		}
		require.Positive(t, s.CachedReferences())
		require.Less(t, s.CachedReferences(), 300)
	})
}
