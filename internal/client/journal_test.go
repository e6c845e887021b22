package client

import (
	"context"
	"errors"
	"net/http"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/journal"
	"github.com/payctl/payctl/internal/payments"
)

// A machine is one on which programs run one after another, over one journal and one clock.
type machine struct {
	t     *testing.T
	path  string
	clock *waiter
}

func newMachine(t *testing.T) *machine {
	return &machine{t, filepath.Join(t.TempDir(), "journal.db"), newWaiter()}
}

// run makes a keyed call as a program of its own at a service, and returns its error and what the journal says then.
func (m *machine) run(base string, change ...func(*Config)) (payments.JournalEntry, error) {
	m.t.Helper()
	return m.call(base, keyedCall, change...)
}

func (m *machine) call(base string, call func(context.Context, *Client) error, change ...func(*Config)) (payments.JournalEntry, error) {
	m.t.Helper()
	writes, err := journal.Open(m.t.Context(), m.path, m.clock.Now)
	require.NoError(m.t, err)
	c, _ := connect(m.t, base, append([]func(*Config){honoured, func(config *Config) {
		config.Journal, config.Now, config.Sleep, config.Retries = anywhere{writes}, m.clock.Now, m.clock.Sleep, 0
	}}, change...)...)
	failure := call(m.t.Context(), c)
	require.NoError(m.t, writes.Close())
	return m.only(), failure
}

// only is the one entry of the journal.
func (m *machine) only() (entry payments.JournalEntry) {
	m.t.Helper()
	writes, err := journal.Open(m.t.Context(), m.path, m.clock.Now)
	require.NoError(m.t, err)
	require.NoError(m.t, writes.Each(m.t.Context(), journal.Filter{}, func(e payments.JournalEntry) error { entry = e; return nil }))
	require.NoError(m.t, writes.Close())
	return entry
}

// pass lets time go by; a clock that is set back goes into the past.
func (m *machine) pass(d time.Duration) { m.clock.now = m.clock.now.Add(d) }

// anywhere takes all services for one, as a journal takes the services at one URL.
type anywhere struct{ *journal.Journal }

func (a anywhere) Begin(ctx context.Context, intent payments.Intent, again bool) (payments.JournalEntry, bool, error) {
	intent.Service = "https://api.example.com"
	return a.Journal.Begin(ctx, intent, again)
}

func (a anywhere) End(intent payments.Intent, result payments.Result) error {
	intent.Service = "https://api.example.com"
	return a.Journal.End(intent, result)
}

func (a anywhere) Claimed(ctx context.Context, intent payments.Intent, subject string) (bool, error) {
	intent.Service = "https://api.example.com"
	return a.Journal.Claimed(ctx, intent, subject)
}

// A service that loses what it is sent, and one that makes transfers.
func losing(t *testing.T) *service {
	return serve(t, func(w http.ResponseWriter, _ *http.Request, _ int) { hangUp(w) })
}

func making(t *testing.T) *service {
	return serve(t, func(w http.ResponseWriter, r *http.Request, _ int) {
		if r.Method == http.MethodPost {
			replyJSON(w, http.StatusCreated, transferBody)
			return
		}
		replyJSON(w, http.StatusOK, `{"data":[],"nextCursor":null}`)
	})
}

// What an earlier program left unknown stays so until an answer tells of it: that a later one sent nothing, or was
// refused before the key was looked up, says nothing of the earlier one.
func TestWhatAnEarlierProgramLostStaysUnknown(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		second func(t *testing.T) string
		open   bool
	}{
		"unreachable":   {deadURL, true},
		"token refused": {always(problem(401, payments.KindUnauthenticated)), true},
		"scope refused": {always(problem(403, payments.KindInsufficientScope)), true},
		"rate limited":  {always(problem(429, payments.KindRateLimited)), true},
		"HTML 404":      {always(page(404)), true},
		"moved":         {always(moved), true},
		"key in use":    {always(problem(409, payments.KindKeyInUse)), true},
		"validation":    {always(problem(400, payments.KindValidation)), false},
		"done":          {func(t *testing.T) string { return making(t).URL }, false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := newMachine(t)
			entry, err := m.run(losing(t).URL)
			require.Equal(t, payments.KindOutcomeUnknown, kindOf(t, err))
			require.Equal(t, payments.OutcomeUnknown, entry.Outcome)
			entry, err = m.run(test.second(t))
			require.Equal(t, !test.open, entry.Outcome.Settled(), entry.Outcome)
			if !test.open {
				return
			}
			require.Equal(t, payments.KindOutcomeUnknown, kindOf(t, err))

			// A day later the key is gone, so that nothing may be sent.
			m.pass(25 * time.Hour)
			s := making(t)
			_, err = m.run(s.URL)
			require.Equal(t, payments.KindOutcomeUnknown, kindOf(t, err))
			for n := range s.count() {
				require.NotEqual(t, http.MethodPost, s.request(n).Method, "it was sent a second time")
			}
		})
	}
}

func moved(w http.ResponseWriter) {
	w.Header().Set("Location", "/elsewhere")
	w.WriteHeader(http.StatusPermanentRedirect)
}

// always is a service with one answer.
func always(answer answerFunc) func(t *testing.T) string {
	return func(t *testing.T) string {
		return serve(t, func(w http.ResponseWriter, _ *http.Request, _ int) { answer(w) }).URL
	}
}

// While a key is in use, somebody's request with it is under way: what becomes of it is not known.
func TestAKeyThatStaysInUseIsUnknown(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	entry, err := m.run(always(problem(409, payments.KindKeyInUse))(t))
	require.Equal(t, payments.KindOutcomeUnknown, kindOf(t, err))
	require.Equal(t, payments.OutcomeUnknown, entry.Outcome)
}

// A key is relied on by the clock, but not by one that says that it was sent in the future: nobody knows how long ago
// that is.
func TestKeyLifeByTheClock(t *testing.T) {
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
			require.Equal(t, test.sent, s.count(), "the transfer has neither reference nor external id, so that nothing can be looked up")
			if test.sent == 0 {
				require.Equal(t, payments.KindOutcomeUnknown, kindOf(t, err))
			} else {
				require.NoError(t, err)
			}
		})
	}
}

// The life of a key begins when something is sent with it: not when that was refused, or never left.
func TestKeyLifeBeginsWithTheFirstEffectThatThereMayBe(t *testing.T) {
	t.Parallel()
	for name, first := range map[string]func(*testing.T) string{
		"refused": always(problem(400, payments.KindValidation)), "never left": deadURL,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := newMachine(t)
			_, err := m.run(first(t))
			require.Error(t, err)
			m.pass(25 * time.Hour)
			_, err = m.run(losing(t).URL)
			require.Equal(t, payments.KindOutcomeUnknown, kindOf(t, err))
			m.pass(time.Hour)
			s := making(t)
			_, err = m.run(s.URL)
			require.NoError(t, err)
			require.Equal(t, 1, s.count())
		})
	}
}

// Which answers without a problem document say that nothing was done.
func TestAnswersOfWhatStandsBeforeAService(t *testing.T) {
	t.Parallel()
	json403 := func(w http.ResponseWriter) { replyJSON(w, http.StatusForbidden, `{"message":"Forbidden"}`) }
	for name, test := range map[string]struct {
		answer answerFunc
		want   payments.Outcome
	}{
		"400": {page(400), payments.OutcomeRefused}, "401": {page(401), payments.OutcomeRefused},
		"404": {page(404), payments.OutcomeRefused}, "405": {page(405), payments.OutcomeRefused},
		"407": {page(407), payments.OutcomeRefused}, "411": {page(411), payments.OutcomeRefused},
		"413": {page(413), payments.OutcomeRefused}, "414": {page(414), payments.OutcomeRefused},
		"415": {page(415), payments.OutcomeRefused}, "421": {page(421), payments.OutcomeRefused},
		"425": {page(425), payments.OutcomeRefused}, "429": {page(429), payments.OutcomeRefused},
		"431": {page(431), payments.OutcomeRefused}, "451": {page(451), payments.OutcomeRefused},
		// Filters that look at answers refuse so what was done.
		"403": {page(403), payments.OutcomeUnknown}, "403 JSON": {json403, payments.OutcomeRefused},
		"403 of the service": {problem(403, payments.KindInsufficientScope), payments.OutcomeRefused},
		// Whoever gave up waiting may have waited for the service.
		"408": {page(408), payments.OutcomeUnknown}, "460": {page(460), payments.OutcomeUnknown}, "499": {page(499), payments.OutcomeUnknown},
		"500": {page(500), payments.OutcomeUnknown}, "502": {page(502), payments.OutcomeUnknown},
		"503": {page(503), payments.OutcomeUnknown}, "504": {page(504), payments.OutcomeUnknown},
		"511": {page(511), payments.OutcomeUnknown}, "200": {page(200), payments.OutcomeUnknown},
		"204": {func(w http.ResponseWriter) { w.WriteHeader(204) }, payments.OutcomeUnknown},
		"308": {moved, payments.OutcomeRefused},
		"303": {func(w http.ResponseWriter) { w.Header().Set("Location", "/x"); w.WriteHeader(303) }, payments.OutcomeUnknown},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			entry, err := newMachine(t).run(always(test.answer)(t))
			require.Error(t, err)
			require.Equal(t, test.want, entry.Outcome)
			require.Equal(t, test.want == payments.OutcomeUnknown, kindOf(t, err) == payments.KindOutcomeUnknown)
		})
	}
}

// Where a service is only presumed to honour keys it is asked, and an ask without an answer is no yes.
func TestAPresumptionThatCannotBeCheckedIsNoTrust(t *testing.T) {
	t.Parallel()
	presumed := func(config *Config) { config.KeysPresumed, config.Retries = true, 2 }
	const tokens = "/identity/auth/tokens/current/v1"
	for name, test := range map[string]struct {
		ask  answerFunc
		sent int
	}{
		"no answer":                      {hangUp, 1},
		"a reference service that fails": {func(w http.ResponseWriter) { w.Header().Set("Server", "payctl/1"); status(503)(w) }, 1},
		"a reference service without a world": {func(w http.ResponseWriter) {
			w.Header().Set("Server", "payctl/1")
			replyJSON(w, 200, `{"expiresAt":"2026-01-02T03:04:05Z"}`)
		}, 1},
		"a reference service with a world":       {func(w http.ResponseWriter) { w.Header().Set("Payctl-World", "w"); status(503)(w) }, 3},
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
			c, _ := connect(t, s.URL, honoured, presumed)
			require.Equal(t, payments.KindOutcomeUnknown, kindOf(t, keyedCall(t.Context(), c)))
			require.EqualValues(t, test.sent, posts.Load())
		})
	}
}

// Another program that is stopped in the middle of the same write is not waited for without an end.
func TestWaitingForAnotherProgramHasAnEnd(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	other, err := journal.Open(t.Context(), m.path, m.clock.Now)
	require.NoError(t, err)
	defer other.Close()
	s := serve(t, func(w http.ResponseWriter, _ *http.Request, _ int) {
		// The second program begins while the first waits for its answer.
		c, _ := connect(t, deadURL(t), honoured, func(config *Config) {
			config.Journal, config.Now, config.Sleep = anywhere{other}, m.clock.Now, m.clock.Sleep
		})
		require.Equal(t, payments.KindBeingSent, kindOf(t, keyedCall(t.Context(), c)))
		replyJSON(w, http.StatusCreated, transferBody)
	})
	entry, err := m.run(s.URL)
	require.NoError(t, err)
	require.Equal(t, payments.OutcomeDone, entry.Outcome)
}

// An external id may stand for more than one payment. What another write is known to have made is not what became of a lost one.
func TestWhatIsFoundByAnExternalIDMayBeAnothers(t *testing.T) {
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
	pay := func(key string) func(context.Context, *Client) error {
		return func(ctx context.Context, c *Client) error {
			_, err := c.CreateAutoTransfer(ctx, payments.NewAutoTransfer{ExternalID: "customer-7"}, payments.Idempotency{Key: key})
			return err
		}
	}
	_, err := m.call(s.URL, pay("october"))
	require.NoError(t, err)
	lost = true
	for range 2 {
		entry, err := m.call(s.URL, pay("november"))
		require.Equal(t, payments.KindOutcomeUnknown, kindOf(t, err))
		require.Equal(t, payments.OutcomeUnknown, entry.Outcome)
		m.pass(25 * time.Hour)
	}
}

// overtaken is a journal in which another program takes an open write over, with another content, just before this one does.
type overtaken struct {
	asked []bool // what was asked for: to take over
	found payments.JournalEntry
}

func (o *overtaken) Begin(_ context.Context, intent payments.Intent, again bool) (payments.JournalEntry, bool, error) {
	o.asked = append(o.asked, again)
	switch o.found.Intent, o.found.Outcome, o.found.Busy = intent, payments.OutcomeUnknown, false; len(o.asked) {
	case 1:
	case 2:
		o.found.Outcome, o.found.Busy = payments.OutcomeSending, true
	case 3:
		o.found.BodyHash = "of another content"
	}
	return o.found, again && len(o.asked) > 2, nil
}

func (*overtaken) End(payments.Intent, payments.Result) error { return nil }

func (*overtaken) Claimed(context.Context, payments.Intent, string) (bool, error) { return false, nil }

// That a write may be sent again is decided of what the journal says, and not of what it says after somebody else sent it.
func TestWhatAnotherProgramSentMeanwhileIsJudgedAnew(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	o := &overtaken{found: payments.JournalEntry{Began: m.clock.Now(), Changed: m.clock.Now()}}
	s := making(t)
	c, _ := connect(t, s.URL, honoured, func(config *Config) {
		config.Journal, config.Now, config.Sleep = o, m.clock.Now, m.clock.Sleep
	})
	require.Equal(t, payments.KindOutcomeUnknown, kindOf(t, keyedCall(t.Context(), c)))
	require.Equal(t, []bool{false, true, false}, o.asked)
}

// A service that answers from two worlds in turn, as two reference services behind one address do, ends every call.
func TestTwoWorldsBehindOneAddress(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	for range 5 {
		s := serve(t, func(w http.ResponseWriter, r *http.Request, n int) {
			require.Less(t, n, 20, "it never ends")
			w.Header().Set("Payctl-World", []string{"a", "b"}[n%2])
			if r.Method == http.MethodPost {
				replyJSON(w, http.StatusCreated, transferBody)
				return
			}
			replyProblem(w, http.StatusNotFound, payments.KindNotFound)
		})
		_, _ = m.run(s.URL)
		require.Positive(t, s.count())
	}
}

// A credential that cannot be had after the write was put down keeps it from leaving, and says nothing of an earlier
// program that sent it.
func TestWithoutACredentialNothingLeaves(t *testing.T) {
	t.Parallel()
	for name, failure := range map[string]error{
		"of the keyring": errors.New("the keyring is locked"),
		"of the service": &payments.Refusal{Problem: payments.Problem{Type: string(payments.KindUnreachable)}},
		"interrupted":    context.Canceled,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := newMachine(t)
			s := making(t)
			tokenless := func(config *Config) { config.Token = &failing{after: 1, err: failure} }
			entry, err := m.run(s.URL, tokenless)
			require.ErrorIs(t, err, failure)
			require.Equal(t, payments.OutcomeNotSent, entry.Outcome)

			_, err = m.run(losing(t).URL)
			require.Error(t, err)
			entry, err = m.run(s.URL, tokenless)
			require.ErrorIs(t, err, failure)
			require.Equal(t, payments.KindOutcomeUnknown, kindOf(t, err))
			require.Equal(t, payments.OutcomeUnknown, entry.Outcome)
			require.Zero(t, s.count())
		})
	}
}

// A failing token source gives a token so many times.
type failing struct {
	after int
	err   error
}

func (f *failing) Token(context.Context) (string, error) {
	if f.after--; f.after < 0 {
		return "", f.err
	}
	return testToken, nil
}

func (f *failing) Renew(context.Context, string) (string, error) { return "", f.err }

// What was done with a token whose client is not known may be another client's: that is told, and nothing is sent.
func TestWhatAnotherClientMayHaveDone(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	_, err := m.run(making(t).URL)
	require.NoError(t, err)
	s := serve(t, func(w http.ResponseWriter, _ *http.Request, _ int) { replyProblem(w, 404, payments.KindNotFound) })
	entry, err := m.run(s.URL)
	require.Equal(t, payments.KindAlreadySent, kindOf(t, err))
	require.ErrorContains(t, err, "another client")
	require.Equal(t, payments.OutcomeDone, entry.Outcome)
	require.Equal(t, 1, s.count())
	require.Equal(t, http.MethodGet, s.request(0).Method)
}
