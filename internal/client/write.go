package client

import (
	"context"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/contract/dialect"
	"github.com/payctl/payctl/internal/payments"
)

// Send sends a write, again as far as its permit allows, and returns what became of it. A response that does not show
// what was asked for counts as lost: then it is not known whether the write had its effect.
func (c *Client) Send(ctx context.Context, write payments.Request) payments.Outcome {
	r, err := c.writeRequest(ctx, write)
	if err != nil {
		return payments.Outcome{Verdict: payments.NotSent, Err: err}
	}
	var seen effect
	r.accept = func(response *Response) (fault string) {
		seen, fault = c.acceptEffect(write, response)
		return fault
	}
	result := c.sendWithRetries(ctx, r)
	outcome := payments.Outcome{Verdict: result.verdict, Err: result.err}
	if response := result.response; response != nil {
		outcome.Answer = &payments.Answer{Status: response.Status, Header: response.Header, Body: response.Body}
	}
	if result.verdict != payments.Done {
		return outcome
	}
	response := result.response
	outcome.Document, outcome.NotCompared, outcome.Replayed = seen.document, seen.NotCompared(), isReplay(response)
	outcome.Subject, outcome.State = payments.Identify(seen.document)
	switch location := response.Header.Get("Location"); {
	case write.Operation == contract.SubmitKYC.ID:
		kyc := c.readKYC(seen.document, write.Params[0])
		outcome.Subject, outcome.State = kyc.AccountID, string(kyc.Status)
	case write.Operation == "" && strings.HasPrefix(location, "/") && !strings.HasPrefix(location, "//"):
		outcome.Subject, outcome.State = location, ""
	case write.Operation == "":
		outcome.Subject, outcome.State = "", ""
	}
	return outcome
}

// writeRequest makes the request of a write.
func (c *Client) writeRequest(ctx context.Context, write payments.Request) (r *request, err error) {
	if write.Path != "" {
		path, query, _ := strings.Cut(write.Path, "?")
		if r, err = c.newAPIRequest(write.Method, path, query); err != nil {
			return nil, err
		}
		if r.body = write.Body; len(write.Body) > 0 {
			r.header.Set("Content-Type", "application/json")
		}
		r.key = write.Key
	} else {
		call := operationCall{op: contract.Find(write.Operation), params: write.Params, key: write.Key, match: write.Match}
		if write.Body != nil {
			call.body = write.Body
		}
		if r, err = c.newRequest(ctx, call); err != nil {
			return nil, err
		}
	}
	if err := r.addHeader(write.Header); err != nil {
		return nil, err
	}
	r.maySend, r.lostBefore = write.MaySend, write.Lost
	return r, nil
}

// An effect is what the response to a write shows, in the contract's terms, compared with what the write asks for.
type effect struct {
	document jsontext.Value
	payments.Comparison
}

// acceptEffect compares a successful response with what a write asks for. Fault is why it cannot be used.
func (c *Client) acceptEffect(write payments.Request, response *Response) (seen effect, fault string) {
	switch {
	case write.Expect.Any && len(response.Body) == 0:
		return seen, ""
	case write.Expect.Any:
		return effect{document: response.Body}, checkJSON(response)
	}
	op := contract.Find(write.Operation)
	if seen.document, fault = c.documentOf(op, response); fault != "" {
		return seen, fault
	}
	seen.document = c.config.Differences.Translate(dialect.ResourceOf(op), seen.document)
	var err error
	if seen.Comparison, err = write.Expect.Compare(seen.document); err != nil {
		return seen, describeJSONError(err)
	}
	fault = write.Expect.Fault(seen.Comparison)
	if fault == "" && write.Operation == contract.SubmitKYC.ID && c.readKYC(seen.document, write.Params[0]).Status == "" {
		fault = "has no status"
	}
	if fault != "" {
		return seen, "the JSON body " + fault
	}
	return seen, ""
}
