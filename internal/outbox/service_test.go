package outbox_test

import (
	"context"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/client"
	"github.com/payctl/payctl/internal/money"
	"github.com/payctl/payctl/internal/outbox"
	"github.com/payctl/payctl/internal/outbox/journal"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/test/paytest"
	"github.com/payctl/payctl/internal/test/testkit"
)

// A document is a resource of the test service.
type document = map[string]any

// A kind is what a service promises.
type kind struct{ keys, unique bool }

var kinds = map[string]kind{
	"no promise": {}, "keys": {keys: true}, "unique references": {unique: true}, "both": {true, true},
}

// A service is a payments service that a test can make fail. It answers in the goroutine of its caller, so the test
// determines the order of events.
type service struct {
	kind
	gone  int // the form of the answer for a missing resource
	clock *testkit.Clock

	ignoresFilters bool // lists show everything
	noList         bool // transfers are not listed

	// lose decides whether the request or the response of a write is lost. If late returns true, a lost request arrives
	// when deliver is called.
	lose func() (request, response bool)
	late func() bool
	// fail reports whether a read is answered with an error.
	fail func() bool
	// edit changes the document of a successful write or read. Nil means that none is changed.
	edit func(method string, d document) document
	// hidden are members that lists do not show. noEnd leaves the end of lists open. lag is how long it takes until lists
	// show a new document.
	hidden []string
	noEnd  bool
	lag    time.Duration
	// arrived is called when a write has arrived, before its effect. listed is called before a list is answered.
	arrived func(from *machine)
	listed  func()

	// strict refuses a known reference, whatever the rest of the request is. Otherwise the same request is answered with
	// the existing transfer.
	strict bool
	// refuse reports whether a transfer exceeds a limit. It is called before the reference is compared.
	refuse func() bool
	// quirk is how the service differs from the contract.
	quirk quirk

	documents []document // oldest first
	created   map[any]time.Time
	makers    map[any]*machine // the machine that made a document, by id
	used      map[string]usedKey
	posts     int
	pending   []pending
	made      int
}

// A quirk is a way in which services differ from the contract.
type quirk string

// The quirks. Those of answers to creations also apply to reads and lists.
const (
	ordinary     quirk = ""
	rewrites     quirk = "rewrites references"
	thinAnswers  quirk = "shows ids and states"
	accepts      quirk = "answers 202"
	onlyAccepts  quirk = "answers 202 and makes nothing"
	hasErrors    quirk = "answers errors and makes nothing"
	minorUnits   quirk = "shows minor units"
	deduplicates quirk = "takes equal content for a repetition, and shows ids"
	breaksWord   quirk = "declares uniqueness and breaks it"
	reusesIDs    quirk = "reuses ids after a reset"
	failsAtOnce  quirk = "makes transfers that have failed"
	oldestFirst  quirk = "lists the oldest first"
	capsLists    quirk = "lists three rows"
	failsAfter   quirk = "fails to list once something was made"
)

var quirks = []quirk{
	rewrites, thinAnswers, accepts, onlyAccepts, hasErrors, minorUnits, deduplicates, breaksWord, reusesIDs, failsAtOnce,
	oldestFirst, capsLists, failsAfter,
}

// show returns a document as the service shows it.
func (s *service) show(d document) document {
	shown := maps.Clone(d)
	delete(shown, "sent")
	amount, isText := shown["amount"].(string)
	switch {
	case s.quirk == thinAnswers, s.quirk == deduplicates:
		return document{"id": d["id"], "state": d["state"]}
	case s.quirk == minorUnits && isText:
		shown["amount"] = money.MustDecimal(amount).Mul(money.MustDecimal("100")).String()
	}
	return shown
}

// A usedKey is a key that was used for a write.
type usedKey struct {
	at   time.Time
	body string
	id   any
}

// A pending request is on its way.
type pending struct {
	from   *machine
	arrive func()
}

func newService(_ testing.TB, k kind) *service {
	return &service{
		kind: k, clock: testkit.NewClock(paytest.Start),
		used: map[string]usedKey{}, created: map[any]time.Time{}, makers: map[any]*machine{},
	}
}

// pay makes a transfer as another machine would.
func (s *service) pay(reference, contact, amount string) string {
	d := s.create("trf", document{
		"reference": reference, "destinationSavedContactId": contact, "amount": amount, "state": "awaiting_funds",
		"route": "a:X->b:Y", "amountType": "source", "sent": reference,
	})
	return d["id"].(string)
}

func (s *service) create(prefix string, d document) document {
	s.made++
	d["id"] = fmt.Sprintf("%s_%d", prefix, s.made)
	s.documents, s.created[d["id"]] = append(s.documents, d), s.clock.Now().Round(0)
	return d
}

// with returns the documents in which a member has this text, oldest first.
func (s *service) with(member, text string) (found []document) {
	for _, d := range s.documents {
		if d[member] == text {
			found = append(found, maps.Clone(d))
		}
	}
	return found
}

// snapshot copies the documents, for restore.
func (s *service) snapshot() (documents []document) {
	for _, d := range s.documents {
		documents = append(documents, maps.Clone(d))
	}
	return documents
}

// restore resets the service to earlier documents. It forgets every key.
func (s *service) restore(documents []document) {
	s.documents, s.used = documents, map[string]usedKey{}
	if s.quirk == reusesIDs {
		s.made = len(documents)
	}
}

// deliver makes the pending requests arrive.
func (s *service) deliver() {
	late := s.pending
	s.pending = nil
	for _, p := range late {
		p.arrive()
	}
}

func call(f func()) {
	if f != nil {
		f()
	}
}

// ServeHTTP answers a request of the machine, unless the request or the response is lost.
func (m *machine) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s := m.service
	var body []byte
	if r.Body != nil {
		body, _ = io.ReadAll(r.Body)
	}
	isRead, loseResponse := r.Method == http.MethodGet, false
	if !isRead && s.lose != nil {
		var loseRequest bool
		if loseRequest, loseResponse = s.lose(); loseRequest {
			if s.late != nil && s.late() {
				s.pending = append(s.pending, pending{m, func() { m.answer(r, body) }})
			}
			panic(http.ErrAbortHandler)
		}
	}
	if !isRead && s.arrived != nil {
		s.arrived(m)
	}
	status, answer := m.answer(r, body)
	if loseResponse {
		panic(http.ErrAbortHandler)
	}
	w.Header().Set("Content-Type", "application/json")
	if status == http.StatusNotFound && isRead {
		w.Header().Set("Content-Type",
			[]string{"application/problem+json", "text/html", "text/plain", "application/json", ""}[s.gone])
		answer = []any{answer, document{}, "gone", document{"message": "gone"}, nil}[s.gone]
	} else if status >= http.StatusBadRequest {
		w.Header().Set("Content-Type", "application/problem+json")
	} else if edited, ok := answer.(document); ok && s.edit != nil && edited["data"] == nil && edited["paths"] == nil {
		answer = s.edit(r.Method, maps.Clone(edited))
	}
	text, _ := json.Marshal(answer)
	w.WriteHeader(status)
	_, _ = w.Write(text)
}

func problem(kind payments.ProblemType) (int, any) {
	described := payments.Describe(kind)
	return described.Status, document{"type": "/problems/" + string(kind), "title": "t", "status": described.Status}
}

// answer answers a request, and records which documents the machine has made.
func (m *machine) answer(r *http.Request, body []byte) (int, any) {
	before := len(m.documents)
	status, answer := m.service.answer(r, body)
	for _, d := range m.documents[before:] {
		m.makers[d["id"]] = m
	}
	return status, answer
}

func (s *service) answer(r *http.Request, body []byte) (int, any) {
	segments := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	id := segments[max(0, len(segments)-2)]
	if segments[0] == "accounts" && len(segments) > 2 {
		id = segments[1]
	}
	var sent document
	_ = json.Unmarshal(body, &sent)
	switch {
	case strings.HasPrefix(r.URL.Path, "/openapi"):
		members := []string{}
		if s.unique {
			members = append(members, "reference")
		}
		post := document{"x-unique-members": members}
		return 200, document{"paths": document{"/transfers/auto/v1": document{"post": post}}}
	case r.Method == http.MethodGet && s.fail != nil && s.fail(),
		r.Method == http.MethodGet && s.quirk == failsAfter && s.posts > 0 && (len(segments) < 3 || id == "saved"):
		return problem(payments.ProblemInternal)
	case r.Method == http.MethodGet && len(segments) > 2 && id != "saved":
		return s.read(id)
	case r.Method == http.MethodGet && s.noList && segments[0] == "transfers":
		return problem(payments.ProblemInsufficientScope)
	case r.Method == http.MethodGet:
		call(s.listed)
		return 200, s.list(r.URL.Query(), segments[0])
	}
	s.posts++
	return s.once(r.Header.Get("Idempotency-Key"), string(body), func() (int, any) {
		switch {
		case strings.HasSuffix(r.URL.Path, "/cancel/v1"):
			return s.change(segments[1], document{"state": "canceled"})
		case strings.HasSuffix(r.URL.Path, "/submissions/v1"):
			s.create("submission", document{"of": id})
			return s.change(id, document{"accountId": id, "status": "pending"})
		case r.Method == http.MethodPatch:
			return s.change(id, sent)
		case r.URL.Path == "/transfers/auto/v1":
			return s.createTransfer(sent)
		}
		prefix := map[string]string{"/accounts/v1": "acc", "/contacts/saved/v1": "sct"}[r.URL.Path]
		return 201, s.show(s.create(prefix, sent))
	})
}

// once applies a write once for each key, if the service honours keys.
func (s *service) once(key, body string, effect func() (int, any)) (int, any) {
	now := s.clock.Now().Round(0)
	if used, ok := s.used[key]; ok && s.keys && now.Sub(used.at) < 24*time.Hour {
		if used.body != body {
			return problem(payments.ProblemKeyReuse)
		}
		return s.read(used.id)
	}
	status, answer := effect()
	if d, ok := answer.(document); ok && status < 400 {
		s.used[key] = usedKey{now, body, d["id"]}
	}
	return status, answer
}

func (s *service) read(id any) (int, any) {
	for _, d := range s.documents {
		if d["id"] == id {
			return 200, s.show(d)
		}
	}
	return problem(payments.ProblemNotFound)
}

func (s *service) list(query url.Values, resource string) document {
	rows := []document{}
	prefix := map[string]string{"transfers": "trf", "contacts": "sct", "accounts": "acc"}[resource]
	for _, d := range slices.Backward(s.documents) {
		fits := strings.HasPrefix(d["id"].(string), prefix) && s.clock.Now().Round(0).Sub(s.created[d["id"]]) >= s.lag
		for _, member := range []string{"reference", "externalId"} {
			fits = fits && (s.ignoresFilters || !query.Has(member) || query.Get(member) == d[member])
		}
		if fits {
			row := s.show(d)
			for _, member := range s.hidden {
				delete(row, member)
			}
			rows = append(rows, row)
		}
	}
	if s.quirk == oldestFirst {
		slices.Reverse(rows)
	}
	if s.quirk == capsLists {
		rows = rows[:min(3, len(rows))]
	}
	page := document{"data": rows, "nextCursor": nil}
	if s.noEnd || s.quirk == capsLists {
		delete(page, "nextCursor")
	}
	return page
}

func (s *service) change(id string, patch document) (int, any) {
	for _, d := range s.documents {
		if d["id"] == id {
			maps.Copy(d, patch)
			return 200, s.show(d)
		}
	}
	return problem(payments.ProblemNotFound)
}

func (s *service) createTransfer(sent document) (int, any) {
	if s.refuse != nil && s.refuse() {
		return problem(payments.ProblemLimitExceeded)
	}
	if route, ok := sent["route"].(document); ok {
		sent["route"] = route["routeKey"]
	}
	if s.quirk == onlyAccepts {
		s.made++
		return 202, document{"id": fmt.Sprintf("job_%d", s.made), "state": "queued"}
	} else if s.quirk == hasErrors {
		return 200, document{"id": "trf_0", "reference": sent["reference"], "amount": sent["amount"], "errors": []any{"no"}}
	}
	for _, d := range s.documents {
		isRepeated := d["amount"] == sent["amount"] && d["destinationSavedContactId"] == sent["destinationSavedContactId"]
		if s.quirk == deduplicates && isRepeated {
			return 201, s.show(d)
		}
		if !s.unique || s.quirk == breaksWord || sent["reference"] == nil || d["sent"] != sent["reference"] {
			continue
		}
		if s.strict || d["amount"] != sent["amount"] || d["destinationSavedContactId"] != sent["destinationSavedContactId"] {
			return problem(payments.ProblemReferenceInUse)
		}
		return 201, s.show(d)
	}
	sent["state"], sent["sent"] = "awaiting_funds", sent["reference"]
	if reference, ok := sent["reference"].(string); ok && s.quirk == rewrites {
		sent["reference"] = strings.ToUpper(reference) + "!"
	}
	if s.quirk == failsAtOnce {
		sent["state"] = "failed"
	}
	status := 201
	if s.quirk == accepts {
		status = 202
	}
	return status, s.show(s.create("trf", sent))
}

// A machine runs programs one after another, with one journal.
type machine struct {
	*service
	path    string
	leaving func() // called before a request leaves
	retries int
	lag     time.Duration // list_lag of the profile
	limits  journal.Limits
	options func(*outbox.Options)
}

func (s *service) machine(t testing.TB) *machine {
	return &machine{service: s, path: t.TempDir() + "/journal.db"}
}

// run runs a program. A killed program ends before it records an outcome.
func (m *machine) run(t testing.TB, killed bool, program func(*outbox.Outbox)) {
	t.Helper()
	base := &url.URL{Scheme: "http", Host: "127.0.0.1"}
	c, err := client.New(client.Config{
		BaseURL: base, Token: paytest.Token("token"), Retries: m.retries, KeysHonoured: m.keys, Now: m.clock.Now,
		Sleep: m.clock.Sleep, Rand: func() float64 { return 0 }, Transport: m,
		Pace: func(ctx context.Context) error { call(m.leaving); return ctx.Err() },
	})
	require.NoError(t, err)
	writes := &journal.Journal{Path: m.path, Service: base.String(), Now: m.clock.Now, Limits: m.limits}
	defer func() { require.NoError(t, writes.Close()) }()
	var j outbox.Journal = writes
	if killed {
		j = dying{writes}
	}
	options := outbox.Options{Now: m.clock.Now, Sleep: m.clock.Sleep, Timeout: time.Second, ListLag: m.lag}
	if m.options != nil {
		m.options(&options)
	}
	program(outbox.New(c, j, options))
}

// RoundTrip sends a request in place of the network. The machine may sleep while it connects.
func (m *machine) RoundTrip(r *http.Request) (response *http.Response, err error) {
	call(m.leaving)
	connection, other := net.Pipe()
	defer connection.Close()
	trace := httptrace.ContextClientTrace(r.Context())
	trace.GotConn(httptrace.GotConnInfo{Conn: connection})
	if other.SetDeadline(time.Time{}) != nil {
		return nil, net.ErrClosed
	}
	trace.WroteHeaders()
	defer func() {
		switch failure := recover(); failure {
		case nil:
		case http.ErrAbortHandler:
			response, err = nil, io.ErrUnexpectedEOF
		default:
			panic(failure)
		}
	}()
	r = r.Clone(r.Context())
	for name, values := range r.Header { // as a server reads them
		r.Header[http.CanonicalHeaderKey(name)] = values
	}
	recorder := httptest.NewRecorder()
	m.ServeHTTP(recorder, r)
	return recorder.Result(), nil
}

// dying is the journal of a program that is killed before it records an outcome.
type dying struct{ outbox.Journal }

func (dying) End(journal.PendingWrite, journal.Ending) error { return nil }
