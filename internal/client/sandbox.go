package client

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/payments"
)

var _ payments.Sandbox = (*Client)(nil)

// sandboxed makes a call to the sandbox.
func sandboxed[T any](ctx context.Context, c *Client, call call, complete func(*T) string) (T, error) {
	if err := c.findSandbox(ctx); err != nil {
		return *new(T), err
	}
	value, _, err := perform(ctx, c, call, complete)
	return value, err
}

// sandboxedWrite makes a call to the sandbox that takes an idempotency key. It is not put down in the journal: no money
// hangs on it, and the sandbox itself shows what became of it.
func sandboxedWrite[T any](ctx context.Context, c *Client, call call, complete func(*T) string) (payments.Written[T], error) {
	if err := c.findSandbox(ctx); err != nil {
		return payments.Written[T]{}, err
	}
	value, answer, err := perform(ctx, c, call, complete)
	if err != nil {
		return payments.Written[T]{}, err
	}
	return payments.Written[T]{Value: value, Replayed: isReplay(answer)}, nil
}

// sandboxedDelete makes a call to the sandbox that has no answer but that it was done.
func (c *Client) sandboxedDelete(ctx context.Context, op *contract.Operation) error {
	if err := c.findSandbox(ctx); err != nil {
		return err
	}
	_, err := c.call(ctx, call{op: op}, nil)
	return err
}

// findSandbox makes sure that the service is a reference service before anything is asked of its sandbox: what a reset
// would do elsewhere nobody knows. It asks with a read, once.
func (c *Client) findSandbox(ctx context.Context) error {
	if c.sandbox.Load() || c.config.Curl != nil {
		return nil
	}
	answer, err := c.call(ctx, call{op: &contract.GetSandboxClock}, nil)
	if err == nil && (answer.Header.Get("Payctl-World") != "" || isReference(answer)) {
		c.sandbox.Store(true)
		return nil
	}
	if met, refused := errors.AsType[*payments.Refusal](err); err != nil &&
		(!refused || met.Status != http.StatusNotFound && met.Status != http.StatusMethodNotAllowed) {
		return err
	}
	if strings.HasPrefix(c.Server(), "payctl/") {
		return failure(payments.KindNoSandbox, err, "The service has no sandbox.",
			"The reference service at %s was started with --no-sandbox. Nothing was changed. Start it without that flag.", c.origin)
	}
	return failure(payments.KindNoSandbox, err, "The service has no sandbox.",
		"%s is no reference service, and no other has a sandbox. Nothing was changed. Name a reference service with --base-url or a profile; `payctl serve` starts one.", c.origin)
}
