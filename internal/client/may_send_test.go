package client

import (
	"context"
	"errors"
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/contract/servicemap"
	"github.com/payctl/payctl/internal/effect"
	"github.com/payctl/payctl/internal/payments"
)

var errExpired = errors.New("what is known has expired")

// A permission is a MaySend that records its arguments, and forbids an attempt if forbid returns true.
type permission struct {
	forbid func(lost error) bool
	lost   []error // the argument of each call
}

func (p *permission) key() testKey {
	return testKey{Key: "k-1", MaySend: func(_ context.Context, lost error) error {
		p.lost = append(p.lost, lost)
		if p.forbid != nil && p.forbid(lost) {
			return errExpired
		}
		return nil
	}}
}

// askingCalls are writes with a body and without one.
var askingCalls = map[string]func(context.Context, *Client, testKey) error{
	"with a body": func(ctx context.Context, c *Client, key testKey) error {
		_, err := c.CreateAutoTransfer(ctx, newTransfer, key)
		return err
	},
	"without a body": func(ctx context.Context, c *Client, key testKey) error {
		_, err := c.CancelTransfer(ctx, "trf_1", key)
		return err
	},
}

// MaySend is asked again when there is a connection, since dialing may take too long. If it forbids the write, nothing
// reaches the service, and the write counts as not sent. It is asked on a reused connection too.
func TestAWriteThatExpiresWhileItConnectsIsNotSent(t *testing.T) {
	t.Parallel()
	for name, call := range askingCalls {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, func(w http.ResponseWriter, _ *http.Request, _ int) { replyJSON(w, 201, transferBody) })
			c, w := connect(t, s.URL)
			dial, expired := c.transport.DialContext, false
			c.transport.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
				connection, err := dial(ctx, network, address)
				expired = true // the machine slept
				return connection, err
			}
			p := permission{forbid: func(error) bool { return expired }}
			err := call(t.Context(), c, p.key())
			require.ErrorIs(t, err, errExpired)
			var notSent *notSentError
			require.ErrorAs(t, err, &notSent)
			require.Equal(t, []error{nil, nil}, p.lost)
			require.Zero(t, s.count())
			require.Empty(t, w.Slept(), "it is not tried again")

			expired = false
			require.NoError(t, call(t.Context(), c, testKey{Key: "k-1"}), "the client still works")
			p = permission{}
			p.forbid = func(error) bool { return len(p.lost) > 1 }
			require.ErrorIs(t, call(t.Context(), c, p.key()), errExpired)
			require.Equal(t, 1, s.count())
		})
	}
}

// MaySend is asked before each attempt, with the error of the first attempt whose response was lost.
func TestMaySendIsAskedBeforeEachAttempt(t *testing.T) {
	t.Parallel()
	for name, call := range askingCalls {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			answers := []answerFunc{
				problem(429, payments.ProblemRateLimited), hangUp, status(503), problem(429, payments.ProblemRateLimited),
			}
			s := serve(t, func(w http.ResponseWriter, _ *http.Request, n int) {
				if n > len(answers) {
					replyJSON(w, 201, transferBody)
					return
				}
				answers[n-1](w)
			})
			c, _ := connect(t, s.URL, func(config *Config) { config.Retries = len(answers) })
			var p permission
			require.NoError(t, call(t.Context(), c, p.key()))
			require.Equal(t, len(answers)+1, s.count())
			require.NoError(t, p.lost[0])
			var first error // of the connection that was closed
			for _, lost := range p.lost {
				if lost == nil {
					require.NoError(t, first, "a lost attempt stays lost")
					continue
				}
				if first == nil {
					first = lost
				}
				require.Same(t, first, lost)
			}
			require.Equal(t, payments.ProblemUnusable, kindOf(t, first))
			require.ErrorContains(t, first, "no complete answer")
		})
	}
}

// If an attempt was lost and the next one is forbidden, the outcome is unknown, and the error says why it was not sent
// again. The machine may have slept during the pause between them. A write that was refused for its rate was not sent.
func TestAForbiddenRepetition(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		answer     answerFunc
		isUnknown  bool
		afterPause bool // it expires during the pause; otherwise at once
	}{
		"hung up":                     {hangUp, true, false},
		"hung up, later":              {hangUp, true, true},
		"503":                         {status(503), true, false},
		"key in use":                  {problem(409, payments.ProblemKeyInUse), true, false},
		"key in use, later":           {problem(409, payments.ProblemKeyInUse), true, true},
		"refused for its rate, later": {problem(429, payments.ProblemRateLimited), false, true},
	} {
		for body, call := range askingCalls {
			t.Run(name+" "+body, func(t *testing.T) {
				t.Parallel()
				s := serve(t, func(w http.ResponseWriter, _ *http.Request, _ int) { test.answer(w) })
				c, _ := connect(t, s.URL)
				paused := false
				c.config.Sleep = func(context.Context, time.Duration) error { paused = true; return nil }
				p := permission{forbid: func(lost error) bool { return paused || lost != nil && !test.afterPause }}
				err := call(t.Context(), c, p.key())
				require.ErrorIs(t, err, errExpired)
				require.ErrorContains(t, err, errExpired.Error())
				require.Equal(t, 1, s.count())
				require.Equal(t, test.afterPause, paused)
				var notSent *notSentError
				if test.isUnknown {
					require.Equal(t, payments.ProblemOutcomeUnknown, kindOf(t, err))
					require.NotErrorAs(t, err, &notSent)
				} else {
					require.ErrorAs(t, err, &notSent)
				}
			})
		}
	}
}

// MaySend is asked before the attempt with a renewed token too. A lost attempt of an earlier program stays unknown.
func TestTheAttemptWithARenewedTokenIsAskedAbout(t *testing.T) {
	t.Parallel()
	for name, call := range askingCalls {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, expecting("fresh-token"))
			source := &renewable{token: "stale-token"}
			c, _ := connect(t, s.URL, using(source))
			var p permission
			p.forbid = func(error) bool { return len(source.renewed) > 0 }
			err := call(t.Context(), c, p.key())
			require.ErrorIs(t, err, errExpired)
			var notSent *notSentError
			require.ErrorAs(t, err, &notSent, "the service refused the first attempt before it read it")
			require.Equal(t, 1, s.count())

			source.renewed = nil
			key, earlier := p.key(), errors.New("the attempt of an earlier program")
			key.Lost = earlier
			err = call(t.Context(), c, key)
			require.Equal(t, payments.ProblemOutcomeUnknown, kindOf(t, err))
			require.ErrorIs(t, err, earlier)
			require.ErrorIs(t, err, errExpired)
			require.Equal(t, 2, s.count())
			require.Same(t, earlier, p.lost[len(p.lost)-1])
		})
	}
}

// What leaves includes the header field of the key: a service may not have known another one.
func TestTheDigestHasTheFieldOfTheKey(t *testing.T) {
	t.Parallel()
	write := effect.Request{Operation: contract.CreateAutoTransfer.ID, Body: []byte(`{}`), Key: "k"}
	usual, _ := connect(t, "http://127.0.0.1")
	other, _ := connect(t, "http://127.0.0.1", func(config *Config) {
		config.ServiceMap = &servicemap.Map{KeyHeader: "X-Request-Id"}
	})
	require.NotEmpty(t, usual.Digest(write))
	require.NotEqual(t, usual.Digest(write), other.Digest(write))
}
