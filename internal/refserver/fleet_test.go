package refserver_test

import (
	"bufio"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/refserver"
	"github.com/payctl/payctl/internal/store"
	"github.com/payctl/payctl/internal/store/postgres"
	"github.com/payctl/payctl/internal/test/paytest"
)

// A fleet is server processes with one database, whose client sends each request to a random one of them.
type fleet struct {
	t       *testing.T
	at      place
	token   string
	http    *http.Client
	store   store.Store // the test's own access to the database
	contact string
	ledger  *ledger
	next    atomic.Int64
	refused atomic.Int64 // requests with status 503

	mu         sync.Mutex
	servers    []*process
	longest    time.Duration // of a request
	streams    []*streamed
	endStreams context.CancelFunc
}

// fleetSize is the number of servers.
const fleetSize = 4

// startFleet starts servers, and logs in at one of them.
func startFleet(t *testing.T, database refserver.Database) *fleet {
	t.Helper()
	f := &fleet{t: t, at: place{Database: &database}, ledger: newLedger()}
	for range fleetSize {
		f.servers = append(f.servers, startProcess(t, f.at))
	}
	c := login(t, f.servers[0].url, connections)
	f.token, f.http = c.token, c.http
	f.contact = c.approvedContact(t)
	opened, err := postgres.Open(t.Context(), database)
	require.NoError(t, err)
	f.store = opened
	t.Cleanup(func() { _ = f.store.Close() })
	return f
}

// server is the caller of one server.
func (f *fleet) server(slot int) *caller {
	f.mu.Lock()
	defer f.mu.Unlock()
	return &caller{url: f.servers[slot].url, token: f.token, http: f.http}
}

// any is the caller of a random server.
func (f *fleet) any() *caller { return f.server(rand.IntN(fleetSize)) }

// killOne kills a random server, and starts another one in its place.
func (f *fleet) killOne() {
	f.t.Helper()
	slot := rand.IntN(fleetSize)
	f.mu.Lock()
	killed := f.servers[slot]
	f.mu.Unlock()
	killed.kill(f.t)
	started := startProcess(f.t, f.at)
	f.mu.Lock()
	f.servers[slot] = started
	f.mu.Unlock()
}

// stop ends all streams and servers.
func (f *fleet) stop() {
	f.endStreams() // another server may get the port of one that has ended
	for _, p := range f.servers {
		p.kill(f.t)
	}
}

// patience is how long a request may take to be answered, and a server to work again, while other tests keep the machine
// busy.
const patience = 30 * time.Second

// do sends a request to a random server. It fails the test if the service is unavailable in another way than it should.
func (f *fleet) do(ctx context.Context, method, path, body, key string) (answer, error) {
	began := time.Now()
	a, err := f.any().do(ctx, method, path, body, key)
	took := time.Since(began)
	f.mu.Lock()
	f.longest = max(f.longest, took)
	f.mu.Unlock()
	if err == nil && a.status == http.StatusServiceUnavailable {
		f.refused.Add(1)
		if err := isUnavailable(a); err != nil {
			f.t.Error(err)
		}
	}
	if took > patience {
		f.t.Errorf("%s %s took %s: %d, %v", method, path, took, a.status, err)
	}
	return a, err
}

// isUnavailable checks a response of a service that cannot reach its data.
func isUnavailable(a answer) error {
	var problem payments.ProblemError
	if err := json.Unmarshal(a.body, &problem); err != nil || a.status != http.StatusServiceUnavailable ||
		a.header.Get("Retry-After") != "1" || a.header.Get("Content-Type") != "application/problem+json" {
		return fmt.Errorf("%d %v %s", a.status, a.header, a.body)
	}
	return nil
}

// load begins to make transfers until the context ends. It sends each again, to any server, until it is acknowledged,
// and then reads it at any server.
func (f *fleet) load(ctx context.Context) (wait func()) {
	var all sync.WaitGroup
	for range connections / 2 {
		all.Go(func() {
			for ctx.Err() == nil {
				f.create(ctx)
			}
		})
	}
	return all.Wait
}

// create makes a transfer.
func (f *fleet) create(ctx context.Context) {
	key := fmt.Sprint("k", f.next.Add(1))
	body := transferTo(f.contact, key)
	f.ledger.mu.Lock()
	f.ledger.sent[key] = body
	f.ledger.mu.Unlock()
	transfer, acknowledged := until[payments.Transfer](ctx, f, http.StatusCreated, http.MethodPost, "/transfers/auto/v1", body, key)
	if !acknowledged {
		return
	}
	f.ledger.mu.Lock()
	f.ledger.acked[key] = transfer
	f.ledger.mu.Unlock()
	read, isThere := until[payments.Transfer](ctx, f, http.StatusOK, http.MethodGet, "/transfers/"+transfer.ID+"/v1", "", "")
	if isThere && read.Reference != key {
		f.t.Errorf("the transfer %s has the reference %s, not %s", transfer.ID, read.Reference, key)
	}
}

// until sends a request again and again until it is answered with a status, or the context ends. No answer and
// unavailability are followed by another attempt, and so is the conflict with a request that is under way: the client
// does not know whether a server that broke the connection goes on.
func until[T any](
	ctx context.Context, f *fleet, status int, method, path, body, key string,
) (value T, answered bool) {
	for ctx.Err() == nil {
		a, err := f.do(context.WithoutCancel(ctx), method, path, body, key)
		switch {
		case err != nil || a.status == http.StatusServiceUnavailable || a.status == http.StatusConflict:
			<-time.After(rand.N(20 * time.Millisecond))
			continue
		case a.status != status:
			f.t.Errorf("%s %s (%s): %d %s", method, path, key, a.status, a.body)
			return value, false
		}
		if err := json.Unmarshal(a.body, &value); err != nil {
			f.t.Errorf("%s %s: %v in %s", method, path, err, a.body)
		}
		return value, err == nil
	}
	return value, false
}

// A streamed is the events that were received from the servers in one place of a fleet.
type streamed struct {
	mu  sync.Mutex
	ids []string
}

func (s *streamed) last() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.ids) == 0 {
		return ""
	}
	return s.ids[len(s.ids)-1]
}

// follow begins to read the event streams of all servers. A stream that ends is opened again.
func (f *fleet) follow() {
	ctx, end := context.WithCancel(f.t.Context())
	var all sync.WaitGroup
	f.endStreams = func() {
		end()
		all.Wait()
	}
	for slot := range fleetSize {
		s := &streamed{}
		f.streams = append(f.streams, s)
		all.Go(func() {
			for ctx.Err() == nil {
				f.stream(ctx, slot, s)
				<-time.After(5 * time.Millisecond)
			}
		})
	}
}

// stream reads a stream until it ends.
func (f *fleet) stream(ctx context.Context, slot int, s *streamed) {
	c := f.server(slot)
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, c.url+"/events/v1", http.NoBody)
	if err != nil {
		f.t.Error(err)
		return
	}
	request.Header = http.Header{
		"Accept": {"text/event-stream"}, "Authorization": {"Bearer " + c.token}, "Last-Event-Id": {s.last()},
	}
	response, err := c.http.Do(request)
	if err != nil {
		return
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode != http.StatusOK {
		if response.StatusCode != http.StatusServiceUnavailable {
			f.t.Errorf("the stream after %s: status %d", s.last(), response.StatusCode)
		}
		return
	}
	id, isEvent := "", false
	for lines := bufio.NewScanner(response.Body); lines.Scan(); {
		line := lines.Text()
		switch {
		case strings.HasPrefix(line, "id: "):
			id = strings.TrimPrefix(line, "id: ")
		case strings.HasPrefix(line, "data: "):
			isEvent = true
		case line == "" && isEvent: // the message is complete
			s.mu.Lock()
			s.ids = append(s.ids, id)
			s.mu.Unlock()
			isEvent = false
		}
	}
}

// requireEvents holds the feeds of all servers to be the same, without gaps and in order, by pages and by streams. No
// request is under way.
func (f *fleet) requireEvents() (events int) {
	t := f.t
	t.Helper()
	// What is due happens before the feed is read.
	require.Eventually(t, func() bool {
		var list payments.TransferPage
		f.any().read(t, http.MethodGet, "/transfers/v1?limit=1", "", &list)
		var transfers []*store.Transfer
		require.NoError(t, f.store.View(t.Context(), paytest.ClientID, func(tx store.Tx) (err error) {
			transfers, err = tx.Transfers().List(store.Query{Limit: math.MaxInt})
			return err
		}))
		return !slices.ContainsFunc(transfers, func(t *store.Transfer) bool { return !t.StepAt.IsZero() })
	}, patience, 10*time.Millisecond)
	var first []payments.Event
	for slot := range fleetSize {
		all := allEvents(t, f.server(slot))
		if slot == 0 {
			first = all
			requireChains(t, all)
			for i, event := range all {
				require.Equal(t, i+1, eventNumber(t, event.ID), "a gap")
			}
		}
		require.Equal(t, first, all, "server %d", slot)
	}
	ids := make([]string, len(first))
	created := map[string]int{}
	for i, event := range first {
		ids[i] = event.ID
		if event.Type == payments.EventTypeTransferCreated {
			created[event.SubjectID]++
		}
	}
	for key, transfer := range f.ledger.acked {
		require.Equal(t, 1, created[transfer.ID], "the event of the transfer %s, %s", transfer.ID, key)
	}
	for slot, s := range f.streams {
		require.Eventually(t, func() bool { return s.last() == ids[len(ids)-1] }, patience, time.Millisecond, "the stream of %d", slot)
		require.Equal(t, ids, s.ids, "the stream of server %d", slot)
	}
	return len(first)
}

// allEvents reads the feed by pages.
func allEvents(t *testing.T, c *caller) (all []payments.Event) {
	t.Helper()
	for from := ""; ; {
		var page payments.EventPage
		c.read(t, http.MethodGet, "/events/v1?limit=100"+from, "", &page)
		if len(page.Data) == 0 {
			return all
		}
		all, from = append(all, page.Data...), "&after="+page.Cursor
	}
}

// eventNumber is the place of an event in the feed, which its identifier ends with.
func eventNumber(t *testing.T, id string) int {
	t.Helper()
	const digits = 10
	number, err := strconv.ParseUint(id[len(id)-digits:], 32, 64)
	require.NoError(t, err)
	return int(number)
}
