package client

import (
	"context"
	"net/http"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/contract/verify"
	"github.com/payctl/payctl/internal/payments"
)

// Observe makes a call for a check of the service, and returns the last response, whatever its status. It is retried as
// any call is, but a write is not recorded in the journal. The error is that there was no complete response.
func (c *Client) Observe(ctx context.Context, call verify.Call) (answer verify.Answer, err error) {
	r, err := c.newRequest(operationCall{
		op: call.Op, params: call.Params, query: call.Query, body: call.Body, key: payments.Idempotency{Key: call.Key},
	})
	if err != nil {
		return answer, err
	}
	if call.Method != "" {
		r.method, r.isWrite = call.Method, false
	}
	for name, value := range call.Header {
		r.header.Set(name, value)
	}
	way, err := c.curlWay()
	if err != nil {
		return answer, err
	}
	answer.Curl = c.curlCommand(r, way)
	result := c.sendWithRetries(ctx, r)
	if result.response == nil {
		return answer, result.err
	}
	answer.Exchange = contract.Exchange{
		Operation: call.Op, Method: r.method, Path: r.url.EscapedPath(),
		Status: result.response.Status, Header: result.response.Header, Body: result.response.Body,
	}
	http.Header(answer.Header).Del("Content-Length") // the transport has checked it, before secrets were removed
	return answer, nil
}
