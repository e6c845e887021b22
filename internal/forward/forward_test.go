package forward

import (
	"context"
	"io"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/payments"
)

type answers func(*http.Request) (*http.Response, error)

func (a answers) RoundTrip(r *http.Request) (*http.Response, error) { return a(r) }

// An attempt at a receiver that hangs times out. A receiver that asks for more time gets it.
func TestTheTimesOfAReceiver(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		receiver, err := NewReceiver("http://127.0.0.1:3000/hook", "")
		require.NoError(t, err)
		receiver.Secret = NewSecret()
		var attempts []time.Duration
		began := time.Now()
		receiver.transport = answers(func(r *http.Request) (*http.Response, error) {
			attempts = append(attempts, time.Since(began))
			switch len(attempts) {
			case 1:
				<-r.Context().Done()
				return nil, r.Context().Err()
			case 2:
				return &http.Response{
					StatusCode: http.StatusServiceUnavailable, Header: http.Header{"Retry-After": {"30"}}, Body: http.NoBody,
				}, nil
			}
			return &http.Response{StatusCode: http.StatusNoContent, Body: http.NoBody}, nil
		})
		var said []string
		f := Forwarder{
			Attempt: receiver.Post, Up: func() { said = append(said, "up") },
			Down: func(err error) { said = append(said, err.Error()) },
		}
		receipt, err := f.Hand(context.Background(), payments.Event{ID: "evt_1", Document: []byte("{}")})
		require.NoError(t, err)
		require.Equal(t, Receipt{http.StatusNoContent, 3}, receipt)
		require.InDelta(t, answerTime, attempts[1], float64(pauses.First))
		require.InDelta(t, 30*time.Second, attempts[2]-attempts[1], float64(pauses.First))
		require.Equal(t, []string{
			"the receiver does not answer within 15s", "the receiver answers 503 Service Unavailable", "up",
		}, said)
	})
}

// pending is a body that ends only when its request does.
type pending struct{ ctx context.Context }

func (p pending) Read([]byte) (int, error) {
	<-p.ctx.Done()
	return 0, p.ctx.Err()
}

// The status alone acknowledges an event: a body that never ends is cut. The error about a redirect names its target.
func TestWhatAReceiverAnswers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		receiver, err := NewReceiver("http://127.0.0.1:3000/hook", "payctl")
		require.NoError(t, err)
		receiver.Secret = NewSecret()
		require.NoError(t, receiver.AddHeader(http.Header{"Host": {"app.test:80"}, "X-Mine": {"a", "b"}}))
		began, status := time.Now(), http.StatusOK
		receiver.transport = answers(func(r *http.Request) (*http.Response, error) {
			require.Equal(t, "app.test:80", r.Host)
			require.Equal(t, []string{"a", "b"}, r.Header["X-Mine"])
			return &http.Response{
				StatusCode: status, Body: io.NopCloser(pending{r.Context()}),
				Header: http.Header{"Location": {"/login?next=secret"}, "Retry-After": {"99999999999999999999"}},
			}, nil
		})
		event := payments.Event{ID: "evt_1", Document: []byte("{}")}
		_, _, err = receiver.Post(t.Context(), event)
		require.NoError(t, err)
		require.Equal(t, bodyTime, time.Since(began))
		status = http.StatusFound
		_, after, err := receiver.Post(t.Context(), event)
		require.EqualError(t, err, "the receiver answers 302 Found, a redirect to http://127.0.0.1:3000/login")
		require.Equal(t, longestWait, after)
	})
}

// URLs and header fields that no request can have are refused before the first event.
func TestReceiversThatCannotBe(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"", "127.0.0.1:3000", "ftp://127.0.0.1/", "http://", "http://ada:hush@127.0.0.1/", "http://127.0.0.1:99999/",
		"http://127.0.0.1:0/",
		"http://127.0.0.1/x?y=a b", "http://127.0.0.1/x?y=é", "http://a b/",
	} {
		_, err := NewReceiver(text, "payctl")
		require.Error(t, err, text)
	}
	for _, text := range []string{"http://localhost", "https://app.test:3000/a b?y=%20#z", "http://[::1]:1/"} {
		receiver, err := NewReceiver(text, "payctl")
		require.NoError(t, err, text)
		for field, value := range map[string]string{
			"Content-Type": "a", "Content-Length": "1", "Transfer-Encoding": "chunked", "Webhook-Id": "mine", "Host": "a b",
		} {
			require.ErrorContains(t, receiver.AddHeader(http.Header{field: {value}}), field)
		}
	}
}
