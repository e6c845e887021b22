package app

import (
	"context"
	"maps"
	"net/url"
	"strings"

	"github.com/payctl/payctl/internal/cli/api"
	"github.com/payctl/payctl/internal/cli/cliflags"
	"github.com/payctl/payctl/internal/cli/exit"
	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/outbox"
	"github.com/payctl/payctl/internal/payments"
)

// call makes a call that no method of payments.Service makes.
func call(ctx context.Context, o *outbox.Outbox, c api.Call) (*api.Answer, error) {
	const keyField = "Idempotency-Key"
	request := payments.Request{Method: c.Method, Path: c.Path, Header: maps.Clone(c.Header), Body: c.Body}
	if keys := c.Header[keyField]; len(keys) == 1 {
		request.Key = keys[0]
		delete(request.Header, keyField)
	}
	if len(c.Query) > 0 {
		separator := "?"
		if strings.Contains(c.Path, "?") {
			separator = "&"
		}
		request.Path += separator + url.Values(c.Query).Encode()
	}
	op, _ := o.OperationOf(c.Method, c.Path)
	isTransfer := op == &contract.CreateAutoTransfer
	if isTransfer {
		if err := cliflags.CheckReference("reference", payments.Text(c.Body, "reference")); err != nil {
			return nil, err
		}
	}
	outcome := o.Call(ctx, request, c.Key)
	answer := outcome.Answer
	if answer == nil && outcome.Document != nil { // it was done before
		answer = &payments.Answer{
			Status: 200, Body: outcome.Document,
			Header: map[string][]string{"Content-Type": {"application/json"}},
		}
	}
	if answer == nil {
		return nil, outcome.Err
	}
	if isTransfer && outcome.IsDone() && outcome.Err == nil && payments.TransferState(outcome.State).Failed() {
		outcome.Err = exit.TransferFailed(outcome.Subject, outcome.State)
	}
	return &api.Answer{Status: answer.Status, Header: answer.Header, Body: answer.Body}, outcome.Err
}
