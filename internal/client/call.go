package client

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/payments"
)

// A call is one use of an operation.
type call struct {
	op     *contract.Operation
	params []string // of the path
	query  url.Values
	body   any    // nil: there is none
	wire   []byte // the body as it is sent, once it is known
	key    payments.Idempotency
	since  payments.Condition
	lost   error // of a write that an earlier program sent with the same key, and had no answer to

	credential string   // a complete Authorization header in place of the token source's
	secrets    []string // what the credential holds
}

// perform makes a call whose good answer is a JSON object. Complete says what the object lacks, as a condition such as
// "has no id"; empty when it lacks nothing: an object that says nothing must not pass for one that does.
func perform[T any](ctx context.Context, c *Client, call call, complete func(*T) string) (T, *Response, error) {
	var value T
	answer, err := c.call(ctx, call, func(answer *Response) string {
		value = *new(T)
		if answer.Status == http.StatusNotModified {
			return ""
		}
		if what := decode(answer, &value); what != "" {
			return what
		}
		if lacking := complete(&value); lacking != "" {
			return "the JSON body " + lacking
		}
		return ""
	})
	if err != nil {
		return *new(T), nil, err
	}
	return value, answer, nil
}

// write is perform for a write that takes an idempotency key.
func write[T any](ctx context.Context, c *Client, call call, complete func(*T) string, earlier recovery[T]) (payments.Written[T], error) {
	body, err := call.encode()
	if err != nil {
		return payments.Written[T]{}, err
	}
	call.wire = body
	intent, replayed := c.intent(call.op.ID, call.key.Key, contract.Expand(c.route(call.op).path, call.params...), body), false
	if len(call.params) > 0 {
		intent.Of = call.params[0]
	}
	value, made, err := once(ctx, c, keyed[T]{
		intent: intent,
		send: func(ctx context.Context, lost error) (T, error) {
			call.lost = lost
			value, answer, err := perform(ctx, c, call, complete)
			if err == nil {
				replayed = isReplay(answer)
			}
			return value, err
		},
		earlier: earlier,
	})
	if unknown, ok := errors.AsType[*Failure](err); ok && unknown.Kind() == payments.KindOutcomeUnknown && earlier.find == nil {
		unknown.Repeat = call.key.Key
	}
	if err != nil {
		return payments.Written[T]{}, err
	}
	return payments.Written[T]{Value: value, Replayed: replayed || !made}, nil
}

// isReplay says whether an answer is the first one to its key, sent again.
func isReplay(answer *Response) bool { return answer.Header.Get("Idempotency-Replayed") == "true" }

// read is perform for a conditional read.
func read[T any](ctx context.Context, c *Client, call call, complete func(*T) string) (payments.Reading[T], error) {
	value, answer, err := perform(ctx, c, call, complete)
	if err != nil {
		return payments.Reading[T]{}, err
	}
	reading := payments.Reading[T]{
		Value: value, ETag: answer.Header.Get("ETag"), NotModified: answer.Status == http.StatusNotModified,
	}
	if reading.NotModified && reading.ETag == "" {
		reading.ETag = call.since.ETag
	}
	return reading, nil
}

// call makes a call whose good answer is what accept accepts.
func (c *Client) call(ctx context.Context, call call, accept func(*Response) string) (*Response, error) {
	where := c.route(call.op)
	for _, value := range call.params {
		// None of these is a path segment (RFC 3986 section 3.3); sent, they would address something else.
		if value == "" || value == "." || value == ".." {
			return nil, payments.NotFound("resource", value)
		}
	}
	target, err := c.resolve(contract.Expand(where.path, call.params...), call.query)
	if err != nil {
		return nil, err
	}
	r := &request{
		method: where.method, url: target, header: c.header(),
		key:        call.key.Key,
		lost:       call.lost,
		write:      !isRead(call.op) && call.op.ID != contract.CreateAccessToken.ID,
		follow:     isRead(call.op),
		credential: call.credential,
		accept:     accept,
		roomy:      call.op == &contract.GetSandboxSnapshot,
		hold:       max(call.since.Wait.Truncate(time.Second), 0),
		secrets:    call.secrets,

		keepsSecrets: call.op == &contract.CreateAccessToken,
	}
	if !isVisible(r.key) {
		return nil, invalidRequest("The idempotency key %q holds a space or a character that is not visible ASCII.", r.key)
	}
	if call.since.ETag != "" {
		r.header.Set("If-None-Match", call.since.ETag)
	}
	if r.body, err = call.encode(); err != nil {
		return nil, err
	}
	if r.body != nil {
		r.header.Set("Content-Type", "application/json")
	}
	return c.exchange(ctx, r)
}

// encode is the body as it is sent; nil when there is none.
func (call call) encode() ([]byte, error) {
	if call.body == nil || call.wire != nil {
		return call.wire, nil
	}
	body, err := json.Marshal(call.body, json.Deterministic(true))
	if err != nil {
		return nil, invalidRequest("The body of %s cannot be written as JSON: %v.", call.op.ID, err)
	}
	return body, nil
}

// header is what every request carries.
func (c *Client) header() http.Header {
	return http.Header{
		"Accept":     {"application/json, application/problem+json"},
		"User-Agent": {c.config.UserAgent},
	}
}
