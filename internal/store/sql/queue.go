package sql

import (
	"context"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/payctl/payctl/internal/store"
)

// An updateQueue is where the updates wait that no two transactions may have at a time: those of a world, or of all
// worlds if the database has one writer. While updates wait, a goroutine commits them in groups.
type updateQueue struct {
	store *Store

	mu      sync.Mutex
	byWorld map[*world][]*update
	turns   []*world // those worlds, the one whose turn it is first
	running bool
	waiting int           // updates
	wanted  int           // so many are to wait before the next group begins
	enough  chan struct{} // receives when they do
}

func newQueue(s *Store) *updateQueue {
	return &updateQueue{store: s, byWorld: map[*world][]*update{}, enough: make(chan struct{}, 1)}
}

// An update is a call of Store.Update.
type update struct {
	ctx   context.Context //nolint:containedctx // ends when the caller stops waiting for the update to begin
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
	// While the database hangs, the group before takes its time twice, and this update would wait for its own group then.
	waiting, cancel := context.WithTimeout(ctx, s.maxWait)
	defer cancel()
	u := &update{
		ctx: waiting, world: s.world(name), needs: needs,
		turn: make(chan *tx), ran: make(chan struct{}, 1), done: make(chan error, 1),
	}
	u.world.queue.add(u)
	select {
	case t := <-u.turn:
		refused := u.runOn(t, run)
		if err := <-u.done; err != nil {
			return unavailable(ctx, err)
		}
		return refused // after the commit, since it may rest on what another update wrote
	case err := <-u.done:
		return unavailable(ctx, err)
	case <-waiting.Done():
		return unavailable(ctx, context.Cause(waiting))
	}
}

// runOn runs the update, and lets the group go on.
func (u *update) runOn(t *tx, run func(*tx) error) (err error) {
	defer func() { u.ran <- struct{}{} }() // also when run panics
	err = run(t)
	u.kept = err == nil
	return err
}

func (q *updateQueue) add(u *update) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.byWorld[u.world] = append(q.byWorld[u.world], u); len(q.byWorld[u.world]) == 1 {
		q.turns = append(q.turns, u.world)
	}
	if q.waiting++; q.waiting == q.wanted {
		signal(q.enough)
	}
	if !q.running {
		q.running = true
		q.store.inFlight.Go(q.commitAll)
	}
}

// maxUpdates bounds a group, since each of its updates waits for all of it.
const maxUpdates = 256

// next takes the next group. If no update waits, the goroutine that calls it ends.
func (q *updateQueue) next() (updates []*update) {
	q.mu.Lock()
	defer q.mu.Unlock()
	updates = q.take(maxUpdates)
	q.running = len(updates) > 0
	return updates
}

// join takes more updates for a group that has not begun to run.
func (q *updateQueue) join(most int) []*update {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.take(most)
}

// take removes updates that wait: one of each world in turn. The caller has locked the queue.
func (q *updateQueue) take(most int) (updates []*update) {
	for len(q.turns) > 0 && len(updates) < most {
		w := q.turns[0]
		q.turns = q.turns[1:]
		updates = append(updates, q.byWorld[w][0])
		q.waiting--
		if q.byWorld[w] = q.byWorld[w][1:]; len(q.byWorld[w]) == 0 {
			delete(q.byWorld, w)
		} else {
			q.turns = append(q.turns, w)
		}
	}
	return updates
}

// fail ends updates that have not begun, and all others that wait.
func (q *updateQueue) fail(updates []*update, err error) {
	q.mu.Lock()
	updates = append(updates, q.take(math.MaxInt)...)
	q.mu.Unlock()
	for _, u := range updates {
		u.done <- err
	}
}

// putBack returns updates that have not begun to their places.
func (q *updateQueue) putBack(updates []*update) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, u := range slices.Backward(updates) {
		if len(q.byWorld[u.world]) == 0 {
			q.turns = append(q.turns, u.world)
		}
		q.byWorld[u.world] = slices.Insert(q.byWorld[u.world], 0, u)
		q.waiting++
	}
}

// A group may take so long, from the wait for its connection to the answer to its commit, and an update may wait so
// long for its group. A client has not given up by then.
const groupTimeout = 10 * time.Second

// A transaction costs as much as several updates do, so that many callers are worth waiting for: the next updates of
// those whose group was committed are to join the ones that came meanwhile. The wait is short compared with the group
// before, so that it costs little if they do not come.
const (
	gatherCallers = 8                     // the fewest that are worth a wait
	gatherPart    = 4                     // the wait is at most a quarter of the time that the group before took
	gatherMost    = 10 * time.Millisecond // the longest wait, since the disk may have held up the group before
)

// want sets how many updates are to wait before enough receives: those that wait now, and a number more. It reports
// whether that is worth a wait.
func (q *updateQueue) want(more int) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.wanted = min(q.waiting+more, maxUpdates)
	select {
	case <-q.enough: // of an earlier group
	default:
	}
	return q.wanted >= gatherCallers && q.waiting < q.wanted
}

// gather waits until as many updates wait as are wanted, but not for long after a group that took some time.
func (q *updateQueue) gather(took time.Duration) {
	timer := time.NewTimer(min(took/gatherPart, gatherMost))
	defer timer.Stop()
	select {
	case <-q.enough:
	case <-timer.C:
	}
}

// commitAll commits the updates of the queue in groups, until none waits.
func (q *updateQueue) commitAll() {
	for updates := q.next(); len(updates) > 0; updates = q.next() {
		start := time.Now()
		ctx, cancel := context.WithTimeout(context.Background(), groupTimeout)
		began, rest, err := q.store.commitGroup(ctx, updates)
		cancel()
		q.store.trim()
		if len(began) == 0 && err != nil { // the database is out of reach: no update is to wait for the next attempt
			q.fail(rest, err)
			continue
		}
		q.putBack(rest)
		took, wait := time.Since(start), q.want(len(began))
		for _, u := range began {
			u.done <- err
		}
		if wait {
			q.gather(took)
		}
	}
}
