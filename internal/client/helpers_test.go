package client

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/effect"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/test/testkit"
)

const (
	transferBody = `{"id":"trf_1","state":"awaiting_funds","amount":"12.50"}`
	infoBody     = `{"routes":[],"availableSources":[],"availableDestinations":[],"transactionsInfo":[]}`
	testToken    = "s3cr3t-token-0001"
)

var newTransfer = payments.NewAutoTransfer{
	DestinationSavedContactID: "sct_1", Route: payments.RouteChoice{RouteKey: "sepa:EUR->base:USDC"},
}

// A staticToken is a token that cannot be renewed.
type staticToken string

func (s staticToken) Token(context.Context) (string, error)         { return string(s), nil }
func (s staticToken) Renew(context.Context, string) (string, error) { return "", errors.ErrUnsupported }

// A service is a test server that records its requests.
type service struct {
	*httptest.Server
	mu       sync.Mutex
	requests []*http.Request
	bodies   []string
}

func (s *service) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.requests)
}

func (s *service) request(i int) *http.Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.requests[i]
}

// serve starts a service. n is the number of the request, from 1.
func serve(t *testing.T, handler func(w http.ResponseWriter, r *http.Request, n int)) *service {
	t.Helper()
	s := &service{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		s.mu.Lock()
		s.requests = append(s.requests, r)
		s.bodies = append(s.bodies, string(body))
		n := len(s.requests)
		s.mu.Unlock()
		handler(w, r, n)
	}))
	t.Cleanup(s.Close)
	return s
}

// connect returns a client of a service at a URL, and the client's clock.
func connect(t *testing.T, base string, change ...func(*Config)) (*Client, *testkit.Clock) {
	t.Helper()
	u, err := url.Parse(base)
	require.NoError(t, err)
	w := testkit.NewClock(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))
	config := Config{
		BaseURL: u, Token: staticToken(testToken), Retries: 2, UserAgent: "payctl/test",
		Sleep: w.Sleep, Now: w.Now, Rand: func() float64 { return 0.5 },
	}
	for _, change := range change {
		change(&config)
	}
	c, err := New(config)
	require.NoError(t, err)
	t.Cleanup(c.CloseIdleConnections)
	return c, w
}

func reply(w http.ResponseWriter, status int, contentType, body string) {
	w.Header().Set("Content-Type", contentType)
	w.WriteHeader(status)
	_, _ = w.Write([]byte(body))
}

func replyJSON(w http.ResponseWriter, status int, body string) {
	reply(w, status, "application/json", body)
}

func replyProblem(w http.ResponseWriter, status int, kind payments.ProblemType) {
	reply(w, status, "application/problem+json",
		`{"type":"https://x.test/problems/`+string(kind)+`","title":"T","status":400,"requestId":"req_1"}`)
}

// hangUp closes the connection without an answer.
func hangUp(w http.ResponseWriter) {
	connection, _, err := http.NewResponseController(w).Hijack()
	if err == nil {
		_ = connection.Close()
	}
}

// breakOff sends less than its Content-Length.
func breakOff(w http.ResponseWriter) {
	w.Header().Set("Content-Length", "1000")
	replyJSON(w, 200, `{"id":"trf_`)
	_ = http.NewResponseController(w).Flush()
	hangUp(w)
}

// kindOf returns the type of the first problem in an error.
func kindOf(t *testing.T, err error) payments.ProblemType {
	t.Helper()
	return refusalIn(t, err).ProblemType()
}

func refusalIn(t *testing.T, err error) *payments.ProblemError {
	t.Helper()
	var refusal *payments.ProblemError
	require.ErrorAs(t, err, &refusal, "%v", err)
	return refusal
}

// deadURL is the address of a port on which no program listens. The port of a closed listener could soon be another
// test's.
const deadURL = "http://127.0.0.1:1"

// The calls of each class, for tables.
var (
	readCall = func(ctx context.Context, c *Client) error {
		_, err := c.GetTransfer(ctx, "trf_1")
		return err
	}
	selectCall = func(ctx context.Context, c *Client) error {
		_, err := c.SelectRoutes(ctx, payments.RouteSelection{})
		return err
	}
	tokenCall = func(ctx context.Context, c *Client) error {
		_, err := c.CreateAccessToken(ctx, "id", "s3cr3t-client", payments.AccessTokenRequest{})
		return err
	}
	keyedCall = func(ctx context.Context, c *Client) error {
		_, err := c.CreateAutoTransfer(ctx, newTransfer, testKey{Key: "k-1"})
		return err
	}
	repeatableCall = func(ctx context.Context, c *Client) error {
		_, err := c.CreateAutoTransfer(ctx, newTransfer, testKey{Key: "k-1", MaySend: mayAlways})
		return err
	}
	keylessCall = func(ctx context.Context, c *Client) error {
		_, err := c.CreateAutoTransfer(ctx, newTransfer, testKey{})
		return err
	}
	deleteCall = func(ctx context.Context, c *Client) error {
		_, err := c.DeleteSavedContact(ctx, "sct_1")
		return err
	}
	cancelCall = func(ctx context.Context, c *Client) error {
		_, err := c.CancelTransfer(ctx, "trf_1", testKey{Key: "k-1"})
		return err
	}
	repeatableCancelCall = func(ctx context.Context, c *Client) error {
		_, err := c.CancelTransfer(ctx, "trf_1", testKey{Key: "k-1", MaySend: mayAlways})
		return err
	}
)

// Do makes a call as `payctl api` does. A write may be sent again with its key.
func (c *Client) Do(
	ctx context.Context, method, path string, query url.Values, header http.Header, body []byte,
) (*payments.Response, error) {
	write := effect.Request{Method: method, Path: path, Header: header, Body: body, MaySend: mayAlways}
	if len(query) > 0 {
		write.Path += "?" + query.Encode()
		if strings.Contains(path, "?") {
			write.Path = path + "&" + query.Encode()
		}
	}
	result := c.Send(ctx, write)
	return result.Response, result.Err
}

// mayAlways is a send check that allows every attempt.
func mayAlways(context.Context, error) error { return nil }
