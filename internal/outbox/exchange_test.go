package outbox_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/client"
	"github.com/payctl/payctl/internal/outbox"
	"github.com/payctl/payctl/internal/outbox/journal"
	"github.com/payctl/payctl/internal/payments"
)

// The tests of this file make real exchanges: with the client, over HTTP, and a journal on the disk.

const (
	contactBody  = `{"id":"sct_1"}`
	transferBody = `{"id":"trf_1","state":"awaiting_funds"}`
	emptyList    = `{"data":[],"nextCursor":null}`
)

// A site is a service that remembers its requests.
type site struct {
	*httptest.Server
	mu       sync.Mutex
	requests []string // methods
}

// serve starts a service; n is the number of the request, from 1.
func serve(t *testing.T, handler func(w http.ResponseWriter, r *http.Request, n int)) *site {
	t.Helper()
	s := &site{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.requests = append(s.requests, r.Method)
		n := len(s.requests)
		s.mu.Unlock()
		handler(w, r, n)
	}))
	t.Cleanup(s.Close)
	return s
}

// posts returns how many writes the service received.
func (s *site) posts() (posts int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, method := range s.requests {
		if method == http.MethodPost {
			posts++
		}
	}
	return posts
}

// An answer is what a service answers to a write.
type answer func(http.ResponseWriter)

func reply(w http.ResponseWriter, status int, contentType, body string) {
	w.Header().Set("Content-Type", contentType)
	w.WriteHeader(status)
	_, _ = w.Write([]byte(body))
}

func replyJSON(w http.ResponseWriter, status int, body string) {
	reply(w, status, "application/json", body)
}

func problem(status int, kind payments.Kind) answer {
	return func(w http.ResponseWriter) {
		reply(w, status, "application/problem+json", `{"type":"https://x.test/problems/`+string(kind)+`","title":"T"}`)
	}
}

func page(status int) answer {
	return func(w http.ResponseWriter) { reply(w, status, "text/html", "<html><title>Bad Gateway</title>") }
}

func hangUp(w http.ResponseWriter) {
	connection, _, err := http.NewResponseController(w).Hijack()
	if err == nil {
		_ = connection.Close()
	}
}

func moved(w http.ResponseWriter) {
	w.Header().Set("Location", "/elsewhere")
	w.WriteHeader(http.StatusPermanentRedirect)
}

// answering starts a service that answers every write alike, and lists nothing.
func answering(to answer) func(*testing.T) *site {
	return func(t *testing.T) *site {
		return serve(t, func(w http.ResponseWriter, r *http.Request, _ int) {
			if r.Method == http.MethodPost {
				to(w)
				return
			}
			replyJSON(w, http.StatusOK, emptyList)
		})
	}
}

var (
	losing = answering(hangUp)
	making = answering(func(w http.ResponseWriter) { replyJSON(w, http.StatusCreated, contactBody) })
)

// dead is a port on which no program listens: the port of a closed listener may be another test's a moment later.
func dead(*testing.T) *site {
	return &site{Server: &httptest.Server{URL: "http://127.0.0.1:1"}}
}

// A token is a token that cannot be renewed.
type token string

func (s token) Token(context.Context) (string, error)         { return string(s), nil }
func (s token) Renew(context.Context, string) (string, error) { return "", errors.ErrUnsupported }

// On a machine, programs run one after another, with one journal and one clock.
type machine struct {
	t    *testing.T
	path string
	time time.Time
}

func newMachine(t *testing.T) *machine {
	return &machine{t, filepath.Join(t.TempDir(), "journal.db"), time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
}

func (m *machine) now() time.Time { return m.time }

func (m *machine) sleep(ctx context.Context, d time.Duration) error {
	m.time = m.time.Add(d)
	return ctx.Err()
}

// journal is the machine's journal. All services count as the one at one URL.
func (m *machine) journal() *journal.Journal {
	return &journal.Journal{Path: m.path, Service: "https://api.example.com", Now: m.now}
}

// connect returns a client and an Outbox with a journal.
func (m *machine) connect(
	base string, writes outbox.Journal, change ...func(*client.Config),
) (*client.Client, *outbox.Outbox) {
	m.t.Helper()
	u, err := url.Parse(base)
	require.NoError(m.t, err)
	config := client.Config{
		BaseURL: u, Token: token("s3cr3t-token-0001"), UserAgent: "payctl/test", KeysHonoured: true,
		Sleep: m.sleep, Now: m.now, Rand: func() float64 { return 0.5 },
	}
	for _, change := range change {
		change(&config)
	}
	c, err := client.New(config)
	require.NoError(m.t, err)
	m.t.Cleanup(c.CloseIdleConnections)
	options := outbox.Options{Timeout: time.Second, Now: m.now, Sleep: m.sleep}
	return c, outbox.New(c, writes, options)
}

// run creates a contact, which cannot be looked up, with a key as a program of its own. It returns the error, and the
// journal's entry.
func (m *machine) run(base string, change ...func(*client.Config)) (journal.Entry, error) {
	m.t.Helper()
	return m.call(base, createContact, change...)
}

func createContact(ctx context.Context, o *outbox.Outbox) error {
	_, err := o.CreateSavedContact(ctx, payments.NewSavedContact{}, payments.Idempotency{Key: "k-1"})
	return err
}

func (m *machine) call(
	base string, call func(context.Context, *outbox.Outbox) error, change ...func(*client.Config),
) (journal.Entry, error) {
	m.t.Helper()
	writes := m.journal()
	_, o := m.connect(base, writes, change...)
	failure := call(m.t.Context(), o)
	require.NoError(m.t, writes.Close())
	return m.last(), failure
}

// last returns the latest entry of the journal.
func (m *machine) last() (entry journal.Entry) {
	m.t.Helper()
	writes := m.journal()
	require.NoError(m.t, writes.Each(m.t.Context(), journal.Filter{}, func(e journal.Entry) error {
		entry = e
		return nil
	}))
	require.NoError(m.t, writes.Close())
	return entry
}

// pass moves the clock, backwards if d is negative.
func (m *machine) pass(d time.Duration) { m.time = m.time.Add(d) }

func kindOf(t *testing.T, err error) payments.Kind {
	t.Helper()
	var problem *payments.ProblemError
	require.ErrorAs(t, err, &problem, "%v", err)
	return problem.Kind()
}

// What an earlier program left unknown stays unknown until a response resolves it. That a later program sent nothing,
// or was refused before the service looked up the key, tells nothing about the earlier one.
func TestLostWriteOfAnEarlierProgramStaysUnknown(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		second func(*testing.T) *site
		open   bool
	}{
		"unreachable":   {dead, true},
		"token refused": {answering(problem(401, payments.KindUnauthenticated)), true},
		"scope refused": {answering(problem(403, payments.KindInsufficientScope)), true},
		"rate limited":  {answering(problem(429, payments.KindRateLimited)), true},
		"HTML 404":      {answering(page(404)), true},
		"moved":         {answering(moved), true},
		"key in use":    {answering(problem(409, payments.KindKeyInUse)), true},
		"validation":    {answering(problem(400, payments.KindValidation)), false},
		"done":          {making, false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := newMachine(t)
			entry, err := m.run(losing(t).URL)
			require.Equal(t, payments.KindOutcomeUnknown, kindOf(t, err))
			require.Equal(t, journal.OutcomeUnknown, entry.Outcome)
			entry, err = m.run(test.second(t).URL)
			require.Equal(t, !test.open, entry.Outcome.Settled(), entry.Outcome)
			if !test.open {
				return
			}
			require.Equal(t, payments.KindOutcomeUnknown, kindOf(t, err))

			// A day later the key is gone, so that nothing may be sent: a contact cannot be looked up.
			m.pass(25 * time.Hour)
			s := making(t)
			_, err = m.run(s.URL)
			require.Equal(t, payments.KindOutcomeUnknown, kindOf(t, err))
			require.Zero(t, s.posts(), "it was sent a second time")
		})
	}
}

// While a key is in use, a request with it is under way, whose outcome is unknown.
func TestAKeyThatStaysInUseIsUnknown(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	entry, err := m.run(answering(problem(409, payments.KindKeyInUse))(t).URL)
	require.Equal(t, payments.KindOutcomeUnknown, kindOf(t, err))
	require.Equal(t, journal.OutcomeUnknown, entry.Outcome)
}

// The clock decides how long a key is relied on, unless it says that the write was sent in the future: then its age is
// unknown.
func TestKeyLifetimeByTheClock(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		passed time.Duration
		sent   int
	}{
		"at once":              {0, 1},
		"22 hours later":       {22 * time.Hour, 1},
		"23 hours later":       {23 * time.Hour, 0},
		"25 hours later":       {25 * time.Hour, 0},
		"set back by a minute": {-time.Minute, 1},
		"set back by 2 hours":  {-2 * time.Hour, 0},
		"set back by a year":   {-365 * 24 * time.Hour, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := newMachine(t)
			_, err := m.run(losing(t).URL)
			require.Error(t, err)
			m.pass(test.passed)
			s := making(t)
			_, err = m.run(s.URL)
			require.Equal(t, test.sent, s.posts())
			if test.sent == 0 {
				require.Equal(t, payments.KindOutcomeUnknown, kindOf(t, err))
			} else {
				require.NoError(t, err)
			}
		})
	}
}

// The lifetime of a key begins when a write is sent with it, but not if that write was refused or never sent.
func TestKeyLifetimeBeginsWithTheFirstPossibleEffect(t *testing.T) {
	t.Parallel()
	for name, first := range map[string]func(*testing.T) *site{
		"refused": answering(problem(400, payments.KindValidation)), "never left": dead,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := newMachine(t)
			_, err := m.run(first(t).URL)
			require.Error(t, err)
			m.pass(25 * time.Hour)
			_, err = m.run(losing(t).URL)
			require.Equal(t, payments.KindOutcomeUnknown, kindOf(t, err))
			m.pass(time.Hour)
			s := making(t)
			_, err = m.run(s.URL)
			require.NoError(t, err)
			require.Equal(t, 1, s.posts())
		})
	}
}

// Some responses without a problem document still say that nothing was done.
func TestResponsesOfProxies(t *testing.T) {
	t.Parallel()
	const refused, unknown = journal.OutcomeRefused, journal.OutcomeUnknown
	for name, test := range map[string]struct {
		answer answer
		want   journal.Outcome
	}{
		"400": {page(400), refused}, "401": {page(401), refused}, "404": {page(404), refused}, "405": {page(405), refused},
		"407": {page(407), refused}, "411": {page(411), refused}, "413": {page(413), refused}, "414": {page(414), refused},
		"415": {page(415), refused}, "421": {page(421), refused}, "425": {page(425), refused}, "429": {page(429), refused},
		"431": {page(431), refused}, "451": {page(451), refused},
		// Filters that inspect responses answer like this after the request was carried out.
		"403":      {page(403), unknown},
		"403 JSON": {func(w http.ResponseWriter) { replyJSON(w, 403, `{"message":"Forbidden"}`) }, refused},

		"403 of the service": {problem(403, payments.KindInsufficientScope), refused},
		// The proxy that gave up may have waited for the service.
		"408": {page(408), unknown}, "460": {page(460), unknown}, "499": {page(499), unknown}, "500": {page(500), unknown},
		"502": {page(502), unknown}, "503": {page(503), unknown}, "504": {page(504), unknown}, "511": {page(511), unknown},
		"200": {page(200), unknown}, "204": {func(w http.ResponseWriter) { w.WriteHeader(204) }, unknown},
		"308": {moved, refused},
		"303": {func(w http.ResponseWriter) { w.Header().Set("Location", "/x"); w.WriteHeader(303) }, unknown},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			entry, err := newMachine(t).run(answering(test.answer)(t).URL)
			require.Error(t, err)
			require.Equal(t, test.want, entry.Outcome)
			require.Equal(t, test.want == unknown, kindOf(t, err) == payments.KindOutcomeUnknown)
		})
	}
}

// If a service is only presumed to honour keys, the client asks it before a write is sent again. Without a response, it
// does not count as one that does.
func TestPresumedKeysThatCannotBeConfirmed(t *testing.T) {
	t.Parallel()
	const tokens = "/identity/auth/tokens/current/v1"
	for name, test := range map[string]struct {
		ask  answer
		sent int
	}{
		"no answer": {hangUp, 1},
		"a reference service that fails": {func(w http.ResponseWriter) {
			w.Header().Set("Server", "payctl/1")
			page(503)(w)
		}, 1},
		"a reference service without a world": {func(w http.ResponseWriter) {
			w.Header().Set("Server", "payctl/1")
			replyJSON(w, 200, `{"expiresAt":"2026-01-02T03:04:05Z"}`)
		}, 1},
		"a reference service with a world": {func(w http.ResponseWriter) {
			w.Header().Set("Payctl-World", "w")
			page(503)(w)
		}, 3},
		"another service, without the operation": {page(404), 3},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var posts atomic.Int64
			s := serve(t, func(w http.ResponseWriter, r *http.Request, _ int) {
				if r.URL.Path == tokens {
					test.ask(w)
					return
				}
				posts.Add(1)
				hangUp(w)
			})
			presumed := func(config *client.Config) { config.KeysPresumed, config.Retries = true, 2 }
			entry, err := newMachine(t).run(s.URL, presumed)
			require.Equal(t, payments.KindOutcomeUnknown, kindOf(t, err))
			require.Equal(t, journal.OutcomeUnknown, entry.Outcome)
			require.EqualValues(t, test.sent, posts.Load())
		})
	}
}

// The wait for another program that is stopped in the middle of the same write has an end.
func TestWaitingForAnotherProgramHasAnEnd(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	other := m.journal()
	defer other.Close()
	s := serve(t, func(w http.ResponseWriter, _ *http.Request, _ int) {
		// The second program begins while the first waits for its answer.
		_, o := m.connect(dead(t).URL, other)
		require.Equal(t, payments.KindBeingSent, kindOf(t, createContact(t.Context(), o)))
		replyJSON(w, http.StatusCreated, contactBody)
	})
	entry, err := m.run(s.URL)
	require.NoError(t, err)
	require.Equal(t, journal.OutcomeDone, entry.Outcome)
}

// Several payments may share an external id. The effect of another write is not the effect of the lost one.
func TestExternalIDOfAnotherWrite(t *testing.T) {
	t.Parallel()
	lost := false
	s := serve(t, func(w http.ResponseWriter, r *http.Request, _ int) {
		switch {
		case r.Method == http.MethodPost && lost:
			hangUp(w)
		case r.Method == http.MethodPost:
			replyJSON(w, http.StatusCreated, `{"id":"trf_1","externalId":"customer-7"}`)
		default:
			replyJSON(w, http.StatusOK, `{"data":[{"id":"trf_1","externalId":"customer-7"}],"nextCursor":null}`)
		}
	})
	m := newMachine(t)
	pay := func(key string) func(context.Context, *outbox.Outbox) error {
		return func(ctx context.Context, o *outbox.Outbox) error {
			_, err := o.CreateAutoTransfer(ctx, payments.NewAutoTransfer{ExternalID: "customer-7"}, payments.Idempotency{Key: key})
			return err
		}
	}
	_, err := m.call(s.URL, pay("october"))
	require.NoError(t, err)
	lost = true
	for range 2 {
		entry, err := m.call(s.URL, pay("november"))
		require.Equal(t, payments.KindOutcomeUnknown, kindOf(t, err))
		require.Equal(t, journal.OutcomeUnknown, entry.Outcome)
		m.pass(25 * time.Hour)
	}
}

// An overtaken journal is one in which another program takes over an open write, with other content, just before this
// one does.
type overtaken struct {
	*journal.Journal
	asked []bool // the argument takeOver of each Claim
	found journal.Entry
}

func (o *overtaken) Claim(_ context.Context, intents []journal.Intent, takeOver bool) ([]journal.Claim, error) {
	o.asked = append(o.asked, takeOver)
	switch o.found.Intent, o.found.Outcome, o.found.Busy = intents[0], journal.OutcomeUnknown, false; len(o.asked) {
	case 1:
	case 2:
		o.found.Outcome, o.found.Busy = journal.OutcomeSending, true
	case 3:
		o.found.BodyHash = "of another content"
	}
	return []journal.Claim{{Entry: o.found, Mine: takeOver && len(o.asked) > 2}}, nil
}

// Whether a write may be sent again is decided for the entry that was read, not for one that another program has
// changed since.
func TestWriteOfAnotherProgramInTheMeantime(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	writes := &overtaken{Journal: m.journal(), found: journal.Entry{Began: m.now(), Changed: m.now()}}
	s := making(t)
	_, o := m.connect(s.URL, writes)
	require.Equal(t, payments.KindOutcomeUnknown, kindOf(t, createContact(t.Context(), o)))
	require.Equal(t, []bool{false, true, false}, writes.asked)
	require.Zero(t, s.posts())
}

// A service that answers from two worlds in turn, as two reference services behind one address do, does not keep a call
// from ending.
func TestTwoWorldsBehindOneAddress(t *testing.T) {
	t.Parallel()
	for name, call := range map[string]func(context.Context, *outbox.Outbox) error{
		"a contact": createContact,
		"a transfer": func(ctx context.Context, o *outbox.Outbox) error {
			_, err := o.CreateAutoTransfer(ctx, batchRow(), payments.Idempotency{})
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := newMachine(t)
			for range 5 {
				received := atomic.Int64{}
				s := serve(t, func(w http.ResponseWriter, r *http.Request, n int) {
					received.Store(int64(n))
					w.Header().Set("Payctl-World", []string{"a", "b"}[n%2])
					if r.Method == http.MethodPost {
						replyJSON(w, http.StatusCreated, transferBody)
						return
					}
					problem(404, payments.KindNotFound)(w)
				})
				_, _ = m.call(s.URL, call)
				require.Positive(t, received.Load())
				require.Less(t, received.Load(), int64(20), "it never ends")
			}
		})
	}
}

// If the credential fails after the write was recorded, the write is not sent. That tells nothing about an earlier
// program that sent it.
func TestNothingIsSentWhenTheCredentialFails(t *testing.T) {
	t.Parallel()
	for name, failure := range map[string]error{
		"of the keyring": errors.New("the keyring is locked"),
		"of the service": &payments.ProblemError{Problem: payments.Problem{Type: string(payments.KindUnreachable)}},
		"interrupted":    context.Canceled,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := newMachine(t)
			s := making(t)
			tokenless := func(config *client.Config) { config.Token = &failing{after: 1, err: failure} }
			entry, err := m.run(s.URL, tokenless)
			require.ErrorIs(t, err, failure)
			require.Equal(t, journal.OutcomeNotSent, entry.Outcome)

			_, err = m.run(losing(t).URL)
			require.Error(t, err)
			entry, err = m.run(s.URL, tokenless)
			require.ErrorIs(t, err, failure)
			require.Equal(t, payments.KindOutcomeUnknown, kindOf(t, err))
			require.Equal(t, journal.OutcomeUnknown, entry.Outcome)
			require.Zero(t, s.posts())
		})
	}
}

// A failing token source returns a token a number of times.
type failing struct {
	after int
	err   error
}

func (f *failing) Token(context.Context) (string, error) {
	if f.after--; f.after < 0 {
		return "", f.err
	}
	return "s3cr3t-token-0001", nil
}

func (f *failing) Renew(context.Context, string) (string, error) { return "", f.err }

// A write that was sent with a token of an unknown client may be another client's: the error says so, and nothing is
// sent.
func TestWriteOfAnUnknownClient(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	_, err := m.run(making(t).URL)
	require.NoError(t, err)
	s := serve(t, func(w http.ResponseWriter, _ *http.Request, _ int) { problem(404, payments.KindNotFound)(w) })
	entry, err := m.run(s.URL)
	require.Equal(t, payments.KindAlreadySent, kindOf(t, err))
	require.ErrorContains(t, err, "another client")
	require.Equal(t, journal.OutcomeDone, entry.Outcome)
	require.Equal(t, []string{http.MethodGet}, s.requests)
}

// batchRow returns the request of a row of a batch.
func batchRow() payments.NewAutoTransfer {
	amount, err := payments.ParseDecimal("12.50")
	if err != nil {
		panic(err)
	}
	return payments.NewAutoTransfer{
		Route: payments.RouteChoice{RouteKey: "a:X->b:Y"}, Reference: "Inv 1", BatchID: "bat_1", Amount: &amount, AmountType: payments.AmountTypeSource,
	}
}

// sendRow creates the transfer of a row of a batch.
func sendRow(ctx context.Context, o *outbox.Outbox) error {
	p, err := o.PrepareAutoTransfer(batchRow(), payments.Idempotency{Key: "k-1"})
	if err != nil {
		return err
	}
	_, err = o.SubmitAutoTransfer(ctx, p)
	return err
}

// A service may give a reference to a transfer that was sent without one.
func TestReferenceGivenByTheService(t *testing.T) {
	t.Parallel()
	s := answering(func(w http.ResponseWriter) {
		replyJSON(w, 201, `{"id":"trf_1","reference":"P-000017","amount":"12.50"}`)
	})(t)
	entry, err := newMachine(t).call(s.URL, func(ctx context.Context, o *outbox.Outbox) error {
		nameless := batchRow()
		nameless.Reference, nameless.ExternalID = "", "mine-1"
		_, err := o.CreateAutoTransfer(ctx, nameless, payments.Idempotency{Key: "k-1"})
		return err
	})
	require.NoError(t, err)
	require.Equal(t, journal.OutcomeDone, entry.Outcome)
	require.Equal(t, "trf_1", entry.Subject)
}

// A response that shows another transfer leaves the outcome in the journal unknown, for a row and for a single transfer.
func TestResponseOfAnotherTransfer(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]journal.Outcome{
		`{"id":"trf_1","reference":"Inv 1","amount":"12.5","batchId":"bat_1"}`: journal.OutcomeDone,
		`{"id":"trf_1","reference":"Inv 2","amount":"12.50"}`:                  journal.OutcomeUnknown,
		`{"id":"trf_1","reference":"INV 1","amount":"12.50"}`:                  journal.OutcomeUnknown,
	} {
		single := func(ctx context.Context, o *outbox.Outbox) error {
			_, err := o.CreateAutoTransfer(ctx, batchRow(), payments.Idempotency{Key: "k-1"})
			return err
		}
		for _, call := range []func(context.Context, *outbox.Outbox) error{sendRow, single} {
			s := answering(func(w http.ResponseWriter) { replyJSON(w, 201, body) })(t)
			entry, err := newMachine(t).call(s.URL, call)
			require.Equal(t, want == journal.OutcomeDone, err == nil, "%v", err)
			require.Equal(t, want, entry.Outcome)
		}
	}
}

// The transfer with a row's reference may be another batch's, or have another amount because another machine continued
// the batch. Such a transfer does not complete a row that was recorded and perhaps never sent.
func TestReferenceOfAnotherTransfer(t *testing.T) {
	t.Parallel()
	for members, done := range map[string]bool{
		`"amount":"12.50","batchId":"bat_1"`: true, `"amount":"12.50","batchId":"bat_2"`: false,
		`"amount":"12.50","batchId":""`: true, `"amount":"12.50","batchId":null`: true,
		`"amount":"12.5","batchId":"bat_1"`: true, `"amount":"10","batchId":"bat_1"`: false,
	} {
		for _, passed := range []time.Duration{time.Minute, 25 * time.Hour} { // while the key counts, and after that
			listed := emptyList
			s := serve(t, func(w http.ResponseWriter, r *http.Request, _ int) {
				if r.Method == http.MethodPost {
					hangUp(w)
					return
				}
				replyJSON(w, 200, listed)
			})
			m := newMachine(t)
			_, err := m.call(s.URL, sendRow)
			require.Equal(t, payments.KindOutcomeUnknown, kindOf(t, err))
			m.pass(passed)
			listed = `{"data":[{"id":"trf_1","reference":"Inv 1","route":"a:X->b:Y","amountType":"source",` +
				members + `}],"nextCursor":null}`
			entry, err := m.call(s.URL, sendRow)
			require.Equal(t, 1, s.posts())
			if done {
				require.NoError(t, err, members)
				require.Equal(t, journal.OutcomeDone, entry.Outcome)
				continue
			}
			require.Equal(t, payments.KindReferenceReused, kindOf(t, err))
			require.ErrorContains(t, err, "trf_1")
			require.Equal(t, journal.OutcomeUnknown, entry.Outcome)
		}
	}
}

// A service below a path names what it created by a path below its own, or by the whole path. Both work when the same
// call is made again.
func TestCreatedLocationBelowABasePath(t *testing.T) {
	t.Parallel()
	for _, location := range []string{"/things/1", "/pay/v1/things/1", "/pay/v1/things/1?full=1"} {
		s := serve(t, func(w http.ResponseWriter, r *http.Request, _ int) {
			if r.Method == http.MethodPost {
				w.Header().Set("Location", location)
				replyJSON(w, http.StatusCreated, `{}`)
				return
			}
			if r.URL.Path != "/pay/v1/things/1" {
				replyJSON(w, http.StatusNotFound, `{}`)
				return
			}
			replyJSON(w, http.StatusOK, `{"id":"1"}`)
		})
		m := newMachine(t)
		for range 2 {
			writes := m.journal()
			c, o := m.connect(s.URL+"/pay/v1/", writes)
			header, body := http.Header{"Idempotency-Key": {"k"}}, []byte(`{}`)
			call, err := c.NewCall(http.MethodPost, "/things", nil, header, body)
			require.NoError(t, err)
			_, err = outbox.Submit(t.Context(), o, outbox.Write[*client.Response]{
				Intent: outbox.NewIntent("POST /things", call.Key(), call.RequestURI(), body),
				Send:   call.Send, Read: call.Get, Identify: client.CreatedLocation,
			})
			require.NoError(t, err, location)
			require.NoError(t, writes.Close())
		}
		require.Equal(t, 1, s.posts())
	}
}
