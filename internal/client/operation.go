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
	"strconv"
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

// callOperation calls an operation whose response is a JSON object. Check returns what makes the object unusable, such
// as "has no id"; empty when nothing does. An empty object must not pass for a resource.
func callOperation[T any](
	ctx context.Context, c *Client, call operationCall, check func(*T) string,
) (T, *Response, error) {
	r, err := c.prepare(ctx, call)
	if err != nil {
		return *new(T), nil, err
	}
	value, response, err := sendForObject(ctx, c, r, check)
	if call.op.IsSandbox() {
		err = c.checkSandbox(response, err)
	}
	return value, response, err
}

// fetch is callOperation without the response that held the object.
func fetch[T any](ctx context.Context, c *Client, call operationCall, check func(*T) string) (T, error) {
	value, _, err := callOperation(ctx, c, call, check)
	return value, err
}

// sendForObject sends a request and reads the document of its response. A response that is none, or does not pass the
// check, counts as lost, so that the request may be sent again.
func sendForObject[T any](
	ctx context.Context, c *Client, r *request, check func(*T) string,
) (value T, _ *Response, _ error) {
	r.accept = func(response *Response) string {
		value = *new(T)
		if response.Status == http.StatusNotModified {
			return ""
		}
		document, fault := c.documentOf(r.op, response)
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
	}
	result := c.sendWithRetries(ctx, r)
	if result.err != nil {
		return *new(T), nil, result.err
	}
	return value, result.response, nil
}

// callForResponse calls an operation whose response is not decoded.
func (c *Client) callForResponse(ctx context.Context, call operationCall) (*Response, error) {
	r, err := c.prepare(ctx, call)
	if err != nil {
		return nil, err
	}
	result := c.sendWithRetries(ctx, r)
	return result.response, result.err
}

// callForNoContent calls an operation whose successful response has nothing to decode. A service may send JSON all the
// same; another body, such as the page of a proxy, is no success.
func (c *Client) callForNoContent(ctx context.Context, call operationCall) error {
	r, err := c.prepare(ctx, call)
	if err != nil {
		return err
	}
	r.accept = func(response *Response) string {
		if len(response.Body) == 0 {
			return ""
		}
		return cmp.Or(formFault(response), jsonFault(response.Body))
	}
	return c.sendWithRetries(ctx, r).err
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

// read is callOperation for a conditional read.
func read[T any](
	ctx context.Context, c *Client, call operationCall, check func(*T) string,
) (payments.ReadResult[T], error) {
	value, response, err := callOperation(ctx, c, call, check)
	if err != nil {
		return payments.ReadResult[T]{}, err
	}
	result := payments.ReadResult[T]{
		Value: value, ETag: response.Header.Get("ETag"), NotModified: response.Status == http.StatusNotModified,
	}
	if result.NotModified && result.ETag == "" {
		result.ETag = call.since.ETag
	}
	return result, nil
}

// write is callOperation for a change of the sandbox, which takes an idempotency key.
func write[T any](
	ctx context.Context, c *Client, call operationCall, check func(*T) string,
) (payments.WriteResult[T], error) {
	value, response, err := callOperation(ctx, c, call, check)
	return payments.WriteResult[T]{Value: value, Replayed: err == nil && isReplay(response)}, err
}

// isReplay reports whether a response repeats the first response to its key.
func isReplay(response *Response) bool { return response.Header.Get("Idempotency-Replayed") == "true" }

// encode returns the body of a call.
func encode(op *contract.Operation, body any) ([]byte, error) {
	switch body := body.(type) {
	case nil:
		return nil, nil
	case []byte:
		return body, nil
	}
	encoded, err := json.Marshal(body, json.Deterministic(true))
	if err != nil {
		return nil, invalidRequest("The body of %s cannot be written as JSON: %v.", op.ID, err)
	}
	return encoded, nil
}

// checkParams returns an error for the parameters of a path that are no path segments (RFC 3986 section 3.3); sent, they
// would address something else.
func checkParams(params []string) error {
	for _, value := range params {
		if value == "" || value == "." || value == ".." {
			return payments.NotFound("resource", value)
		}
	}
	return nil
}

// newRequest makes the request of a call.
func (c *Client) newRequest(call operationCall) (*request, error) {
	if err := checkParams(call.params); err != nil {
		return nil, err
	}
	at := c.route(call.op)
	r, err := c.requestTo(at.Method, contract.Expand(at.Path, call.params...), c.dialect.Query(dialect.ResourceOf(call.op), call.query))
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
	if r.body, err = encode(call.op, call.body); err != nil {
		return nil, err
	}
	r.op, r.body = call.op, c.dialect.Body(dialect.ResourceOf(call.op), r.body)
	if call.body != nil {
		r.header.Set("Content-Type", call.op.BodyMedia)
	}
	return r, nil
}

// pageQuery returns the query of a list: what every list takes, and filters as pairs of name and value. Empty values
// are left out.
func pageQuery(page payments.PageQuery, filters ...string) url.Values {
	filters = append(filters, "cursor", page.Cursor)
	if page.Limit != 0 {
		filters = append(filters, "limit", strconv.Itoa(page.Limit))
	}
	if !page.CreatedAfter.IsZero() {
		filters = append(filters, "createdAfter", page.CreatedAfter.UTC().Format(time.RFC3339Nano))
	}
	if !page.CreatedBefore.IsZero() {
		filters = append(filters, "createdBefore", page.CreatedBefore.UTC().Format(time.RFC3339Nano))
	}
	query := url.Values{}
	for pair := range slices.Chunk(filters, 2) {
		if pair[1] != "" {
			query.Set(pair[0], pair[1])
		}
	}
	return query
}

// joined writes a list for a query parameter whose values are separated by commas.
func joined[T ~string](values []T) string {
	var b strings.Builder
	for i, value := range values {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(string(value))
	}
	return b.String()
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
