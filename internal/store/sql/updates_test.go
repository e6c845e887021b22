package sql_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/store"
	storesql "github.com/payctl/payctl/internal/store/sql"
)

const world = "client-1"

func put(id string) func(store.Tx) error {
	return func(tx store.Tx) error { return tx.Keys().Put(&store.Key{ID: id}) }
}

// has reports whether a view finds a key.
func has(t testing.TB, s store.Store, id string) bool {
	var err error
	require.NoError(t, s.View(context.Background(), world, func(tx store.Tx) error {
		_, err = tx.Keys().Get(id)
		return nil
	}))
	if !errors.Is(err, store.ErrNotFound) {
		require.NoError(t, err)
	}
	return err == nil
}

// together starts updates that all wait for their turn while another one has it, then lets them go on one after the
// other, and returns how they ended. The error is that of the first one, which is in their batch.
func together(t testing.TB, s *storesql.Store, world string, updates ...func() error) ([]error, error) {
	results := make([]error, len(updates))
	var all sync.WaitGroup
	err := s.Update(t.Context(), world, func(store.Tx) error {
		for i, update := range updates {
			all.Go(func() { results[i] = update() })
			require.Eventually(t, func() bool { return s.Waiting() == i+1 }, 10*time.Second, time.Millisecond)
		}
		return nil
	})
	all.Wait()
	return results, err
}

// An update that has waited for long ends, as a client would that waits for its response, and never runs.
func TestUpdateDoesNotWaitForEver(t *testing.T) {
	t.Parallel()
	eachDialect(t, func(t *testing.T, database func(t testing.TB) opener) {
		s := database(t)(t)
		defer func() { require.NoError(t, s.Close()) }()
		require.NoError(t, s.Update(t.Context(), world, func(tx store.Tx) error {
			s.WaitAtMost(10 * time.Millisecond)
			late := make(chan error)
			go func() { late <- s.Update(t.Context(), world, put("late")) }()
			require.ErrorIs(t, <-late, store.ErrUnavailable)
			return put("first")(tx)
		}))
		require.True(t, has(t, s, "first"))
		require.False(t, has(t, s, "late"))
	})
}

func TestWaitingUpdatesShareACommit(t *testing.T) {
	t.Parallel()
	eachDialect(t, func(t *testing.T, database func(t testing.TB) opener) {
		s := database(t)(t)
		s.LastingGroups()
		defer func() { require.NoError(t, s.Close()) }()
		const members = 20
		var updates []func() error
		for i := range members {
			updates = append(updates, func() error {
				return s.Update(t.Context(), world, func(tx store.Tx) error {
					for earlier := range i {
						_, err := tx.Keys().Get(fmt.Sprint(earlier))
						require.NoError(t, err, "an update sees what others of its batch wrote")
					}
					require.False(t, has(t, s, "0"), "a view does not before the commit")
					return put(fmt.Sprint(i))(tx)
				})
			})
		}
		results, err := together(t, s, world, updates...)
		require.NoError(t, errors.Join(append(results, err)...))
		for i := range members {
			require.True(t, has(t, s, fmt.Sprint(i)))
		}
	})
}

func TestEachUpdateOfABatchFailsAlone(t *testing.T) {
	t.Parallel()
	eachDialect(t, func(t *testing.T, database func(t testing.TB) opener) {
		s := database(t)(t)
		s.LastingGroups()
		defer func() { require.NoError(t, s.Close()) }()
		refused := errors.New("refused")
		update := func(id string, then func() error) func() error {
			return func() error {
				return s.Update(context.Background(), world, func(tx store.Tx) error {
					return errors.Join(put(id)(tx), then())
				})
			}
		}
		fine := func() error { return nil }
		results, err := together(t, s, world,
			update("one", fine),
			update("error", func() error { return refused }),
			update("two", fine),
			func() (err error) {
				defer func() { err = recover().(error) }()
				return update("panic", func() error { panic(refused) })()
			},
			update("three", fine),
			func() error {
				ended := make(chan struct{})
				go func() {
					defer close(ended)
					_ = update("exit", func() error { runtime.Goexit(); return nil })()
				}()
				<-ended
				return nil
			},
			update("four", fine),
		)
		require.NoError(t, err)
		for i, expected := range []error{nil, refused, nil, refused, nil, nil, nil} {
			require.ErrorIs(t, results[i], expected)
		}
		for id, kept := range map[string]bool{"one": true, "two": true, "three": true, "four": true, "error": false, "panic": false, "exit": false} {
			require.Equal(t, kept, has(t, s, id), id)
		}
	})
}

func TestWaitingEndsWithTheContext(t *testing.T) {
	t.Parallel()
	eachDialect(t, func(t *testing.T, database func(t testing.TB) opener) {
		s := database(t)(t)
		defer func() { require.NoError(t, s.Close()) }()
		ctx, cancel := context.WithCancel(t.Context())
		var late error
		require.NoError(t, s.Update(t.Context(), world, func(tx store.Tx) error {
			done := make(chan error)
			go func() {
				done <- s.Update(ctx, world, func(store.Tx) error {
					t.Error("an update ran although its caller has stopped waiting")
					return nil
				})
			}()
			require.Eventually(t, func() bool { return s.Waiting() == 1 }, 10*time.Second, time.Millisecond)
			cancel()
			late = <-done
			return put("kept")(tx)
		}))
		require.ErrorIs(t, late, context.Canceled)
		require.True(t, has(t, s, "kept"), "a batch does not wait for one who gave up")
	})
}

// However updates come and end, those that succeeded are there, and the others are not.
func TestConcurrentUpdates(t *testing.T) {
	t.Parallel()
	eachDialect(t, func(t *testing.T, database func(t testing.TB) opener) {
		s := database(t)(t)
		defer func() { require.NoError(t, s.Close()) }()
		const workers, rounds = 16, 60
		kept := make([][]bool, workers)
		refused := errors.New("refused")
		var all sync.WaitGroup
		for worker := range workers {
			kept[worker] = make([]bool, rounds)
			all.Go(func() {
				for round := range rounds {
					ctx, cancel := context.WithCancel(context.Background())
					if round%3 == 0 {
						go cancel() // at any moment
					}
					err := s.Update(ctx, fmt.Sprint(worker%3), func(tx store.Tx) error {
						err := put(fmt.Sprint(worker, " ", round))(tx)
						if err == nil && round%5 == 0 {
							err = refused
						}
						return err
					})
					cancel()
					if err != nil && !errors.Is(err, refused) && !errors.Is(err, context.Canceled) {
						t.Error(err)
					}
					kept[worker][round] = err == nil
				}
			})
		}
		all.Wait()
		for worker := range workers {
			require.NoError(t, s.View(t.Context(), fmt.Sprint(worker%3), func(tx store.Tx) error {
				for round, expected := range kept[worker] {
					_, err := tx.Keys().Get(fmt.Sprint(worker, " ", round))
					require.Equal(t, expected, err == nil, "%v", err)
				}
				return nil
			}))
		}
	})
}

func TestCloseWaits(t *testing.T) {
	t.Parallel()
	eachDialect(t, func(t *testing.T, database func(t testing.TB) opener) {
		s := database(t)(t)
		closed := make(chan error)
		require.NoError(t, s.Update(t.Context(), world, func(tx store.Tx) error {
			go func() { closed <- s.Close() }()
			require.Eventually(t, func() bool {
				ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
				defer cancel()
				return errors.Is(s.Update(ctx, world, put("late")), store.ErrUnavailable)
			}, 10*time.Second, time.Millisecond, "it takes no more updates")
			return put("k")(tx)
		}))
		require.NoError(t, <-closed)
		require.NoError(t, s.Close(), "again")
		for _, do := range []func(context.Context, string, func(store.Tx) error) error{func(ctx context.Context, world string, fn func(store.Tx) error) error {
			return s.Update(ctx, world, fn)
		}, s.View} {
			require.ErrorIs(t, do(t.Context(), world, func(store.Tx) error { return nil }), store.ErrUnavailable)
		}
	})
}

// However many updates of a world wait, an update of another world is the next one, also if the database has one writer.
func TestWorldsTakeTurns(t *testing.T) {
	t.Parallel()
	s := openIn(t, t.TempDir())
	defer func() { require.NoError(t, s.Close()) }()
	var order []string
	update := func(name string) func() error {
		return func() error {
			return s.Update(t.Context(), name, func(store.Tx) error {
				order = append(order, name)
				return nil
			})
		}
	}
	updates := slices.Repeat([]func() error{update("busy")}, 20)
	_, err := together(t, s, world, append(updates, update("other"))...)
	require.NoError(t, err)
	require.Equal(t, 1, slices.Index(order, "other"), "%v", order)
}

// In a database with many writers, an update of another world does not wait at all.
func TestWorldsDoNotWaitForEachOther(t *testing.T) {
	t.Parallel()
	s := postgresDatabase(t)(t)
	defer func() { require.NoError(t, s.Close()) }()
	require.NoError(t, s.Update(t.Context(), "busy", func(store.Tx) error {
		return s.Update(t.Context(), world, put("k"))
	}))
	require.True(t, has(t, s, "k"))
}

// A view that misses something in the cache runs again at most once, however often the world changes meanwhile.
func TestViewsOfABusyWorld(t *testing.T) {
	t.Parallel()
	s := postgresDatabase(t)(t)
	defer func() { require.NoError(t, s.Close()) }()
	ctx, stop := context.WithCancel(t.Context())
	var writers sync.WaitGroup
	for range 4 {
		writers.Go(func() {
			for ctx.Err() == nil {
				_ = s.Update(ctx, world, put("k"))
			}
		})
	}
	for i := range 300 {
		runs := 0
		require.NoError(t, s.View(t.Context(), world, func(tx store.Tx) error {
			runs++
			_, err := tx.Keys().Get(fmt.Sprint("missing ", i))
			require.ErrorIs(t, err, store.ErrNotFound)
			return nil
		}))
		require.LessOrEqual(t, runs, 2)
	}
	stop()
	writers.Wait()
}
