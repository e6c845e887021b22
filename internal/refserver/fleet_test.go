package refserver_test

import (
	"bufio"
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/sandbox"
	"github.com/payctl/payctl/internal/store"
	"github.com/payctl/payctl/internal/test/paytest"
)

// A fleet is several server processes with one store, and a client that sends each request to a random one. It
// remembers what it sent, by idempotency key.
type fleet struct {
	t              *testing.T
	at             place
	token, contact string
	world          string // instance
	http           *http.Client
	next           atomic.Int64

	mu      sync.Mutex
	servers []*process
	acked   map[string]payments.Transfer
	sent    map[string]string // the bodies of all requests, acknowledged or not
	streams []*streamed
}

// startFleet starts servers and logs in to one of them.
func startFleet(t *testing.T, at place, size int) *fleet {
	t.Helper()
	f := &fleet{t: t, at: at, acked: map[string]payments.Transfer{}, sent: map[string]string{}}
	for range size {
		f.servers = append(f.servers, startProcess(t, at))
	}
	c := login(t, f.servers[0].url, connections)
	f.token, f.http, f.contact, f.world = c.token, c.http, c.approvedContact(t), c.world(t)
	return f
}

// server returns a caller of one server.
func (f *fleet) server(slot int) *caller {
	f.mu.Lock()
	defer f.mu.Unlock()
	return &caller{url: f.servers[slot].url, token: f.token, http: f.http}
}

// any returns a caller of a random server.
func (f *fleet) any() *caller { return f.server(rand.IntN(len(f.servers))) }

// replace starts a server in place of a killed one.
func (f *fleet) replace(slot int) {
	started := startProcess(f.t, f.at)
	f.mu.Lock()
	f.servers[slot] = started
	f.mu.Unlock()
	require.Equal(f.t, f.world, f.server(slot).world(f.t), "the token still works, for the same world")
}

// patience is how long a request, or the recovery of a server, may take while other tests keep the machine busy.
const patience = longestRequest

// underLoad strikes at random moments while transfers are created and events are streamed. In the end, everything that
// was sent is there once, and the events are complete, in order and the same on every server.
func (f *fleet) underLoad(strikes int, strike func()) {
	f.t.Helper()
	ctx, stop := context.WithCancel(f.t.Context())
	var load, streams sync.WaitGroup
	for range connections / 2 {
		load.Go(func() {
			for ctx.Err() == nil {
				f.create(ctx)
			}
		})
	}
	following, endStreams := context.WithCancel(f.t.Context())
	for slot := range f.servers {
		s := &streamed{}
		f.streams = append(f.streams, s)
		streams.Go(func() {
			for following.Err() == nil {
				f.stream(following, slot, s)
				<-time.After(5 * time.Millisecond)
			}
		})
	}
	acknowledged := func() int {
		f.mu.Lock()
		defer f.mu.Unlock()
		return len(f.acked)
	}
	for range strikes {
		before := acknowledged()
		require.Eventually(f.t, func() bool { return acknowledged() >= before+5 }, patience, time.Millisecond)
		<-time.After(rand.N(300 * time.Millisecond))
		strike()
	}
	stop()
	load.Wait()
	f.settle()
	f.requireEvents()
	endStreams() // another server may get the port of one that has ended
	streams.Wait()
	for _, p := range f.servers {
		p.kill(f.t)
	}
	f.inspect()
}

// do sends a request to a random server. It fails the test if the response takes too long, or is a wrong 503.
func (f *fleet) do(ctx context.Context, method, path, body, key string) (answer, error) {
	began := time.Now()
	a, err := f.any().do(ctx, method, path, body, key)
	if err == nil && a.status == http.StatusServiceUnavailable {
		if err := isUnavailable(a); err != nil {
			f.t.Error(err)
		}
	}
	if took := time.Since(began); took > patience {
		f.t.Errorf("%s %s took %s: %d, %v", method, path, took, a.status, err)
	}
	return a, err
}

// isUnavailable returns an error unless a is the response of a service that cannot reach its data.
func isUnavailable(a answer) error {
	var problem payments.ProblemError
	if err := json.Unmarshal(a.body, &problem); err != nil || a.status != http.StatusServiceUnavailable ||
		a.header.Get("Retry-After") != "1" || a.header.Get("Content-Type") != "application/problem+json" {
		return fmt.Errorf("%d %v %s", a.status, a.header, a.body)
	}
	return nil
}

// create creates a transfer, repeating the request until it is acknowledged, and reads it at a random server.
func (f *fleet) create(ctx context.Context) {
	key := fmt.Sprint("k", f.next.Add(1))
	body := transferTo(f.contact, key)
	f.mu.Lock()
	f.sent[key] = body
	f.mu.Unlock()
	transfer, acknowledged := until[payments.Transfer](ctx, f, http.StatusCreated,
		http.MethodPost, "/transfers/auto/v1", body, key)
	if !acknowledged {
		return
	}
	f.mu.Lock()
	f.acked[key] = transfer
	f.mu.Unlock()
	read, isThere := until[payments.Transfer](ctx, f, http.StatusOK,
		http.MethodGet, "/transfers/"+transfer.ID+"/v1", "", "")
	if isThere && read.Reference != key {
		f.t.Errorf("the transfer %s has the reference %s, not %s", transfer.ID, read.Reference, key)
	}
}

// until repeats a request until it gets the status, or the context ends. It tries again if there is no response, if the
// service is unavailable, and if the request conflicts with one in progress: a server may continue after its connection
// broke.
func until[T any](ctx context.Context, f *fleet, status int, method, path, body, key string) (value T, answered bool) {
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

// settle repeats the requests without an answer, and some of the others, which must get their first answer again.
func (f *fleet) settle() {
	f.t.Helper()
	require.NotEmpty(f.t, f.acked, "nothing was written at all")
	checks := 0
	for key, body := range f.sent {
		known, acked := f.acked[key]
		if acked {
			if checks++; checks > 20 {
				continue
			}
		}
		a, err := f.any().do(f.t.Context(), http.MethodPost, "/transfers/auto/v1", body, key)
		require.NoError(f.t, err)
		require.Equal(f.t, http.StatusCreated, a.status, "%s", a.body)
		var transfer payments.Transfer
		require.NoError(f.t, json.Unmarshal(a.body, &transfer))
		if acked {
			require.Equal(f.t, "true", a.header.Get("Idempotency-Replayed"))
			require.Equal(f.t, known, transfer, "the first answer again")
		}
		f.acked[key] = transfer
	}
}

// inspect compares the store with what was sent and acknowledged. The servers of a database may still use it.
func (f *fleet) inspect() {
	t := f.t
	t.Helper()
	f.mu.Lock()
	acked := maps.Clone(f.acked)
	f.mu.Unlock()
	s := f.at.open(t)
	var kept sandbox.Export
	require.NoError(t, s.View(t.Context(), paytest.ClientID, func(tx store.Tx) (err error) {
		kept, err = sandbox.ReadExport(tx)
		return err
	}))
	require.NoError(t, s.Close())
	byKey := map[string]*store.Transfer{}
	f.mu.Lock()
	for _, transfer := range kept.Transfers {
		key := transfer.Reference
		require.Nil(t, byKey[key], "two effects of one key: %s", key)
		require.NotEmpty(t, f.sent[key], "an effect that no request asked for: %s", key)
		require.True(t, len(transfer.Plan) == 0 || !transfer.StepAt.IsZero(), "a transfer that nothing will ever move again")
		byKey[key] = transfer
	}
	f.mu.Unlock()
	for key, acknowledged := range acked {
		require.NotNil(t, byKey[key], "an acknowledged write is lost: %s", key)
		require.Equal(t, acknowledged.ID, byKey[key].ID)
	}
	recorded := 0
	for _, record := range kept.Keys {
		key, ok := strings.CutPrefix(record.ID, "createAutoTransfer ")
		if !ok {
			continue
		}
		recorded++
		var first payments.Transfer
		require.NoError(t, json.Unmarshal(record.Response, &first))
		require.NotNil(t, byKey[key], "an idempotency record without its effect: %s", key)
		require.Equal(t, byKey[key].ID, first.ID)
	}
	require.Equal(t, len(byKey), recorded, "an effect without its idempotency record")
}

// A streamed has the events received from the servers in one slot of a fleet.
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

// stream reads a stream of events until it ends, starting after the last event received.
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

// requireEvents requires that the feeds of all servers are equal, without gaps and in order, in pages and in streams.
// No request may be in progress.
func (f *fleet) requireEvents() {
	t := f.t
	t.Helper()
	// Jobs that are due run before the feed is read.
	require.Eventually(t, func() bool {
		var page payments.TransferPage
		f.any().read(t, http.MethodGet, "/transfers/v1?state=awaiting_funds,funds_received,payment_submitted&limit=1", "",
			&page)
		return len(page.Data) == 0 && page.NextCursor == nil
	}, patience, 10*time.Millisecond)
	var first []payments.Event
	for slot := range f.servers {
		all := allEvents(t, f.server(slot))
		if slot == 0 {
			first = all
		}
		require.Equal(t, first, all, "server %d", slot)
	}
	ids := make([]string, len(first))
	created, states := map[string]int{}, map[string]string{}
	for i, event := range first {
		ids[i] = event.ID
		number, err := strconv.ParseUint(event.ID[len(event.ID)-10:], 32, 64)
		require.NoError(t, err)
		require.EqualValues(t, i+1, number, "a gap")
		if event.Type == payments.EventTypeTransferCreated {
			created[event.SubjectID]++
		}
		if event.To != nil { // each state follows the one before; the first follows none
			before, known := states[event.SubjectID]
			require.True(t, known == (event.From != nil) && (!known || before == *event.From), "%+v", event)
			states[event.SubjectID] = *event.To
		}
	}
	for key, transfer := range f.acked {
		require.Equal(t, 1, created[transfer.ID], "the event of the transfer %s, %s", transfer.ID, key)
	}
	for slot, s := range f.streams {
		require.Eventually(t, func() bool { return s.last() == ids[len(ids)-1] }, patience, time.Millisecond,
			"the stream of %d", slot)
		require.Equal(t, ids, s.ids, "the stream of server %d", slot)
	}
}

// allEvents reads the feed page by page.
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
