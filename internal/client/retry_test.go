package client

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/payments"
)

type answerFunc func(http.ResponseWriter)

func status(code int) answerFunc {
	return func(w http.ResponseWriter) { replyProblem(w, code, "internal-error") }
}

func problem(code int, kind payments.ProblemType) answerFunc {
	return func(w http.ResponseWriter) { replyProblem(w, code, kind) }
}

func page(code int) answerFunc {
	return func(w http.ResponseWriter) {
		reply(w, code, "text/html", "<html><title>Bad Gateway</title>")
	}
}

func malformed(w http.ResponseWriter) { replyJSON(w, http.StatusOK, `{"id":`) }
func empty(w http.ResponseWriter)     { w.WriteHeader(http.StatusOK) }
func useless(w http.ResponseWriter)   { replyJSON(w, http.StatusOK, `{}`) }

func notModified(w http.ResponseWriter) { w.WriteHeader(http.StatusNotModified) }

// The table says for every class of call and failure how often it is sent with two retries, and the error.
func TestWhatIsSentAgain(t *testing.T) {
	t.Parallel()
	type calls map[string]func(context.Context, *Client) error
	reads := calls{"get": readCall, "select": selectCall, "token": tokenCall}
	writes := calls{"keyed": keyedCall, "keyless": keylessCall, "delete": deleteCall, "cancel": cancelCall}
	// MaySend allows every attempt
	trusted := calls{"trusted keyed": repeatableCall, "trusted cancel": repeatableCancelCall}

	type trial struct {
		sent int
		kind payments.ProblemType
	}
	once := func(kind payments.ProblemType) trial { return trial{1, kind} }
	thrice := func(kind payments.ProblemType) trial { return trial{3, kind} }
	const unusable, unknown, refused = payments.ProblemUnusable, payments.ProblemOutcomeUnknown, payments.ProblemRefused
	const failed, limited = payments.ProblemInternal, payments.ProblemRateLimited
	const invalid, reused = payments.ProblemValidation, payments.ProblemKeyReuse
	for name, test := range map[string]struct {
		answer               answerFunc
		read, write, trusted trial
	}{
		"cut":             {hangUp, thrice(unusable), once(unknown), thrice(unknown)},
		"broken off":      {breakOff, thrice(unusable), once(unknown), thrice(unknown)},
		"malformed":       {malformed, thrice(unusable), once(unknown), thrice(unknown)},
		"empty":           {empty, thrice(unusable), once(unknown), thrice(unknown)},
		"lacks all":       {useless, thrice(unusable), once(unknown), thrice(unknown)},
		"HTML 200":        {page(200), thrice(unusable), once(unknown), thrice(unknown)},
		"HTML 502":        {page(502), thrice(unusable), once(unknown), thrice(unknown)},
		"HTML 403":        {page(403), once(refused), once(unknown), once(unknown)},
		"HTML 404":        {page(404), once(refused), once(refused), once(refused)},
		"HTML 429":        {page(429), thrice(refused), thrice(refused), thrice(refused)},
		"408":             {status(408), thrice(failed), once(unknown), thrice(unknown)},
		"429":             {problem(429, limited), thrice(limited), thrice(limited), thrice(limited)},
		"500":             {status(500), once(failed), once(unknown), thrice(unknown)},
		"501":             {status(501), once(failed), once(unknown), thrice(unknown)},
		"502":             {status(502), thrice(failed), once(unknown), thrice(unknown)},
		"503":             {status(503), thrice(failed), once(unknown), thrice(unknown)},
		"504":             {status(504), thrice(failed), once(unknown), thrice(unknown)},
		"400":             {problem(400, invalid), once(invalid), once(invalid), once(invalid)},
		"404":             {problem(404, "not-found"), once("not-found"), once("not-found"), once("not-found")},
		"422":             {problem(422, reused), once(reused), once(reused), once(reused)},
		"unasked-for 304": {notModified, once(unusable), once(unknown), thrice(unknown)},
	} {
		for _, class := range []struct {
			calls calls
			trial trial
		}{{reads, test.read}, {writes, test.write}, {trusted, test.trusted}} {
			for call, send := range class.calls {
				if call == "delete" && (name == "empty" || name == "lacks all") {
					continue // the body of its answer is not read
				}
				t.Run(name+"/"+call, func(t *testing.T) {
					t.Parallel()
					s := serve(t, func(w http.ResponseWriter, _ *http.Request, _ int) { test.answer(w) })
					c, w := connect(t, s.URL)
					require.Equal(t, class.trial.kind, kindOf(t, send(t.Context(), c)))
					require.Equal(t, class.trial.sent, s.count())
					require.Len(t, w.Slept(), class.trial.sent-1)
				})
			}
		}
	}
}

func TestAllAreSentAgainWhenNothingWasSent(t *testing.T) {
	t.Parallel()
	for name, call := range map[string]func(context.Context, *Client) error{
		"get": readCall, "select": selectCall, "token": tokenCall, "keyed": keyedCall, "keyless": keylessCall,
		"delete": deleteCall,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, w := connect(t, deadURL)
			err := call(t.Context(), c)
			require.Equal(t, payments.ProblemUnreachable, kindOf(t, err))
			require.Len(t, w.Slept(), 2)
			require.Contains(t, err.Error(), "Nothing was sent")
			local, ok := errors.AsType[*NoLocalServiceError](err)
			require.True(t, ok, "%v", err)
			require.Equal(t, c.base.Host, local.Address)
		})
	}
}

func TestRetriesSucceed(t *testing.T) {
	t.Parallel()
	for name, call := range map[string]func(context.Context, *Client) error{"get": readCall, "trusted": repeatableCall} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, func(w http.ResponseWriter, _ *http.Request, n int) {
				if n < 3 {
					hangUp(w)
					return
				}
				replyJSON(w, http.StatusOK, transferBody)
			})
			c, w := connect(t, s.URL)
			require.NoError(t, call(t.Context(), c))
			// The backoff doubles. The client waits half of it, since Rand is 0.5.
			require.Equal(t, []time.Duration{100 * time.Millisecond, 200 * time.Millisecond}, w.Slept())
			if name == "trusted" {
				for i := range 3 {
					require.Equal(t, "k-1", s.request(i).Header.Get("Idempotency-Key"))
					require.Equal(t, s.bodies[0], s.bodies[i])
				}
			}
		})
	}
}

func TestRetryAfter(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		header string
		delays []time.Duration
	}{
		"seconds":                    {"3", slices.Repeat([]time.Duration{3*time.Second + 100*time.Millisecond}, 9)},
		"a date":                     {"DATE", slices.Repeat([]time.Duration{5*time.Second + 100*time.Millisecond}, 5)},
		"a date in the past":         {"Thu, 01 Jan 1970 00:00:00 GMT", []time.Duration{0, 200 * time.Millisecond}},
		"at once":                    {"0", []time.Duration{0, 200 * time.Millisecond}},
		"nonsense":                   {"soon", []time.Duration{100 * time.Millisecond, 200 * time.Millisecond}},
		"more than what is left":     {"31", nil},
		"more than is ever waited":   {"99999999999999", nil},
		"more than fits the seconds": {"18446744073709551615", nil},
		"more than fits any number":  {"99999999999999999999", nil},
		"as much as is left after 1": {"20", []time.Duration{20*time.Second + 100*time.Millisecond}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, func(w http.ResponseWriter, _ *http.Request, _ int) {
				value := test.header
				if value == "DATE" {
					// The service's clock is an hour fast, as its Date header shows.
					date := time.Date(2026, 1, 2, 4, 4, 5, 0, time.UTC)
					w.Header().Set("Date", date.Format(http.TimeFormat))
					value = date.Add(5 * time.Second).Format(http.TimeFormat)
				}
				w.Header().Set("Retry-After", value)
				replyProblem(w, http.StatusTooManyRequests, payments.ProblemRateLimited)
			})
			c, w := connect(t, s.URL)
			refusal := refusalIn(t, keyedCall(t.Context(), c))
			require.Equal(t, payments.ProblemRateLimited, refusal.ProblemType())
			require.Equal(t, test.delays, w.Slept())
			if test.header == "0" {
				require.Equal(t, payments.AtOnce, payments.RetryAfter(refusal))
			}
			if test.delays == nil {
				require.GreaterOrEqual(t, refusal.RetryAfter, 31*time.Second)
			}
		})
	}
}

func TestRetryAfterNeverOutlastsTheCaller(t *testing.T) {
	t.Parallel()
	s := serve(t, func(w http.ResponseWriter, _ *http.Request, _ int) {
		w.Header().Set("Retry-After", "25")
		replyProblem(w, http.StatusServiceUnavailable, payments.ProblemUnavailable)
	})
	c, w := connect(t, s.URL)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	require.Equal(t, payments.ProblemUnavailable, kindOf(t, readCall(ctx, c)))
	require.Empty(t, w.Slept())
}

// If an attempt may be repeated, the client waits for a key in use longer than its retries allow.
func TestKeyInUseIsWaitedOut(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		call    func(context.Context, *Client) error
		retries int
		waits   bool
	}{
		"trusted":     {repeatableCall, 2, true},
		"not trusted": {keyedCall, 2, false},
		"no retries":  {repeatableCall, 0, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, func(w http.ResponseWriter, _ *http.Request, n int) {
				if n <= 6 {
					w.Header().Set("Retry-After", "1")
					replyProblem(w, http.StatusConflict, payments.ProblemKeyInUse)
					return
				}
				replyJSON(w, http.StatusCreated, transferBody)
			})
			c, w := connect(t, s.URL, func(config *Config) { config.Retries = test.retries })
			err := test.call(t.Context(), c)
			if test.waits {
				require.NoError(t, err)
				require.Len(t, w.Slept(), 6)
				return
			}
			require.Equal(t, payments.ProblemOutcomeUnknown, kindOf(t, err))
			require.Equal(t, 1, s.count())
		})
	}
}

// A first attempt whose response was lost stays unknown until a response resolves it. So does one whose key is in use:
// it is under way.
func TestLostAttemptStaysUnknown(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		second answerFunc
		kind   payments.ProblemType
	}{
		"rate limited":       {problem(429, payments.ProblemRateLimited), payments.ProblemOutcomeUnknown},
		"token refused":      {problem(401, payments.ProblemUnauthenticated), payments.ProblemOutcomeUnknown},
		"scope refused":      {problem(403, payments.ProblemInsufficientScope), payments.ProblemOutcomeUnknown},
		"refused by a proxy": {page(404), payments.ProblemOutcomeUnknown},
		"key in use":         {problem(409, payments.ProblemKeyInUse), payments.ProblemOutcomeUnknown},
		"unknown conflict":   {problem(409, "request-in-progress"), payments.ProblemOutcomeUnknown},
		"lost again":         {hangUp, payments.ProblemOutcomeUnknown},
		"validation":         {problem(400, payments.ProblemValidation), payments.ProblemValidation},
		"KYC required":       {problem(403, payments.ProblemKYCRequired), payments.ProblemKYCRequired},
		"limit exceeded":     {problem(409, payments.ProblemLimitExceeded), payments.ProblemLimitExceeded},
		"another's key":      {problem(422, payments.ProblemKeyReuse), payments.ProblemKeyReuse},
	}
	for first, lose := range map[string]answerFunc{"lost": hangUp, "in use": problem(409, payments.ProblemKeyInUse)} {
		for name, test := range tests {
			t.Run(first+" "+name, func(t *testing.T) {
				t.Parallel()
				s := serve(t, func(w http.ResponseWriter, _ *http.Request, n int) {
					if n == 1 {
						lose(w)
						return
					}
					test.second(w)
				})
				c, _ := connect(t, s.URL, func(config *Config) { config.Timeout = time.Second })
				require.Equal(t, test.kind, kindOf(t, repeatableCall(t.Context(), c)))
				require.GreaterOrEqual(t, s.count(), 2)
			})
		}
	}
}

func TestOutcomeUnknownWrapsTheProblem(t *testing.T) {
	t.Parallel()
	s := serve(t, func(w http.ResponseWriter, _ *http.Request, _ int) { problem(503, payments.ProblemUnavailable)(w) })
	c, _ := connect(t, s.URL)
	err := keyedCall(t.Context(), c)
	var failure *payments.ProblemError
	require.ErrorAs(t, err, &failure)
	require.Equal(t, payments.ProblemOutcomeUnknown, failure.ProblemType())
	require.Equal(t, 503, failure.Status)
	require.Equal(t, "req_1", failure.RequestID)
	require.Equal(t, "/transfers/auto/v1", failure.Instance)
	require.Nil(t, failure.Document)
	require.Contains(t, failure.Detail, "Look for what became of it")
	require.Contains(t, failure.Detail, "k-1")
	require.Equal(t, payments.ProblemUnavailable, kindOf(t, failure.Cause))
	require.NotNil(t, refusalIn(t, failure.Cause).Document)
}

// A call ends with its context. The outcome of a write is then unknown if it may have had an effect.
func TestCancelledByTheCaller(t *testing.T) {
	t.Parallel()
	var hang answerFunc
	for name, test := range map[string]struct {
		call      func(context.Context, *Client) error
		answer    answerFunc // the caller ends the call in the wait after it; nil means before any answer
		isUnknown bool
	}{
		"read":                                 {readCall, hang, false},
		"write":                                {keyedCall, hang, true},
		"write while waiting to send it again": {repeatableCall, hangUp, true},
		"rate-limited write while waiting":     {keyedCall, status(429), false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancelCause(t.Context())
			s := serve(t, func(w http.ResponseWriter, r *http.Request, _ int) {
				if test.answer != nil {
					test.answer(w)
					return
				}
				cancel(errInterrupt)
				<-r.Context().Done()
			})
			c, _ := connect(t, s.URL)
			c.config.Sleep = func(ctx context.Context, _ time.Duration) error { cancel(errInterrupt); return ctx.Err() }
			err := test.call(ctx, c)
			require.ErrorIs(t, err, context.Canceled)
			require.ErrorIs(t, err, errInterrupt)
			require.Equal(t, 1, s.count())
			if test.isUnknown {
				require.Equal(t, payments.ProblemOutcomeUnknown, kindOf(t, err))
				return
			}
			var refusal *payments.ProblemError
			require.NotErrorAs(t, err, &refusal)
		})
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	c, _ := connect(t, deadURL)
	err := keyedCall(ctx, c)
	require.ErrorIs(t, err, context.Canceled)
	var refusal *payments.ProblemError
	require.NotErrorAs(t, err, &refusal, "it was not sent")
}

var errInterrupt = errors.New("interrupt")

// A caller that handles rate limits itself gets the error at once, unless an earlier attempt left the outcome unknown.
func TestWithoutRateLimitRetry(t *testing.T) {
	t.Parallel()
	ctx := payments.WithoutRateLimitRetry(t.Context())
	s := serve(t, func(w http.ResponseWriter, _ *http.Request, _ int) { problem(429, "rate-limited")(w) })
	c, _ := connect(t, s.URL)
	require.Equal(t, payments.ProblemRateLimited, kindOf(t, keyedCall(ctx, c)))
	require.Equal(t, 1, s.count())

	lost := serve(t, func(w http.ResponseWriter, _ *http.Request, n int) {
		if n == 1 {
			hangUp(w)
			return
		}
		problem(429, "rate-limited")(w)
	})
	c, _ = connect(t, lost.URL)
	require.Equal(t, payments.ProblemOutcomeUnknown, kindOf(t, repeatableCall(ctx, c)))
	require.Equal(t, 3, lost.count())
}

// Each request waits for its turn, including repeated ones and streams. The wait before the first one does not count
// towards the call's timeout.
func TestPace(t *testing.T) {
	t.Parallel()
	s := serve(t, func(w http.ResponseWriter, _ *http.Request, n int) {
		if n < 3 {
			replyProblem(w, http.StatusServiceUnavailable, payments.ProblemUnavailable)
			return
		}
		replyJSON(w, http.StatusOK, infoBody)
	})
	var turns []bool // whether the call's timeout covered the wait
	c, _ := connect(t, s.URL, func(config *Config) {
		config.Retries = 2
		config.Pace = func(ctx context.Context) error {
			_, within := ctx.Deadline()
			turns = append(turns, within)
			return nil
		}
	})
	_, err := c.SelectRoutes(t.Context(), payments.RouteSelection{})
	require.NoError(t, err)
	require.Equal(t, []bool{false, true, true}, turns)
	require.Equal(t, 3, s.count())
	_ = c.StreamEvents(t.Context(), payments.EventFilter{}, func(payments.EventMessage) error { return nil })
	require.Equal(t, []bool{false, true, true, false}, turns)
	require.Equal(t, 4, s.count())
}
