package sql

import (
	"context"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/payctl/payctl/internal/store"
)

// A lane is where the updates wait that no two transactions may have at a time: those of a world, or of all worlds if
// the database has one writer. While updates wait, a goroutine commits them in groups.
type lane struct {
	store *Store

	mu      sync.Mutex
	byWorld map[*world][]*update
	turns   []*world // those worlds, the one whose turn it is first
	running bool
}

func newLane(s *Store) *lane { return &lane{store: s, byWorld: map[*world][]*update{}} }

// An update is a call of Store.Update.
type update struct {
	ctx   context.Context //nolint:containedctx // of the caller, who may stop waiting before the update begins
	world *world
	needs []store.Need

	turn chan *tx      // gives the transaction to the caller, who runs the update
	ran  chan struct{} // receives when that has ended
	kept bool          // it succeeded
	done chan error    // how the transaction ended
}

// update runs a function in a transaction of a world, and returns when that is committed.
func (s *Store) update(ctx context.Context, name string, needs []store.Need, run func(*tx) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if !s.enter() {
		return store.Unavailable(errClosed)
	}
	defer s.inFlight.Done()
	u := &update{
		ctx: ctx, world: s.world(name), needs: needs,
		turn: make(chan *tx), ran: make(chan struct{}, 1), done: make(chan error, 1),
	}
	u.world.lane.add(u)
	select {
	case t := <-u.turn:
		refused := u.runOn(t, run)
		if err := <-u.done; err != nil {
			return unavailable(ctx, err)
		}
		return refused // after the commit, since it may rest on what another update wrote
	case err := <-u.done:
		return unavailable(ctx, err)
	case <-ctx.Done():
		return unavailable(ctx, context.Cause(ctx))
	}
}

// runOn runs the update, and lets the group go on.
func (u *update) runOn(t *tx, run func(*tx) error) (err error) {
	defer func() { u.ran <- struct{}{} }() // also when run panics
	err = run(t)
	u.kept = err == nil
	return err
}

func (l *lane) add(u *update) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.byWorld[u.world] = append(l.byWorld[u.world], u); len(l.byWorld[u.world]) == 1 {
		l.turns = append(l.turns, u.world)
	}
	if !l.running {
		l.running = true
		l.store.inFlight.Go(l.commitAll)
	}
}

// maxUpdates bounds a group, since each of its updates waits for all of it.
const maxUpdates = 256

// next takes the next group. If no update waits, the goroutine that calls it ends.
func (l *lane) next() (updates []*update) {
	l.mu.Lock()
	defer l.mu.Unlock()
	updates = l.take(maxUpdates)
	l.running = len(updates) > 0
	return updates
}

// take removes updates that wait: one of each world in turn. The caller has locked the lane.
func (l *lane) take(most int) (updates []*update) {
	for len(l.turns) > 0 && len(updates) < most {
		w := l.turns[0]
		l.turns = l.turns[1:]
		updates = append(updates, l.byWorld[w][0])
		if l.byWorld[w] = l.byWorld[w][1:]; len(l.byWorld[w]) == 0 {
			delete(l.byWorld, w)
		} else {
			l.turns = append(l.turns, w)
		}
	}
	return updates
}

// fail ends updates that have not begun, and all others that wait.
func (l *lane) fail(updates []*update, err error) {
	l.mu.Lock()
	updates = append(updates, l.take(math.MaxInt)...)
	l.mu.Unlock()
	for _, u := range updates {
		u.done <- err
	}
}

// putBack returns updates that have not begun to their places.
func (l *lane) putBack(updates []*update) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, u := range slices.Backward(updates) {
		if len(l.byWorld[u.world]) == 0 {
			l.turns = append(l.turns, u.world)
		}
		l.byWorld[u.world] = slices.Insert(l.byWorld[u.world], 0, u)
	}
}

// A group may take so long, from the wait for its connection to the answer to its commit. A client has not given up by
// then.
const groupTimeout = 5 * time.Second

// commitAll commits the updates of the lane in groups, until none waits.
func (l *lane) commitAll() {
	for updates := l.next(); len(updates) > 0; updates = l.next() {
		ctx, cancel := context.WithTimeout(context.Background(), groupTimeout)
		began, rest, err := l.store.commitGroup(ctx, updates)
		cancel()
		if len(began) == 0 && err != nil { // the database is out of reach: no update is to wait for the next attempt
			l.fail(rest, err)
			continue
		}
		l.putBack(rest)
		for _, u := range began {
			u.done <- err
		}
	}
}
