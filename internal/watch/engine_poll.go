package watch

import (
	"container/heap"
	"context"
	"slices"
	"sync"
	"time"

	"github.com/payctl/payctl/internal/payments"
)

// mostHeld is how many answers a service is asked to hold at once. More subjects are asked for in turn.
const mostHeld = 64

// A task is a question to ask again and again: how one subject is, or which there are.
type task struct {
	id       string // empty: list them
	due      time.Time
	tag      string // entity tag of what is known
	failures int
	restless int // answers in a row that came at once with another entity tag and nothing else that is new
}

// mostRestless is how many such answers are asked for without a pause, since there may be news in each; a service that gives
// every answer an entity tag of its own is not to be asked without end.
const mostRestless = 3

// tasks is a heap (container/heap), the one that is due first on top.
type tasks []*task

func (t tasks) Len() int           { return len(t) }
func (t tasks) Less(i, j int) bool { return t[i].due.Before(t[j].due) }
func (t tasks) Swap(i, j int)      { t[i], t[j] = t[j], t[i] }

// Push implements heap.Interface.
func (t *tasks) Push(x any) { *t = append(*t, x.(*task)) }

// Pop implements heap.Interface.
func (t *tasks) Pop() any {
	last := (*t)[len(*t)-1]
	*t = (*t)[:len(*t)-1]
	return last
}

// A poller follows subjects by asking for them.
type poller struct {
	*Engine
	mu      sync.Mutex
	waiting tasks
	single  map[string]bool // those that have a task of their own
	left    int             // tasks
	changed chan struct{}   // tells the dispatcher of a new task
	pages   int             // of the list that may be read in a round; zero is all
}

// poll follows the subjects without a feed.
func (e *Engine) poll(ctx context.Context) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	p := &poller{Engine: e, single: map[string]bool{}, changed: make(chan struct{}, 1)}
	open := e.book.open()
	if many := len(open) >= worthListing && e.Subjects.List != nil; many && !e.All {
		p.pages = len(open) / perListed
	}
	if e.All || p.pages > 0 {
		p.add(&task{})
	} else {
		for _, id := range open {
			p.ask(id)
		}
	}
	e.note("The service has no feed of events to follow and is asked again and again: a status that does not last from one question to the next is not seen.")
	if p.left == 0 && !e.Goal.Endless() {
		return nil
	}
	work, done := make(chan *task), make(chan *task)
	var workers sync.WaitGroup
	for range mostHeld {
		workers.Go(func() {
			for t := range work {
				again := false
				err := carrying(func() (err error) {
					again, err = p.serve(ctx, t)
					return err
				})
				if err != nil {
					cancel(err)
				}
				if !again {
					p.drop()
					t = nil
				}
				select {
				case done <- t:
				case <-ctx.Done():
				}
			}
		})
	}
	workers.Go(func() {
		cancel(p.lookForFeed(ctx))
	})
	err := p.dispatch(ctx, work, done)
	cancel(err)
	close(work)
	workers.Wait()
	return err
}

// dispatch hands out the tasks when they are due.
func (p *poller) dispatch(ctx context.Context, work chan<- *task, done <-chan *task) error {
	under := 0 // tasks under way
	for {
		var out chan<- *task
		var timer <-chan time.Time
		next, limit := p.first()
		switch wait := time.Until(next.due); {
		case next == nothing || under >= limit:
		case wait <= 0:
			out = work
		default:
			timer = time.After(wait)
		}
		select {
		case out <- next:
			p.take(next)
			under++
		case t := <-done:
			under--
			if t != nil {
				p.back(t)
			}
			if p.book.over() {
				return errDone
			}
		case <-p.changed:
		case <-timer:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// nothing stands for no task.
var nothing = &task{}

// first is the task that is due first, and how many may be under way at once.
func (p *poller) first() (next *task, limit int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.left <= mostHeld {
		limit = mostHeld
	} else {
		limit = min(p.AtOnce, mostHeld)
	}
	if len(p.waiting) == 0 {
		return nothing, limit
	}
	return p.waiting[0], limit
}

func (p *poller) take(t *task) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.waiting[0] == t {
		heap.Pop(&p.waiting)
		return
	}
	heap.Remove(&p.waiting, slices.Index(p.waiting, t)) // another has come before it
}

func (p *poller) back(t *task) {
	p.mu.Lock()
	defer p.mu.Unlock()
	heap.Push(&p.waiting, t)
}

func (p *poller) drop() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.left--
}

// ask adds a task for a subject that has none.
func (p *poller) ask(id string) {
	if !p.single[id] {
		p.single[id] = true
		p.add(&task{id: id})
	}
}

func (p *poller) add(t *task) {
	p.mu.Lock()
	heap.Push(&p.waiting, t)
	p.left++
	p.mu.Unlock()
	select {
	case p.changed <- struct{}{}:
	default:
	}
}

// holds says whether answers about single subjects are asked to be held.
func (p *poller) holds() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.left <= mostHeld
}

// serve asks a question. Again says that it has to be asked again, when it is due.
func (p *poller) serve(ctx context.Context, t *task) (again bool, err error) {
	if t.id == "" {
		t.due = time.Now().Add(jitter(p.Interval)) // rounds begin at intervals, however long they take
		return p.list(ctx)
	}
	known := payments.Condition{ETag: t.tag}
	if t.tag != "" && p.holds() {
		known.Wait = HoldFor
	}
	asked := time.Now()
	var reading payments.Reading[State]
	err = p.gate.pass(ctx, func() (err error) {
		asked = time.Now()
		reading, err = p.Subjects.Read(ctx, t.id, known)
		return err
	})
	t.due = time.Now().Add(jitter(p.Interval))
	switch {
	case ctx.Err() != nil:
		return false, context.Cause(ctx)
	case err != nil && p.condition.passing(err):
		t.due = time.Now().Add(jitter(max(p.Interval, min(p.backoff<<min(t.failures, 8), longestBackoff), payments.RetryAfter(err))))
		t.failures++
		return true, nil
	case isGone(err) && p.wasThere(t.id):
		t.due = time.Now().Add(jitter(max(p.Interval, p.backoff)))
		gone, err := p.missed(t.id)
		return !gone, err
	case err != nil:
		return false, err
	}
	t.failures = 0
	before, _ := p.book.find(t.id)
	if reading.NotModified {
		p.book.there(t.id)
	} else if err := p.book.tell(reading.Value); err != nil {
		return false, err
	}
	now, _ := p.book.find(t.id)
	held := time.Since(asked) >= heldAtLeast
	news := !reading.NotModified && reading.ETag != "" && reading.ETag != t.tag && p.holds()
	if held || !news || now.status != before.status {
		t.restless = 0
	} else {
		t.restless++
	}
	if held && reading.NotModified || news && t.restless <= mostRestless {
		t.due = time.Now() // at once, so that no change falls between
	}
	t.tag = reading.ETag
	return !now.done(), nil
}

// list looks at the list. Those that were there and are not any more are asked for by themselves. Again says that the list
// is worth to be looked at again.
func (p *poller) list(ctx context.Context) (again bool, err error) {
	p.book.round++
	cursor := ""
	var walk payments.Walk
	for pages := 1; ; pages++ {
		page, next, err := p.page(ctx, cursor)
		if err != nil && ctx.Err() == nil && !p.All {
			p.askOpen() // whoever may not list may still read
			return false, nil
		}
		if err != nil {
			return false, err
		}
		if err := p.listed(ctx, page); err != nil {
			return false, err
		}
		if cursor = next; cursor == "" || pages == p.pages {
			break
		}
		if err := walk.Step(len(page), cursor); err != nil {
			return false, err
		}
	}
	p.askUnlisted(cursor == "")
	if err := p.missing(ctx); err != nil {
		return false, err
	}
	return p.askFew(), nil
}

// listed takes in what a page of the list tells.
func (p *poller) listed(ctx context.Context, page []State) error {
	news := page[:0]
	for _, state := range page {
		known, followed := p.book.find(state.ID)
		if !followed && !p.All {
			continue
		}
		p.book.see(state.ID)
		if p.single[state.ID] || known.done() || known.told && known.status == state.Status {
			continue // of two who ask, one would tell what is older
		}
		news = append(news, state)
	}
	if err := p.complete(ctx, news); err != nil {
		return err
	}
	for _, state := range news {
		if state.ID == "" {
			continue // it is no more
		}
		if err := p.book.tell(state); err != nil {
			return err
		}
	}
	return nil
}

// askFew asks for each that is listed by itself, so that its answer can be held, while they are few enough. Listing says
// that the list is needed still.
func (p *poller) askFew() (listing bool) {
	open := p.book.open()
	if len(open) >= mostHeld { // the list has a task too
		return true
	}
	for _, id := range open {
		p.ask(id)
	}
	return p.All
}

// askOpen asks for each by itself, however many they are.
func (p *poller) askOpen() {
	for _, id := range p.book.open() {
		p.ask(id)
	}
}

// askUnlisted asks by themselves for those that are not in the list, or not in as much of it as is worth to be read.
func (p *poller) askUnlisted(whole bool) {
	for _, id := range p.book.ids(func(known *entry) bool {
		return !known.done() && (known.seen == 0 || !whole && known.seen < p.book.round)
	}) {
		p.ask(id)
	}
}

// missing asks for those that the list had and does not have any more: they have another status, or are no more.
func (p *poller) missing(ctx context.Context) error {
	var states []State
	for _, id := range p.book.ids(func(known *entry) bool {
		return known.seen > 0 && known.seen < p.book.round && !known.done() && !p.single[known.id]
	}) {
		states = append(states, State{ID: id, Partial: true})
	}
	if err := p.complete(ctx, states); err != nil {
		return err
	}
	for _, state := range states {
		if state.ID == "" || state.Status == "" {
			continue // it is no more, or cannot be read for the moment
		}
		if err := p.book.tell(state); err != nil {
			return err
		}
	}
	return nil
}
