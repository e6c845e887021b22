package client

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/effect"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/settings"
)

// Send sends a write, as often as its send check allows, and returns the result. Done means a 2xx with a JSON object,
// whatever it shows. For a call outside the contract, done means any 2xx.
func (c *Client) Send(ctx context.Context, write effect.Request) effect.Result {
	r, err := c.writeRequest(ctx, write)
	if err != nil {
		return effect.Result{Outcome: effect.NotSent, Err: err}
	}
	var document jsontext.Value
	r.accept = func(response *payments.Response) (fault string) {
		document, fault = c.acceptWrite(write, response)
		return fault
	}
	last := c.sendWithRetries(ctx, r)
	result := effect.Result{Outcome: last.outcome, Err: last.err, Response: last.response}
	if result.Outcome != effect.Done {
		return result
	}
	result.Document, result.Replayed = document, isReplay(last.response)
	switch location := field(last.response, "Location"); {
	case write.Operation == contract.SubmitKYC.ID:
		kyc := c.readKYC(document, write.Params[0])
		result.Subject, result.State = kyc.AccountID, string(kyc.Status)
	case write.Operation != "":
		result.Members, _ = effect.Object(document) // acceptWrite has read it
		result.Subject, result.State = result.Members.Identify()
		if read := contract.Find(write.Operation).Resource().Get; result.Subject == "" && read != nil && location != "" {
			result.Subject = c.idAt(location, read)
		}
	case strings.HasPrefix(location, "/") && !strings.HasPrefix(location, "//"):
		result.Subject = location
	}
	return result
}

// Cautions returns what a person should know before the first payment: the form of its amount, and the missing proofs
// of a lost payment.
func (c *Client) Cautions(request jsontext.Value) []string {
	cautions := c.config.ServiceMap.ProofLacks()
	if text := c.config.ServiceMap.AmountSent(request); text != "" {
		cautions = append(cautions, text)
	}
	return cautions
}

// idAt returns the id in the address of a created resource, or "" if the address does not fit the operation that reads
// it.
func (c *Client) idAt(location string, read *contract.Operation) string {
	at, err := c.base.Parse(location)
	if err != nil || settings.Origin(at) != c.origin {
		return ""
	}
	path := strings.TrimPrefix(at.EscapedPath(), c.base.EscapedPath())
	op, _, texts := c.config.ServiceMap.Find(http.MethodGet, path)
	if op == read && len(texts) == 1 {
		for _, id := range texts {
			return id
		}
	}
	return ""
}

// Digest returns the SHA-256, in hexadecimal, of the method, path, header field of the key and body of a write, or "" if
// it cannot be sent.
func (c *Client) Digest(write effect.Request) string {
	r, err := c.writeRequest(context.Background(), write)
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(append([]byte(r.method+" "+r.url.RequestURI()+"\n"+c.keyHeader()+"\n"), r.body...))
	return hex.EncodeToString(sum[:])
}

// writeRequest makes the request of a write.
func (c *Client) writeRequest(ctx context.Context, write effect.Request) (r *request, err error) {
	if write.Path != "" {
		path, query, _ := strings.Cut(write.Path, "?")
		if r, err = c.newAPIRequest(write.Method, path, query); err != nil {
			return nil, err
		}
		if r.body = write.Body; len(write.Body) > 0 {
			r.header.Set("Content-Type", "application/json")
		}
		if err := r.setKey(write.Key); err != nil {
			return nil, err
		}
	} else if r, err = c.operationRequest(ctx, write); err != nil {
		return nil, err
	}
	if err := r.addHeader(write.Header); err != nil {
		return nil, err
	}
	r.maySend, r.lostBefore = write.MaySend, write.Lost
	return r, nil
}

// operationRequest makes the request of a use of an operation.
func (c *Client) operationRequest(ctx context.Context, use effect.Request) (*request, error) {
	call := operationCall{
		op: contract.Find(use.Operation), params: use.Params, query: use.Query, key: use.Key, match: use.Match,
	}
	if use.Body != nil {
		call.body = use.Body
	}
	return c.newRequest(ctx, call)
}

// acceptWrite returns the document of a successful response to a write, in the contract's terms. Fault is why there is
// none.
func (c *Client) acceptWrite(
	write effect.Request, response *payments.Response,
) (document jsontext.Value, fault string) {
	switch {
	case write.Operation == "" && len(response.Body) == 0:
		return nil, ""
	case write.Operation == "":
		return response.Body, checkJSON(response)
	}
	op := contract.Find(write.Operation)
	call := operationCall{op: op, params: write.Params}
	if location := field(response, "Location"); len(response.Body) == 0 && location != "" && op.Resource().Get != nil {
		// nothing else is shown
		if id := c.idAt(location, op.Resource().Get); id != "" && op.Use().Action == contract.Creates {
			quoted, _ := jsontext.AppendQuote([]byte(`{"id":`), id) // a path is UTF-8
			return append(quoted, '}'), ""
		}
	}
	shown, fault := c.shown(call, response)
	document = shown.Document
	if fault != "" {
		return nil, fault
	}
	if write.Operation == contract.SubmitKYC.ID && c.readKYC(document, write.Params[0]).Status == "" {
		return nil, "the JSON body has no status"
	}
	return document, ""
}
