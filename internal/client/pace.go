package client

import "context"

// pace waits until a call may send its first request. That takes none of the call's own time: who has to wait for his turn
// is not to be told that the service did not answer.
func (c *Client) pace(ctx context.Context, r *request) error {
	if c.config.Pace == nil {
		return nil
	}
	r.paced = true
	return c.awaitTurn(ctx, r)
}

// paceAgain waits until a further request of a call may be sent.
func (c *Client) paceAgain(ctx context.Context, r *request) error {
	if c.config.Pace == nil {
		return nil
	}
	if r.paced {
		r.paced = false
		return nil
	}
	return c.awaitTurn(ctx, r)
}

func (c *Client) awaitTurn(ctx context.Context, r *request) error {
	if err := c.config.Pace(ctx); err != nil {
		return interrupted(ctx, r)
	}
	return nil
}
