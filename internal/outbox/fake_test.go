package outbox

import (
	"context"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unsafe"

	"github.com/go-json-experiment/json"
	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/outbox/journal"
	"github.com/payctl/payctl/internal/payments"
)

// keyRetention is how long the fake service keeps keys (specification heading "Idempotency").
const keyRetention = 24 * time.Hour

// A fakeClock is a clock whose wall clock and monotonic clock are moved by hand.
type fakeClock struct {
	mu        sync.Mutex
	wall      time.Time
	monotonic time.Duration
}

func newClock() *fakeClock {
	return &fakeClock{wall: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), monotonic: time.Hour}
}

func (c *fakeClock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return timeOf(c.wall, c.monotonic)
}

// pass moves both clocks.
func (c *fakeClock) pass(d time.Duration) { c.move(d, d) }

// move moves the wall clock, backwards if its duration is negative, and the monotonic clock.
func (c *fakeClock) move(wall, monotonic time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.wall, c.monotonic = c.wall.Add(wall), c.monotonic+monotonic
}

// timeOf makes a time.Time with two clocks, for which package time has no function. Its layout is described at
// time.Time; TestElapsed fails if that changes.
func timeOf(wall time.Time, monotonic time.Duration) time.Time {
	const hasMonotonic, bitsOfNanoseconds, from1885 = 1 << 63, 30, -2682288000 // the last one in seconds since 1970
	t := wall
	layout := (*struct {
		wall uint64
		ext  int64
	})(unsafe.Pointer(&t))
	layout.wall = hasMonotonic | uint64(wall.Unix()-from1885)<<bitsOfNanoseconds | uint64(wall.Nanosecond())
	layout.ext = int64(monotonic)
	return t
}

// A fakeService is a payments service with transfers alone, which many clients may use. The zero values of its members
// are those of a service that honours no keys and keeps nothing unique.
type fakeService struct {
	clock          *fakeClock
	honoursKeys    bool
	unique         bool // keeps references unique, and declares it
	ignoresFilters bool
	noLists        bool // the token may not list

	// Lose is called with the number of each attempt at a write, from 1: the request may be lost, or the response.
	lose func(attempt int) loss
	// Connect is called before an attempt leaves, and before it is asked whether it may; arrived when it has arrived;
	// listed when a list has been read and before it is answered.
	connect, arrived, listed func()
	down                     error // of every request, in place of an answer

	mu        sync.Mutex
	world     string // that answers; empty for a service that is no reference service
	transfers []payments.Transfer
	keys      map[string]usedKey
	posts     int // writes that arrived
	lists     int
	asked     int // for the declaration of unique references
}

type usedKey struct {
	at      time.Time
	request string
	id      string
}

// A loss is what is lost of an attempt.
type loss uint8

const (
	nothing loss = iota
	theRequest
	theResponse
)

// always loses the same of every attempt.
func always(l loss) func(int) loss { return func(int) loss { return l } }

// once loses something of the first attempt alone.
func once(l loss) func(int) loss {
	return func(attempt int) loss {
		if attempt == 1 {
			return l
		}
		return nothing
	}
}

func newFakeService(change func(*fakeService)) *fakeService {
	s := &fakeService{clock: newClock(), keys: map[string]usedKey{}}
	if change != nil {
		change(s)
	}
	return s
}

// The four kinds of service.
var kindsOfService = map[string]func(*fakeService){
	"no promise":        nil,
	"keys":              func(s *fakeService) { s.honoursKeys = true },
	"unique references": func(s *fakeService) { s.unique = true },
	"both":              func(s *fakeService) { s.honoursKeys, s.unique = true, true },
}

func call(f func()) {
	if f != nil {
		f()
	}
}

// made makes a transfer, as another machine would.
func (s *fakeService) made(request payments.NewAutoTransfer) payments.Transfer {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.make(request)
}

func (s *fakeService) make(n payments.NewAutoTransfer) payments.Transfer {
	t := payments.Transfer{
		ID: fmt.Sprintf("trf_%d", len(s.transfers)), State: payments.TransferStateAwaitingFunds, Route: n.Route.RouteKey,
		DestinationSavedContactID: n.DestinationSavedContactID, Reference: n.Reference, ExternalID: n.ExternalID,
		BatchID: n.BatchID, Amount: n.Amount, AmountType: payments.AmountTypeSource, Metadata: n.Metadata,
	}
	s.transfers = append(s.transfers, t)
	return t
}

// count returns how many transfers and writes the service has seen.
func (s *fakeService) count() (transfers, posts int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.transfers), s.posts
}

// create is the service's side of a write.
func (s *fakeService) create(n payments.NewAutoTransfer, body, key string) (payments.Transfer, bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.posts++
	if used, ok := s.keys[key]; ok && s.honoursKeys && s.clock.now().Round(0).Sub(used.at) < keyRetention {
		if used.request != body {
			return payments.Transfer{}, false, payments.NewProblem(payments.KindKeyReuse, "")
		}
		return s.find(used.id), true, nil
	}
	if s.unique && n.Reference != "" {
		for _, t := range s.transfers {
			if t.Reference != n.Reference {
				continue
			}
			if len(Differences(n, t)) > 0 {
				return payments.Transfer{}, false, payments.NewProblem(payments.KindReferenceInUse, "%s", t.ID)
			}
			return t, true, nil
		}
	}
	t := s.make(n)
	s.keys[key] = usedKey{at: s.clock.now().Round(0), request: body, id: t.ID}
	return t, false, nil
}

func (s *fakeService) find(id string) payments.Transfer {
	at := slices.IndexFunc(s.transfers, func(t payments.Transfer) bool { return t.ID == id })
	if at < 0 {
		return payments.Transfer{}
	}
	return s.transfers[at]
}

// A fakeClient is one machine's client of a fakeService. It implements Client as far as transfers go, and repeats a
// write as package client does.
type fakeClient struct {
	payments.Service
	payments.EventStreamer
	*fakeService

	retries  int
	attempts int
	mu       sync.Mutex
	seen     string // the world that answered last
}

func (c *fakeClient) see() error {
	c.fakeService.mu.Lock()
	world, down := c.world, c.down
	c.fakeService.mu.Unlock()
	if down != nil {
		return down
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.seen = world
	return nil
}

func (c *fakeClient) World() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.seen
}

func (c *fakeClient) Authorize(ctx context.Context) error { return ctx.Err() }

func (c *fakeClient) Encode(operation string, params []string, body any) (string, []byte, error) {
	if body == nil {
		return "/" + operation + "/" + strings.Join(params, "/"), nil, nil
	}
	encoded, err := json.Marshal(body, json.Deterministic(true))
	return "/" + operation + "/" + strings.Join(params, "/"), encoded, err
}

func (c *fakeClient) HonoursKeys(context.Context, bool) bool { return c.honoursKeys }

func (c *fakeClient) KeepsReferencesUnique(context.Context) bool {
	c.fakeService.mu.Lock()
	defer c.fakeService.mu.Unlock()
	c.asked++
	return c.unique
}

func (c *fakeClient) SendAutoTransfer(
	ctx context.Context, request payments.NewAutoTransfer, body []byte, key payments.Idempotency,
) (payments.WriteResult[payments.Transfer], error) {
	return c.send(ctx, key, func() (payments.Transfer, bool, error) { return c.create(request, string(body), key.Key) })
}

func (c *fakeClient) CancelTransfer(
	ctx context.Context, id string, key payments.Idempotency,
) (payments.WriteResult[payments.Transfer], error) {
	return c.send(ctx, key, func() (payments.Transfer, bool, error) {
		c.fakeService.mu.Lock()
		defer c.fakeService.mu.Unlock()
		c.posts++
		for i := range c.transfers {
			if c.transfers[i].ID == id {
				c.transfers[i].State = payments.TransferStateCanceled
				return c.transfers[i], false, nil
			}
		}
		return payments.Transfer{}, false, payments.NotFound("transfer", id)
	})
}

// send makes attempts at a write until one has an answer or none may leave.
func (c *fakeClient) send(
	ctx context.Context, key payments.Idempotency, effect func() (payments.Transfer, bool, error),
) (payments.WriteResult[payments.Transfer], error) {
	lost := key.Lost
	failed := func(err error) (payments.WriteResult[payments.Transfer], error) {
		if lost != nil {
			cause := lost
			if err != nil {
				cause = fmt.Errorf("%w; %w", lost, err)
			}
			return payments.WriteResult[payments.Transfer]{},
				payments.NewLocalProblem(payments.KindOutcomeUnknown, cause, "It is not known.", "")
		}
		return payments.WriteResult[payments.Transfer]{}, &payments.NotSentError{Err: err}
	}
	for retries := 0; ; retries++ {
		call(c.connect)
		if err := ctx.Err(); err != nil {
			return failed(err)
		}
		if key.MaySend != nil {
			if err := key.MaySend(ctx, lost); err != nil {
				return failed(err)
			}
		}
		if err := c.see(); err != nil {
			if lost != nil {
				return failed(err)
			}
			return payments.WriteResult[payments.Transfer]{}, err
		}
		c.mu.Lock()
		c.attempts++
		attempt, what := c.attempts, nothing
		c.mu.Unlock()
		if c.lose != nil {
			what = c.lose(attempt)
		}
		if what != theRequest {
			call(c.arrived)
			transfer, replayed, err := effect()
			if what == nothing {
				return payments.WriteResult[payments.Transfer]{Value: transfer, Replayed: replayed}, err
			}
		}
		if lost == nil {
			lost = payments.NewLocalProblem(payments.KindUnusable, nil, "It was lost.", "")
		}
		if retries == c.retries {
			return failed(nil)
		}
	}
}

func (c *fakeClient) ListTransfers(
	ctx context.Context, filter payments.TransferFilter,
) (payments.TransferPage, error) {
	if err := ctx.Err(); err != nil {
		return payments.TransferPage{}, err
	}
	if err := c.see(); err != nil {
		return payments.TransferPage{}, err
	}
	if c.noLists {
		return payments.TransferPage{}, payments.NewProblem(payments.KindInsufficientScope, "")
	}
	c.fakeService.mu.Lock()
	c.lists++
	page := payments.TransferPage{Data: []payments.Transfer{}}
	for _, t := range slices.Backward(c.transfers) {
		if c.ignoresFilters || (filter.Reference == "" || t.Reference == filter.Reference) &&
			(filter.ExternalID == "" || t.ExternalID == filter.ExternalID) {
			page.Data = append(page.Data, t)
		}
	}
	c.fakeService.mu.Unlock()
	call(c.listed)
	return page, nil
}

func (c *fakeClient) GetTransfer(
	ctx context.Context, id string, _ payments.ReadOptions,
) (payments.ReadResult[payments.Transfer], error) {
	if err := ctx.Err(); err != nil {
		return payments.ReadResult[payments.Transfer]{}, err
	}
	if err := c.see(); err != nil {
		return payments.ReadResult[payments.Transfer]{}, err
	}
	c.fakeService.mu.Lock()
	defer c.fakeService.mu.Unlock()
	transfer := c.find(id)
	if transfer.ID == "" {
		return payments.ReadResult[payments.Transfer]{}, payments.NotFound("transfer", id)
	}
	return payments.ReadResult[payments.Transfer]{Value: transfer}, nil
}

// A fakeMachine runs programs one after another, with one journal.
type fakeMachine struct {
	t       *testing.T
	service *fakeService
	path    string
}

func (s *fakeService) machine(t *testing.T) *fakeMachine {
	return &fakeMachine{t, s, filepath.Join(t.TempDir(), "journal.db")}
}

func (m *fakeMachine) journal() *journal.Journal {
	return &journal.Journal{
		Path: m.path, Service: "https://api.example.com", Now: m.service.clock.now,
		Client: func(context.Context) (string, error) { return "client", nil },
	}
}

// program starts a program, whose client makes as many further attempts as there are retries.
func (m *fakeMachine) program(retries int) (*Outbox, *fakeClient) {
	m.t.Helper()
	client, writes := &fakeClient{fakeService: m.service, retries: retries}, m.journal()
	m.t.Cleanup(func() { require.NoError(m.t, writes.Close()) })
	o := New(client, writes, Options{
		Timeout: time.Second, Now: m.service.clock.now,
		Sleep: func(ctx context.Context, _ time.Duration) error { runtime.Gosched(); return ctx.Err() },
	})
	return o, client
}

// pay creates a transfer as a program of its own.
func (m *fakeMachine) pay(
	request payments.NewAutoTransfer, key string,
) (payments.WriteResult[payments.Transfer], error) {
	m.t.Helper()
	return m.payWith(request, key, 0)
}

func (m *fakeMachine) payWith(
	request payments.NewAutoTransfer, key string, retries int,
) (result payments.WriteResult[payments.Transfer], err error) {
	m.t.Helper()
	client, writes := &fakeClient{fakeService: m.service, retries: retries}, m.journal()
	o := New(client, writes, Options{
		Now: m.service.clock.now, Sleep: func(ctx context.Context, _ time.Duration) error { return ctx.Err() },
	})
	result, err = o.CreateAutoTransfer(m.t.Context(), request, payments.Idempotency{Key: key})
	require.NoError(m.t, writes.Close())
	return result, err
}

// entries returns the entries of the journal.
func (m *fakeMachine) entries() (entries []journal.Entry) {
	m.t.Helper()
	writes := m.journal()
	require.NoError(m.t, writes.Each(m.t.Context(), journal.Filter{}, func(e journal.Entry) error {
		entries = append(entries, e)
		return nil
	}))
	require.NoError(m.t, writes.Close())
	return entries
}

// outcome returns the outcome of the only entry.
func (m *fakeMachine) outcome() journal.Outcome {
	m.t.Helper()
	entries := m.entries()
	require.Len(m.t, entries, 1)
	return entries[0].Outcome
}

// invoice is a transfer with a reference.
func invoice(reference string) payments.NewAutoTransfer {
	amount, err := payments.ParseDecimal("12.50")
	if err != nil {
		panic(err)
	}
	return payments.NewAutoTransfer{
		DestinationSavedContactID: "sct_1", Route: payments.RouteChoice{RouteKey: "base:USDC->sepa:EUR"}, Reference: reference, Amount: &amount,
	}
}

func kindOf(t *testing.T, err error) payments.Kind {
	t.Helper()
	var problem *payments.ProblemError
	require.ErrorAs(t, err, &problem)
	return problem.Kind()
}

// requireOne requires that the service has one transfer, and that so many writes arrived.
func requireOne(t *testing.T, s *fakeService, posts int) {
	t.Helper()
	transfers, received := s.count()
	require.Equal(t, 1, transfers, "paid %d times", transfers)
	require.Equal(t, posts, received)
}
