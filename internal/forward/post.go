package forward

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/payctl/payctl/internal/client"
	"github.com/payctl/payctl/internal/settings"
)

const (
	// answerTime is how long a receiver may take to answer, the shortest time that Standard Webhooks recommends.
	answerTime = 15 * time.Second
	// longestWait bounds the Retry-After of a receiver.
	longestWait = time.Hour
	// mostRead is how much of an answer is read, in bytes, so that the connection can be used again.
	mostRead = 64 << 10
)

// A Receiver is a URL to which events are sent, signed by Standard Webhooks.
type Receiver struct {
	url       string
	header    http.Header
	signer    *standardwebhooks.Webhook
	transport http.RoundTripper
}

// ParseURL checks the URL of a receiver: http or https, a host, and no user name.
func ParseURL(text string) (*url.URL, error) {
	target, err := url.Parse(text)
	switch {
	case err != nil || target.Scheme != "http" && target.Scheme != "https" || target.Hostname() == "":
		return nil, errors.New("must be a URL such as http://127.0.0.1:3000/hook")
	case target.User != nil:
		return nil, errors.New("must have no user name or password")
	}
	target.Fragment = ""
	return target, nil
}

// NewReceiver returns the receiver at a URL of ParseURL. Each request has the header. If the URL is of this machine, no
// other one is reached. The error is that of ParseSecret.
func NewReceiver(target *url.URL, header http.Header, secret string) (*Receiver, error) {
	signer, err := signerOf(secret)
	if err != nil {
		return nil, err
	}
	return &Receiver{target.String(), header, signer, client.NewTransport(nil, settings.IsLoopback(target))}, nil
}

// With returns the same receiver with another header field.
func (r *Receiver) With(name, value string) *Receiver {
	other := *r
	other.header = r.header.Clone()
	other.header.Set(name, value)
	return &other
}

// An answerError is an answer that acknowledges nothing.
type answerError struct {
	status int
	after  time.Duration // its Retry-After
}

// Error implements error.
func (e *answerError) Error() string {
	text := fmt.Sprintf("the receiver answers %d %s", e.status, http.StatusText(e.status))
	if e.status/100 == 3 {
		text += ", and redirects are not followed"
	}
	if e.after > 0 {
		text += ", and asks to wait " + e.after.String()
	}
	return text
}

// Post sends an event once; see Forwarder.Hand. The body is JSON.
func (r *Receiver) Post(ctx context.Context, id string, body []byte) (status int, err error) {
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, r.url, bytes.NewReader(body))
	if err != nil {
		return 0, err
	}
	now := time.Now()
	signature, err := r.signer.Sign(id, now, body)
	if err != nil {
		return 0, err
	}
	request.Header = r.header.Clone()
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set(standardwebhooks.HeaderWebhookID, id)
	request.Header.Set(standardwebhooks.HeaderWebhookTimestamp, strconv.FormatInt(now.Unix(), 10))
	request.Header.Set(standardwebhooks.HeaderWebhookSignature, signature)
	response, err := r.transport.RoundTrip(request)
	if err != nil {
		return 0, unanswered(err)
	}
	defer response.Body.Close()
	_, _ = io.CopyN(io.Discard, response.Body, mostRead) // the status alone decides
	if response.StatusCode/100 == 2 {
		return response.StatusCode, nil
	}
	after, _ := client.RetryAfter(response.Header, now)
	return response.StatusCode, &answerError{response.StatusCode, min(after, longestWait)}
}

// unanswered is the reason why there was no answer, without ports that differ from one attempt to the next.
func unanswered(err error) error {
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("the receiver does not answer within %s", answerTime)
	}
	if network, ok := errors.AsType[*net.OpError](err); ok {
		err = network.Err
	}
	if errors.Is(err, io.EOF) {
		err = errors.New("it closed the connection")
	}
	return fmt.Errorf("the receiver does not answer: %w", err)
}
