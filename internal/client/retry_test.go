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

// For every class of call and way to fail: how often it is sent with two retries, and what the error is.
func TestWhatIsSentAgain(t *testing.T) {
	t.Parallel()
	type calls map[string]func(context.Context, *Client) error
	reads := calls{"get": readCall, "select": selectCall, "token": tokenCall}
	writes := calls{"keyed": keyedCall, "keyless": keylessCall, "delete": deleteCall, "cancel": cancelCall}
	trusted := calls{"trusted keyed": repeatableCall, "trusted cancel": repeatableCancelCall} // MaySend allows every attempt

	type trial struct {
		sent int
		kind payments.ProblemType
	}
	once := func(kind payments.ProblemType) trial { return trial{1, kind} }
	thrice := func(kind payments.ProblemType) trial { return trial{3, kind} }
	const unusable, unknown, refused = payments.ProblemUnusable, payments.ProblemOutcomeUnknown, payments.ProblemRefused
	const failed, limited = payments.ProblemInternal, payments.ProblemRateLimited
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
		"400":             {problem(400, "validation-error"), once("validation-error"), once("validation-error"), once("validation-error")},
		"404":             {problem(404, "not-found"), once("not-found"), once("not-found"), once("not-found")},
		"422":             {problem(422, payments.ProblemKeyReuse), once(payments.ProblemKeyReuse), once(payments.ProblemKeyReuse), once(payments.ProblemKeyReuse)},
		"unasked-for 304": {func(w http.ResponseWriter) { w.WriteHeader(304) }, once(unusable), once(unknown), thrice(unknown)},
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
		"get": readCall, "select": selectCall, "token": tokenCall, "keyed": keyedCall, "keyless": keylessCall, "delete": deleteCall,
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
			// Half of the backoff, which doubles: Rand is 0.5.
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
					// The service's clock is an hour fast; its own Date says so.
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

func TestKeyInUseIsWaitedOut(t *testing.T) {
	t.Parallel()
	inUse := func(w http.ResponseWriter, _ *http.Request, n int) {
		if n <= 6 {
			w.Header().Set("Retry-After", "1")
			replyProblem(w, http.StatusConflict, payments.ProblemKeyInUse)
			return
		}
		replyJSON(w, http.StatusCreated, transferBody)
	}
	t.Run("trusted: longer than there are retries", func(t *testing.T) {
		t.Parallel()
		s := serve(t, inUse)
		c, w := connect(t, s.URL)
		require.NoError(t, repeatableCall(t.Context(), c))
		require.Len(t, w.Slept(), 6)
	})
	t.Run("not trusted: not at all", func(t *testing.T) {
		t.Parallel()
		s := serve(t, inUse)
		c, _ := connect(t, s.URL)
		require.Equal(t, payments.ProblemOutcomeUnknown, kindOf(t, keyedCall(t.Context(), c)))
		require.Equal(t, 1, s.count())
	})
	t.Run("no retries: not at all", func(t *testing.T) {
		t.Parallel()
		s := serve(t, inUse)
		c, _ := connect(t, s.URL, func(config *Config) { config.Retries = 0 })
		require.Equal(t, payments.ProblemOutcomeUnknown, kindOf(t, repeatableCall(t.Context(), c)))
		require.Equal(t, 1, s.count())
	})
}

// A first attempt whose response was lost stays unknown until a response resolves it.
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
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, func(w http.ResponseWriter, _ *http.Request, n int) {
				if n == 1 {
					hangUp(w)
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

func TestDeadline(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		call func(context.Context, *Client) error
		kind payments.ProblemType
	}{
		"read": {readCall, payments.ProblemTimeout}, "token": {tokenCall, payments.ProblemTimeout},
		"write": {keyedCall, payments.ProblemOutcomeUnknown}, "delete": {deleteCall, payments.ProblemOutcomeUnknown},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, func(_ http.ResponseWriter, r *http.Request, _ int) { <-r.Context().Done() })
			c, _ := connect(t, s.URL, func(config *Config) { config.Timeout = time.Second })
			err := test.call(t.Context(), c)
			require.Equal(t, test.kind, kindOf(t, err))
			require.ErrorIs(t, err, context.DeadlineExceeded)
			require.Equal(t, 1, s.count())
		})
	}
}

func TestCancelledByTheCaller(t *testing.T) {
	t.Parallel()
	arrived := func(t *testing.T, call func(context.Context, *Client) error) error {
		ctx, cancel := context.WithCancelCause(t.Context())
		s := serve(t, func(_ http.ResponseWriter, r *http.Request, _ int) {
			cancel(errInterrupt)
			<-r.Context().Done()
		})
		c, _ := connect(t, s.URL)
		return call(ctx, c)
	}
	t.Run("read", func(t *testing.T) {
		t.Parallel()
		err := arrived(t, readCall)
		require.ErrorIs(t, err, context.Canceled)
		require.ErrorIs(t, err, errInterrupt)
		var refusal *payments.ProblemError
		require.NotErrorAs(t, err, &refusal)
	})
	t.Run("write that was sent", func(t *testing.T) {
		t.Parallel()
		err := arrived(t, keyedCall)
		require.ErrorIs(t, err, context.Canceled)
		require.Equal(t, payments.ProblemOutcomeUnknown, kindOf(t, err))
		require.Contains(t, refusalIn(t, err).Detail, " was sent, but: it was interrupted before there was an answer. Its ")
	})
	t.Run("write before it is sent", func(t *testing.T) {
		t.Parallel()
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		c, _ := connect(t, deadURL)
		err := keyedCall(ctx, c)
		require.ErrorIs(t, err, context.Canceled)
		var refusal *payments.ProblemError
		require.NotErrorAs(t, err, &refusal)
	})
	t.Run("write while waiting to send it again", func(t *testing.T) {
		t.Parallel()
		ctx, cancel := context.WithCancel(t.Context())
		s := serve(t, func(w http.ResponseWriter, _ *http.Request, _ int) { hangUp(w) })
		c, _ := connect(t, s.URL)
		c.config.Sleep = func(ctx context.Context, _ time.Duration) error { cancel(); return ctx.Err() }
		err := repeatableCall(ctx, c)
		require.ErrorIs(t, err, context.Canceled)
		require.Equal(t, payments.ProblemOutcomeUnknown, kindOf(t, err))
		require.Equal(t, 1, s.count())
	})
	t.Run("rate-limited write while waiting", func(t *testing.T) {
		t.Parallel()
		ctx, cancel := context.WithCancel(t.Context())
		s := serve(t, func(w http.ResponseWriter, _ *http.Request, _ int) { status(429)(w) })
		c, _ := connect(t, s.URL)
		c.config.Sleep = func(ctx context.Context, _ time.Duration) error { cancel(); return ctx.Err() }
		err := keyedCall(ctx, c)
		require.ErrorIs(t, err, context.Canceled)
		var refusal *payments.ProblemError
		require.NotErrorAs(t, err, &refusal)
	})
}

var errInterrupt = errors.New("interrupt")

// A caller that handles rate limits itself gets the error at once, unless an earlier attempt left the outcome unknown.
func TestWithoutRateLimitRetry(t *testing.T) {
	t.Parallel()
	s := serve(t, func(w http.ResponseWriter, _ *http.Request, _ int) { problem(429, "rate-limited")(w) })
	c, _ := connect(t, s.URL)
	require.Equal(t, payments.ProblemType("rate-limited"), kindOf(t, keyedCall(payments.WithoutRateLimitRetry(t.Context()), c)))
	require.Equal(t, 1, s.count())

	lost := serve(t, func(w http.ResponseWriter, _ *http.Request, n int) {
		if n == 1 {
			hangUp(w)
			return
		}
		problem(429, "rate-limited")(w)
	})
	c, _ = connect(t, lost.URL)
	require.Equal(t, payments.ProblemOutcomeUnknown, kindOf(t, repeatableCall(payments.WithoutRateLimitRetry(t.Context()), c)))
	require.Equal(t, 3, lost.count())
}
