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
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/payctl/payctl/internal/client/redact"
	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/contract/servicemap"
	"github.com/payctl/payctl/internal/effect"
	"github.com/payctl/payctl/internal/payments"
)

// An operationCall is one use of an operation of the contract.
type operationCall struct {
	op     *contract.Operation
	params []string // of the path
	query  url.Values
	body   any           // a []byte is JSON; anything else is encoded; nil means no body
	key    string        // the idempotency key, or empty
	match  string        // the If-Match header, or empty
	wait   time.Duration // how long the service should hold its response (RFC 7240 section 4.3)
	needs  string        // a member that the response must have, or empty

	isFresh bool              // no cache may answer
	shown   *servicemap.Shown // receives what a successful response shows, unless nil

	maySend effect.SendCheck // of a write

	credential string // the whole Authorization header, instead of the token source's
}

// fetch calls an operation whose response is a JSON object that is not empty.
func fetch[T any](ctx context.Context, c *Client, call operationCall) (T, error) {
	value, _, err := fetchWithResponse[T](ctx, c, call, nil)
	return value, err
}

// fetchWithResponse is fetch with the response, also of an error if there was one. Check returns what makes the object
// unusable. A nil check accepts all. A response without a usable object counts as lost, so the request may be sent
// again.
func fetchWithResponse[T any](
	ctx context.Context, c *Client, call operationCall, check func(*T) string,
) (value T, response *payments.Response, err error) {
	response, err = c.call(ctx, call, func(response *payments.Response) string {
		value = *new(T)
		shown, fault := c.shown(call, response)
		isFound := response.Status == http.StatusNoContent && c.config.ServiceMap.FindsOne(call.op, call.query)
		if call.isFresh && response.Status != http.StatusOK && !isFound { // 202 and 206 do not show a whole resource
			fault = fmt.Sprintf("the status %d does not answer a read", response.Status)
		}
		if call.shown != nil {
			*call.shown = shown
		}
		if fault == "" {
			fault = describeJSONError(effect.Read(shown.Document, &value))
		}
		if fault == "" && call.needs != "" && effect.Text(shown.Document, call.needs) == "" {
			fault = "the JSON body has no " + call.needs
		}
		if fault == "" && check != nil {
			fault = check(&value)
		}
		return fault
	})
	if call.op.IsSandbox() {
		err = c.checkSandbox(response, err)
	}
	if err != nil {
		return *new(T), response, err
	}
	return value, response, nil
}

// call calls an operation. Accept returns why a successful response cannot be used. A nil accept accepts all.
func (c *Client) call(
	ctx context.Context, call operationCall, accept func(*payments.Response) string,
) (*payments.Response, error) {
	r, err := c.newRequest(ctx, call)
	if err != nil {
		return nil, err
	}
	if accept != nil {
		r.accept = accept
	}
	result := c.sendWithRetries(ctx, r)
	return result.response, result.err
}

// callForNoContent calls an operation whose successful response has nothing to decode.
func (c *Client) callForNoContent(ctx context.Context, call operationCall) error {
	_, err := c.call(ctx, call, acceptNoContent)
	return err
}

// acceptNoContent accepts a response without a body, or with JSON. Another body, such as a proxy's page, is a failure.
func acceptNoContent(response *payments.Response) string {
	if len(response.Body) == 0 {
		return ""
	}
	return cmp.Or(formFault(response), jsonFault(response.Body))
}

// isReplay reports whether a response repeats the first response to its key.
func isReplay(response *payments.Response) bool {
	return field(response, "Idempotency-Replayed") == "true"
}

// A request is one call over HTTP. It may be sent several times.
type request struct {
	op     *contract.Operation // nil for a call to any path
	method string
	url    *url.URL
	header http.Header // without the credential, the key and the preference
	body   []byte
	key    string        // the Idempotency-Key, or empty
	wait   time.Duration // how long the service should hold its response

	isWrite bool // the call may change something
	// the error of an unknown attempt with the same key, also by an earlier program
	lostBefore error
	maxBody    int64                           // the largest body of a response, in bytes
	isStream   bool                            // the body of a response with status 200 becomes stream; nothing is retried
	stream     io.ReadCloser                   // open unless nil
	maySend    effect.SendCheck                // is asked immediately before a write leaves; nil means a read
	hasTurn    bool                            // Config.Pace has let it pass
	accept     func(*payments.Response) string // returns why a successful response cannot be used

	credential   string // the whole Authorization header, instead of the token source's
	isAnonymous  bool   // it has no credential
	returnsToken bool   // a successful response has a credential that the caller needs
}

// newRequest makes the request of a call. A change of the sandbox needs a service with a sandbox.
func (c *Client) newRequest(ctx context.Context, call operationCall) (*request, error) {
	if call.op.IsSandbox() && call.op.Method != http.MethodGet {
		if err := c.requireSandbox(ctx); err != nil {
			return nil, err
		}
	}
	for _, value := range call.params {
		if value == "" || value == "." || value == ".." { // it would address something else (RFC 3986 section 3.3)
			return nil, payments.NotFound("resource", value)
		}
	}
	body, isEncoded := call.body.([]byte)
	if !isEncoded && call.body != nil {
		var err error
		if body, err = json.Marshal(call.body, json.Deterministic(true)); err != nil {
			return nil, invalidRequest("The body of %s cannot be written as JSON: %v.", call.op.ID, err)
		}
	}
	at, err := c.config.ServiceMap.Request(servicemap.Call{Op: call.op, Params: call.params,
		Query: call.query, Body: body})
	if err != nil {
		return nil, notMapped(err)
	}
	r, err := c.requestTo(at.Method, at.Path, at.Query)
	if err != nil {
		return nil, err
	}
	if err := r.setKey(call.key); err != nil {
		return nil, err
	}
	r.op, r.maySend, r.wait = call.op, call.maySend, max(call.wait.Truncate(time.Second), 0)
	r.credential, r.returnsToken = call.credential, call.op.ID == contract.CreateAccessToken.ID
	r.isWrite = !call.op.IsRead() && !r.returnsToken
	if call.isFresh {
		r.header.Set("Cache-Control", "no-cache") // RFC 9111 section 5.2.1.4
	}
	if call.op.ID == contract.GetSandboxSnapshot.ID {
		r.maxBody = maxSnapshotBytes
	}
	if call.match != "" {
		if err := r.addHeader(http.Header{"If-Match": {call.match}}); err != nil {
			return nil, err
		}
	}
	if at.Method == http.MethodPut && call.op.Use().Action == contract.Creates {
		r.header.Set("If-None-Match", "*") // an existing resource must not be replaced
	}
	if r.body = at.Body; len(r.body) > 0 {
		r.header.Set("Content-Type", cmp.Or(at.Media, call.op.BodyMedia))
	}
	return r, nil
}

// requestTo makes a request for an escaped path below the base URL.
func (c *Client) requestTo(method, path string, query url.Values) (*request, error) {
	target := *c.base
	text := strings.TrimRight(c.base.EscapedPath(), "/") + path
	decoded, err := url.PathUnescape(text)
	if err != nil {
		return nil, invalidRequest(
			"The path %q is not escaped correctly: a percent sign must be followed by two hexadecimal digits.", path)
	}
	target.Path, target.RawPath, target.RawQuery = decoded, text, query.Encode()
	header := http.Header{"Accept": {"application/json, application/problem+json"}, "User-Agent": {c.config.UserAgent}}
	if c.config.Traceparent != "" {
		header["Traceparent"] = []string{c.config.Traceparent}
	}
	anyResponse := func(*payments.Response) string { return "" }
	return &request{method: method, url: &target, header: header, maxBody: maxBodyBytes, accept: anyResponse}, nil
}

// setKey sets the idempotency key. Empty means none.
func (r *request) setKey(key string) error {
	if !isVisibleASCII(key) {
		return invalidRequest("The idempotency key %q holds a space or a character that is not visible ASCII.", key)
	}
	r.key = key
	return nil
}

// mask returns the mask for what is shown about a request.
func (c *Client) mask(r *request) redact.Mask {
	return c.config.Secrets.Mask(r.url.Query(), r.body)
}

// shows returns what the body of a response may show.
func (r *request) shows(status int) redact.Body {
	switch {
	case r.returnsToken:
		return redact.Token
	case status >= http.StatusBadRequest:
		return redact.Failure
	}
	return redact.Resource
}

// otherID returns a fault if the shown id is not the one that was asked for. An unknown id is not a fault. A service,
// or a cache before it, that confuses two responses must not lead money or data to another account or contact.
func otherID(shown, asked string) string {
	if shown == "" || asked == "" || shown == asked {
		return ""
	}
	return "the JSON body is of another request: its id is " + payments.QuoteReference(shown) + ", and not " +
		payments.QuoteReference(asked)
}

// shown returns what a successful response to a call shows, in the contract's terms. Fault is why it shows nothing. It
// has no value of the response.
func (c *Client) shown(call operationCall, response *payments.Response) (shown servicemap.Shown, fault string) {
	body := jsontext.Value(bytes.TrimSpace(response.Body))
	if fault := formFault(response); fault != "" {
		return shown, fault
	}
	if len(body) == 0 && response.Status == http.StatusNoContent && c.config.ServiceMap.FindsOne(call.op, call.query) {
		body = jsontext.Value("null")
	}
	if len(body) == 0 {
		return shown, fmt.Sprintf("status %d came without a body", response.Status)
	}
	_, isList := call.op.Shown()
	switch {
	case !utf8.Valid(body):
		return shown, "the body is not JSON in UTF-8"
	case body[0] != '{' && !isList && !call.op.IsRead():
		return shown, "the body is no JSON object"
	case len(bytes.Trim(body, "{} \t\r\n")) == 0:
		return shown, "the JSON body is empty"
	}
	plain := *response
	plain.Body = body
	shown, err := c.config.ServiceMap.Response(servicemap.Call{Op: call.op, Params: call.params, Query: call.query},
		&plain)
	if err != nil {
		return shown, describeJSONError(err)
	}
	if shown.Document.Kind() != '{' {
		return shown, "the body is no JSON object"
	}
	return shown, ""
}

// formFault returns why, by its header, a successful response is not JSON, or "".
func formFault(response *payments.Response) string {
	coding := strings.Join(response.Header["Content-Encoding"], ", ") // the transport removes gzip with its field
	kind, media := contentType(response), mediaType(response)
	switch {
	case coding != "" && !strings.EqualFold(coding, "identity"):
		return fmt.Sprintf("status %d came in the content coding %.80q, which was not asked for", response.Status, coding)
	case kind != "" && (!isJSON(media) && !mayBeJSON(media) || media == mediaProblem):
		return fmt.Sprintf("status %d came with a body of type %.80q instead of JSON", response.Status, kind)
	}
	return ""
}

// mayBeJSON reports whether services send JSON under an unspecific media type.
func mayBeJSON(media string) bool {
	return slices.Contains([]string{"text/plain", "text/json", "application/octet-stream"}, media) ||
		strings.HasPrefix(media, "application/vnd.")
}

// describeJSONError describes an error in a JSON text by its position. The libraries' texts may quote the value there.
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
		return fmt.Sprintf("the body is not well-formed JSON (byte %d)", syntactic.ByteOffset)
	case errors.As(err, &semantic):
		return fmt.Sprintf("the JSON member %.80q has a value of another type or form than it should",
			string(semantic.JSONPointer))
	}
	return err.Error()
}
