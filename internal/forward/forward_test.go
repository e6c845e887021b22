package forward

import (
	"context"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/payments"
)

type answers func(*http.Request) (*http.Response, error)

func (a answers) RoundTrip(r *http.Request) (*http.Response, error) { return a(r) }

// A receiver that hangs is given up, and one that asks for time gets it.
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
				return &http.Response{StatusCode: http.StatusServiceUnavailable, Header: http.Header{"Retry-After": {"30"}}, Body: http.NoBody}, nil
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
