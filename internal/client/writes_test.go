package client

import (
	"context"

	"github.com/go-json-experiment/json"

	"github.com/payctl/payctl/internal/effect"
	"github.com/payctl/payctl/internal/payments"
)

// A testKey is what a test sends a write with.
type testKey struct {
	Key     string
	MaySend effect.SendCheck
	Lost    error
	Match   string
}

// A notSentError is the error of a write whose outcome is that it was not sent.
type notSentError struct{ error }

func (e *notSentError) Unwrap() error { return e.error }

// sendTest sends a write as package outbox does.
func sendTest[T any](
	ctx context.Context, c *Client, operation string, body any, key testKey, params ...string,
) (made payments.WriteResult[T], err error) {
	w := effect.Request{
		Operation: operation, Params: params, Key: key.Key, MaySend: key.MaySend, Lost: key.Lost, Match: key.Match,
	}
	if body != nil {
		if w.Body, err = json.Marshal(body, json.Deterministic(true)); err != nil {
			return made, err
		}
	}
	result := c.Send(ctx, w)
	switch result.Outcome {
	case effect.Done:
		_ = json.Unmarshal(result.Document, &made.Value)
		made.Replayed = result.Replayed
		return made, nil
	case effect.NotSent:
		if result.Response == nil {
			return made, &notSentError{result.Err}
		}
	}
	return made, result.Err
}

func (c *Client) CreateAutoTransfer(
	ctx context.Context, transfer payments.NewAutoTransfer, key testKey,
) (payments.WriteResult[payments.Transfer], error) {
	return sendTest[payments.Transfer](ctx, c, "createAutoTransfer", transfer, key)
}

func (c *Client) CancelTransfer(
	ctx context.Context, id string, key testKey,
) (payments.WriteResult[payments.Transfer], error) {
	return sendTest[payments.Transfer](ctx, c, "cancelTransfer", nil, key, id)
}
