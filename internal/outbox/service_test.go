package outbox_test

import (
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/client"
	"github.com/payctl/payctl/internal/outbox"
	"github.com/payctl/payctl/internal/outbox/journal"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/test/clock"
	"github.com/payctl/payctl/internal/test/paytest"
)

// A document is a resource of the service in the tests.
type document = map[string]any

// A kind is what a service promises.
type kind struct{ keys, unique bool }

var kinds = map[string]kind{
	"no promise": {}, "keys": {keys: true}, "unique references": {unique: true}, "both": {true, true},
}

// A service is a payments service over HTTP with transfers and contacts, which a test may let fail.
type service struct {
	kind
	clock *clock.Clock
	url   string

	ignoresFilters bool // lists show everything

	// lose is asked about each write that arrives: whether the request is lost, or the response. A lost request may arrive
	// late, when deliver is called.
	lose func() (request, response bool)
	late func() bool
	// edit changes the document of a successful response to a write, or of a read; nil: none is changed.
	edit func(method string, d document) document
	// hidden are members that lists do not show; noEnd leaves the end of lists open.
	hidden []string
	noEnd  bool
	// arrived is called when a write has arrived and before it has its effect; listed before a list is answered.
	arrived, listed func()

	mu        sync.Mutex
	documents []document // oldest first
	used      map[string]usedKey
	posts     int
	pending   []func() // requests that are on their way
	made      int
}

type usedKey struct {
	at   time.Time
	body string
	id   string
}

func newService(t testing.TB, k kind) *service {
	s := &service{kind: k, clock: clock.New(paytest.Start), used: map[string]usedKey{}}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	s.url = server.URL
	return s
}

// pay makes a transfer as another machine would.
func (s *service) pay(reference, contact, amount string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	d := s.create("trf", document{
		"reference": reference, "destinationSavedContactId": contact, "amount": amount, "state": "awaiting_funds",
		"route": "a:X->b:Y", "amountType": "source",
	})
	return d["id"].(string)
}

func (s *service) create(prefix string, d document) document {
	s.made++
	d["id"] = fmt.Sprintf("%s_%d", prefix, s.made)
	s.documents = append(s.documents, d)
	return d
}

// with returns the documents with a text at a member, oldest first.
func (s *service) with(member, text string) (found []document) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, d := range s.documents {
		if d[member] == text {
			found = append(found, maps.Clone(d))
		}
	}
	return found
}

// restore takes the service back to the state in which it had so many documents, and has forgotten every key.
func (s *service) restore(to int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.documents, s.used = s.documents[:min(to, len(s.documents))], map[string]usedKey{}
}

// deliver lets requests arrive that were on their way.
func (s *service) deliver() {
	pending := s.pending
	s.pending = nil
	for _, arrive := range pending {
		arrive()
	}
}

func call(f func()) {
	if f != nil {
		f()
	}
}

func (s *service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	isRead, loseResponse := r.Method == http.MethodGet, false
	if !isRead && s.lose != nil {
		var loseRequest bool
		if loseRequest, loseResponse = s.lose(); loseRequest {
			if s.late != nil && s.late() {
				s.pending = append(s.pending, func() { s.answer(r, body) })
			}
			panic(http.ErrAbortHandler)
		}
	}
	if !isRead {
		call(s.arrived)
	}
	status, answer := s.answer(r, body)
	if loseResponse {
		panic(http.ErrAbortHandler)
	}
	w.Header().Set("Content-Type", "application/json")
	if status >= http.StatusBadRequest {
		w.Header().Set("Content-Type", "application/problem+json")
	} else if edited, ok := answer.(document); ok && s.edit != nil && edited["data"] == nil {
		answer = s.edit(r.Method, maps.Clone(edited))
	}
	text, _ := json.Marshal(answer)
	w.WriteHeader(status)
	_, _ = w.Write(text)
}

func problem(kind payments.Kind) (int, document) {
	described := payments.Describe(kind)
	return described.Status, document{"type": "/problems/" + string(kind), "title": "t", "status": described.Status}
}

func (s *service) answer(r *http.Request, body []byte) (int, any) {
	segments := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	switch {
	case r.URL.Path == "/openapi.json" || strings.HasPrefix(r.URL.Path, "/openapi"):
		members := []string{}
		if s.unique {
			members = append(members, "reference")
		}
		return 200, document{"paths": document{"/transfers/auto/v1": document{"post": document{"x-unique-members": members}}}}
	case r.Method == http.MethodGet && len(segments) > 2 && segments[len(segments)-2] != "saved":
		return s.read(segments[len(segments)-2])
	case r.Method == http.MethodGet:
		call(s.listed)
		return 200, s.list(r.URL.Query(), segments[0])
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.posts++
	switch {
	case strings.HasSuffix(r.URL.Path, "/cancel/v1"):
		return s.change(segments[1], document{"state": "canceled"})
	case r.Method == http.MethodPatch:
		var patch document
		_ = json.Unmarshal(body, &patch)
		return s.change(segments[2], patch)
	case r.URL.Path == "/transfers/auto/v1":
		return s.createTransfer(r.Header.Get("Idempotency-Key"), body)
	case r.URL.Path == "/contacts/saved/v1":
		var contact document
		_ = json.Unmarshal(body, &contact)
		return 201, maps.Clone(s.create("sct", contact))
	}
	status, refused := problem(payments.KindNotFound)
	return status, refused
}

func (s *service) read(id string) (int, any) {
	if found := s.with("id", id); len(found) > 0 {
		return 200, found[0]
	}
	status, refused := problem(payments.KindNotFound)
	return status, refused
}

func (s *service) list(query url.Values, resource string) document {
	s.mu.Lock()
	defer s.mu.Unlock()
	rows, prefix := []document{}, map[string]string{"transfers": "trf", "contacts": "sct"}[resource]
	for _, d := range slices.Backward(s.documents) {
		fits := strings.HasPrefix(d["id"].(string), prefix)
		for _, member := range []string{"reference", "externalId"} {
			fits = fits && (s.ignoresFilters || !query.Has(member) || query.Get(member) == d[member])
		}
		if fits {
			row := maps.Clone(d)
			for _, member := range s.hidden {
				delete(row, member)
			}
			rows = append(rows, row)
		}
	}
	page := document{"data": rows, "nextCursor": nil}
	if s.noEnd {
		delete(page, "nextCursor")
	}
	return page
}

func (s *service) change(id string, patch document) (int, any) {
	for _, d := range s.documents {
		if d["id"] == id {
			maps.Copy(d, patch)
			return 200, maps.Clone(d)
		}
	}
	status, refused := problem(payments.KindNotFound)
	return status, refused
}

func (s *service) createTransfer(key string, body []byte) (int, any) {
	var sent payments.NewAutoTransfer
	_ = json.Unmarshal(body, &sent)
	now := s.clock.Now().Round(0)
	if used, ok := s.used[key]; ok && s.keys && now.Sub(used.at) < 24*time.Hour {
		if used.body != string(body) {
			status, refused := problem(payments.KindKeyReuse)
			return status, refused
		}
		for _, d := range s.documents {
			if d["id"] == used.id {
				return 201, maps.Clone(d)
			}
		}
	}
	amount := ""
	if sent.Amount != nil {
		amount = sent.Amount.String()
	}
	for _, d := range s.documents {
		if !s.unique || sent.Reference == "" || d["reference"] != sent.Reference {
			continue
		}
		if d["amount"] != amount || d["destinationSavedContactId"] != sent.DestinationSavedContactID {
			status, refused := problem(payments.KindReferenceInUse)
			return status, refused
		}
		return 201, maps.Clone(d)
	}
	d := s.create("trf", document{
		"reference": sent.Reference, "externalId": sent.ExternalID, "amount": amount, "state": "awaiting_funds",
		"destinationSavedContactId": sent.DestinationSavedContactID, "route": sent.Route.RouteKey, "amountType": "source",
	})
	s.used[key] = usedKey{now, string(body), d["id"].(string)}
	return 201, maps.Clone(d)
}

// A machine runs programs, one after the other, with one journal.
type machine struct {
	*service
	path    string
	leaving func() // before each request leaves
	retries int
	lag     time.Duration
}

func (s *service) machine(t testing.TB) *machine {
	return &machine{service: s, path: t.TempDir() + "/journal.db"}
}

// run runs a program. A killed one ends before it has recorded any outcome.
func (m *machine) run(t testing.TB, killed bool, program func(*outbox.Outbox)) {
	t.Helper()
	base, err := url.Parse(m.url)
	require.NoError(t, err)
	c, err := client.New(client.Config{
		BaseURL: base, Token: paytest.Token("token"), Retries: m.retries, KeysHonoured: m.keys, Now: m.clock.Now,
		Sleep: m.clock.Sleep, Rand: func() float64 { return 0 },
		Pace: func(ctx context.Context) error { call(m.leaving); return ctx.Err() },
	})
	require.NoError(t, err)
	defer c.CloseIdleConnections()
	writes := &journal.Journal{Path: m.path, Service: m.url, Now: m.clock.Now}
	defer func() { require.NoError(t, writes.Close()) }()
	var j outbox.Journal = writes
	if killed {
		j = dying{writes}
	}
	program(outbox.New(c, j, outbox.Options{Now: m.clock.Now, Sleep: m.clock.Sleep, Timeout: time.Second, ListLag: m.lag}))
}

// dying is the journal of a program that is killed before it records an outcome.
type dying struct{ outbox.Journal }

func (dying) End(journal.Intent, journal.Result) error { return nil }
func (dying) Release(...journal.Intent) error          { return nil }
