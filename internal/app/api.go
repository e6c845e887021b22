package app

import (
	"context"

	"github.com/payctl/payctl/internal/cli/deps"
	"github.com/payctl/payctl/internal/client"
)

// makeCall makes a call that no method of payments.Service has. A write that has no idempotency key gets the call's own.
func makeCall(ctx context.Context, d *deps.Deps, call deps.Call) (*deps.Answer, error) {
	service, err := d.Payments()
	if err != nil {
		return nil, err
	}
	c := service.(*client.Client)
	const keyField = "Idempotency-Key"
	if call.Header[keyField] == nil && c.Writes(call.Method, call.Path) {
		call.Header = withField(call.Header, keyField, call.Key)
	}
	answer, err := c.Do(ctx, call.Method, call.Path, call.Query, call.Header, call.Body)
	if answer == nil {
		return nil, err
	}
	return &deps.Answer{Line: answer.Line, Status: answer.Status, Header: answer.Header, Body: answer.Body}, err
}

// withField is a header with one more field.
func withField(header map[string][]string, name, value string) map[string][]string {
	added := map[string][]string{name: {value}}
	for name, values := range header {
		added[name] = values
	}
	return added
}
