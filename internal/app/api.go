package app

import (
	"context"
	"maps"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/client"
	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/outbox"
	"github.com/payctl/payctl/internal/outbox/journal"
	"github.com/payctl/payctl/internal/payments"
)

// send makes a call that payments.Service has no method for. A write without an idempotency key gets the key of the
// call; a new transfer with a reference the one that is made of it, as on every machine and in every command.
func send(ctx context.Context, c *client.Client, o *outbox.Outbox, call cmdutil.Call) (*cmdutil.Answer, error) {
	const keyField = "Idempotency-Key"
	header := map[string][]string{}
	maps.Copy(header, call.Header)
	var named identifying
	if c.IsCallOf(&contract.CreateAutoTransfer, call.Method, call.Path) {
		named = members(call.Body)
	}
	switch {
	case header[keyField] != nil:
	case named.Reference != "":
		header[keyField] = []string{journal.ReferenceKey(outbox.CreateAutoTransferOperation, named.Reference)}
	case c.Writes(call.Method, call.Path):
		header[keyField] = []string{call.Key}
	}
	prepared, err := c.NewCall(call.Method, call.Path, call.Query, header, call.Body)
	if err != nil {
		return nil, err
	}
	if err := cmdutil.CheckReference("reference", named.Reference); err != nil {
		return nil, err
	}
	write := outbox.Write[*client.Response]{Send: prepared.Send, Read: prepared.Get, Identify: client.CreatedLocation}
	if prepared.IsWrite() {
		operation := call.Method + " " + prepared.Path()
		write.Intent = outbox.NewIntent(operation, prepared.Key(), prepared.RequestURI(), call.Body)
	}
	if named.Reference != "" {
		describeTransfer(o, prepared, call.Body, named, &write)
	}
	result, err := outbox.Submit(ctx, o, write)
	if err == nil {
		err = o.CheckPaidOnce(ctx, write.Intent)
	}
	answer := result.Value
	if answer == nil {
		return nil, err
	}
	return &cmdutil.Answer{Line: answer.Line, Status: answer.Status, Header: answer.Header, Body: answer.Body}, err
}

// identifying are the members of a new transfer by which it can be found.
type identifying struct {
	Reference  string `json:"reference"`
	ExternalID string `json:"externalId"`
	BatchID    string `json:"batchId"`
}

// members returns the identifying members of a body, also if the contract does not allow the body: a service may accept
// it all the same.
func members(body []byte) (found identifying) {
	_ = json.Unmarshal(body, &found, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	return found
}

// describeTransfer completes the write of a call that creates a transfer with a reference: it is the same payment,
// whichever command sends it.
func describeTransfer(
	o *outbox.Outbox, call *client.Call, body []byte, named identifying, write *outbox.Write[*client.Response],
) {
	write.Intent.Operation, write.Intent.Reference = outbox.CreateAutoTransferOperation, named.Reference
	write.Intent.ExternalID, write.Intent.BatchID = named.ExternalID, named.BatchID
	var request payments.NewAutoTransfer
	unreadable := json.Unmarshal(body, &request)
	if unreadable == nil {
		write.Intent.Body = body
	} else {
		request = payments.NewAutoTransfer{Reference: named.Reference} // it cannot be compared: every transfer differs
	}
	write.LookFirst = true
	write.Find = func(ctx context.Context) (*client.Response, bool, error) {
		id, found, err := o.FindTransferID(ctx, named.Reference)
		if err != nil || !found {
			return nil, false, err
		}
		response, err := write.Read(ctx, id)
		return response, err == nil, err
	}
	write.Read = func(ctx context.Context, id string) (*client.Response, error) {
		return call.Get(ctx, contract.Expand(contract.GetTransfer.Path, id))
	}
	decode := func(response *client.Response) (transfer payments.Transfer, err error) {
		err = json.Unmarshal(response.Body, &transfer)
		return transfer, err
	}
	write.Differs = func(existing *client.Response, sent bool) error {
		transfer, err := decode(existing)
		if err != nil || unreadable != nil && sent {
			return err
		}
		return outbox.CheckSame(request, transfer, sent)
	}
	write.Identify = func(created *client.Response) (subject, state string) {
		transfer, _ := decode(created) // a response that cannot be read has no identifier
		return transfer.ID, string(transfer.State)
	}
}
