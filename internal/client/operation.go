package client

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/contract/dialect"
	"github.com/payctl/payctl/internal/payments"
)

// An operationCall is one use of an operation of the contract.
type operationCall struct {
	op     *contract.Operation
	params []string // of the path
	query  url.Values
	body   any // a []byte is sent as it is, anything else as JSON; nil means no body
	key    payments.Idempotency
	since  payments.ReadOptions

	maySend payments.Permit // of a write

	credential string   // the whole Authorization header, in place of the token source's
	secrets    []string // the texts in credential that must not be shown
}

// fetch calls an operation whose response is a JSON object. Check returns what makes the object unusable, such as "has no
// id"; empty when nothing does. An empty object must not pass for a resource.
func fetch[T any](ctx context.Context, c *Client, call operationCall, check func(*T) string) (T, error) {
	value, _, err := fetchWithResponse(ctx, c, call, check)
	return value, err
}

// fetchWithResponse is fetch with the response that held the object. A response without a usable object counts as lost, so
// that the request may be sent again.
func fetchWithResponse[T any](
	ctx context.Context, c *Client, call operationCall, check func(*T) string,
) (value T, response *Response, err error) {
	response, err = c.call(ctx, call, func(response *Response) string {
		value = *new(T)
		if response.Status == http.StatusNotModified {
			return ""
		}
		document, fault := c.documentOf(call.op, response)
		if fault == "" {
			fault = describeJSONError(payments.Read(document, &value, c.dialect.TranslateType))
		}
		if fault != "" {
			return fault
		}
		if fault := check(&value); fault != "" {
			return "the JSON body " + fault
		}
		return ""
	})
	if call.op.IsSandbox() {
		err = c.checkSandbox(response, err)
	}
	if err != nil {
		return *new(T), nil, err
	}
	return value, response, nil
}

// call calls an operation. Accept returns why a successful response cannot be used; nil accepts all.
func (c *Client) call(ctx context.Context, call operationCall, accept func(*Response) string) (*Response, error) {
	r, err := c.prepare(ctx, call)
	if err != nil {
		return nil, err
	}
	if accept != nil {
		r.accept = accept
	}
	result := c.sendWithRetries(ctx, r)
	return result.response, result.err
}

// callForNoContent calls an operation whose successful response has nothing to decode. A service may send JSON all the
// same; another body, such as the page of a proxy, is no success.
func (c *Client) callForNoContent(ctx context.Context, call operationCall) error {
	_, err := c.call(ctx, call, func(response *Response) string {
		if len(response.Body) == 0 {
			return ""
		}
		return cmp.Or(formFault(response), jsonFault(response.Body))
	})
	return err
}

// prepare makes the request of a call. A change of the sandbox is an error if the service has none.
func (c *Client) prepare(ctx context.Context, call operationCall) (*request, error) {
	if call.op.IsSandbox() && call.op.Method != http.MethodGet {
		if err := c.requireSandbox(ctx); err != nil {
			return nil, err
		}
	}
	return c.newRequest(call)
}

// read is a conditional read of the resource with an id.
func read[T any](
	ctx context.Context, c *Client, op *contract.Operation, id string, since payments.ReadOptions, check func(*T) string,
) (payments.ReadResult[T], error) {
	call := operationCall{op: op, params: []string{id}, since: since}
	value, response, err := fetchWithResponse(ctx, c, call, check)
	if err != nil {
		return payments.ReadResult[T]{}, err
	}
	result := payments.ReadResult[T]{
		Value: value, ETag: response.Header.Get("ETag"), NotModified: response.Status == http.StatusNotModified,
	}
	if result.NotModified && result.ETag == "" {
		result.ETag = since.ETag
	}
	return result, nil
}

// isReplay reports whether a response repeats the first response to its key.
func isReplay(response *Response) bool { return response.Header.Get("Idempotency-Replayed") == "true" }

// newRequest makes the request of a call.
func (c *Client) newRequest(call operationCall) (*request, error) {
	for _, value := range call.params {
		if value == "" || value == "." || value == ".." { // no segment of a path (RFC 3986 section 3.3): it would address something else
			return nil, payments.NotFound("resource", value)
		}
	}
	at := c.route(call.op)
	resource := dialect.ResourceOf(call.op)
	r, err := c.requestTo(at.Method, contract.Expand(at.Path, call.params...), c.dialect.Query(resource, call.query))
	if err != nil {
		return nil, err
	}
	r.followsRedirects = dialect.IsRead(call.op)
	r.returnsToken = call.op.ID == contract.CreateAccessToken.ID
	r.isWrite = !r.followsRedirects && !r.returnsToken
	r.wait = max(call.since.Wait.Truncate(time.Second), 0)
	r.key, r.maySend = call.key.Key, call.maySend
	r.credential, r.secrets = call.credential, call.secrets
	if !isVisibleASCII(r.key) {
		return nil, invalidRequest("The idempotency key %q holds a space or a character that is not visible ASCII.", r.key)
	}
	if call.since.ETag != "" {
		r.header.Set("If-None-Match", call.since.ETag)
	}
	if match := call.key.Precondition.Match; match != "" {
		if strings.ContainsFunc(match, isControl) {
			return nil, invalidRequest("The entity tag %q has a character that no header field has.", match)
		}
		r.header.Set("If-Match", match)
	}
	r.op = call.op
	if call.body == nil {
		return r, nil
	}
	body, isEncoded := call.body.([]byte)
	if !isEncoded {
		if body, err = json.Marshal(call.body, json.Deterministic(true)); err != nil {
			return nil, invalidRequest("The body of %s cannot be written as JSON: %v.", call.op.ID, err)
		}
	}
	r.body = c.dialect.Body(resource, body)
	r.header.Set("Content-Type", call.op.BodyMedia)
	return r, nil
}

// rowsOf returns the document of a page with its rows under the contract's name. A service that calls them otherwise is
// understood where it is plain: if one member alone is a list of objects.
func rowsOf(document jsontext.Value) jsontext.Value {
	var members map[string]jsontext.Value
	if document[0] == '[' {
		return slices.Concat([]byte(`{"data":`), document, []byte("}"))
	}
	if json.Unmarshal(document, &members) != nil || members["data"] != nil {
		return document
	}
	var lists []jsontext.Value
	for _, value := range members {
		var rows []map[string]jsontext.Value
		if value.Kind() == '[' && json.Unmarshal(value, &rows) == nil && len(rows) > 0 {
			lists = append(lists, value)
		}
	}
	if len(lists) != 1 {
		return document
	}
	return slices.Concat(document[:len(document)-1], []byte(`,"data":`), lists[0], []byte("}"))
}

// checkPage returns what makes a page of a list unusable. An empty cursor ends the list, as null does.
func checkPage(hasRows bool, next **string) string {
	if *next != nil && slices.Contains([]string{"", "false", "null"}, **next) {
		*next = nil
	}
	if !hasRows {
		return "has no data; where the service has the rows is for the profile to say, as in members.list.data: /items"
	}
	return ""
}

// otherID returns that the id is not the one that was asked for; empty if it is, or if one of the two is not known. A service,
// or a cache before it, that confuses two responses must not lead money or data to another account or contact.
func otherID(shown, asked string) string {
	if shown == "" || asked == "" || shown == asked {
		return ""
	}
	return "is of another request: its id is " + payments.QuoteReference(shown) + ", and not " +
		payments.QuoteReference(asked)
}

// isNothing returns that a resource has no members at all; empty if it has some, whatever they are.
func isNothing(document jsontext.Value) string {
	if string(document) == "{}" { // the document of a resource has no spaces
		return "is empty"
	}
	return ""
}

// missing returns that a member is missing; empty if it is present.
func missing(member string, present bool) string {
	if present {
		return ""
	}
	return "has no " + member
}

// documentOf returns the JSON document of a successful response to an operation. The rows and the cursor of a list, and
// the members of a token, are under the contract's names. Fault is why there is none; it repeats nothing of the response.
func (c *Client) documentOf(op *contract.Operation, response *Response) (document jsontext.Value, fault string) {
	document = bytes.TrimSpace(response.Body)
	if len(document) == 0 {
		return nil, fmt.Sprintf("status %d came without a body", response.Status)
	}
	if fault := formFault(response); fault != "" {
		return nil, fault
	}
	switch {
	case op.SuccessSchema().Has("data"):
		document = rowsOf(c.dialect.Translate("list", document))
	case op.ID == contract.CreateAccessToken.ID:
		document = c.dialect.Translate("token", document)
	}
	if document[0] != '{' {
		return nil, "the body is no JSON object"
	}
	return document, ""
}

// formFault returns why the header of a successful response says that its body is no JSON; empty if it does not say so.
func formFault(response *Response) string {
	coding := strings.Join(response.Header.Values("Content-Encoding"), ", ") // the transport removes gzip with its field
	contentType, media := response.contentType(), response.mediaType()
	switch {
	case coding != "" && !strings.EqualFold(coding, "identity"):
		return fmt.Sprintf("status %d came in the content coding %.80q, for which no request asks", response.Status, coding)
	case contentType != "" && (!isJSON(media) && !mayBeJSON(media) || media == mediaProblem):
		return fmt.Sprintf("status %d came with a body of type %.80q in place of JSON", response.Status, contentType)
	}
	return ""
}

// mayBeJSON reports whether services send JSON under a media type that says nothing else about the body.
func mayBeJSON(media string) bool {
	return slices.Contains([]string{"text/plain", "text/json", "application/octet-stream"}, media) ||
		strings.HasPrefix(media, "application/vnd.")
}

// describeJSONError describes an error in a JSON text by its place. The texts of the libraries may quote the value
// there.
func describeJSONError(err error) string {
	if err == nil {
		return ""
	}
	var syntactic *jsontext.SyntacticError
	var semantic *json.SemanticError
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return "the JSON body ends in the middle"
	case errors.As(err, &syntactic):
		return fmt.Sprintf("the body is no well-formed JSON (byte %d)", syntactic.ByteOffset)
	case errors.As(err, &semantic):
		return fmt.Sprintf("the JSON member %.80q has a value of another type or form than it should",
			string(semantic.JSONPointer))
	}
	return "the body cannot be decoded"
}
