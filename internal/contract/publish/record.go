package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/refserver"
	"github.com/payctl/payctl/internal/sandbox"
	"github.com/payctl/payctl/internal/server"
)

// Credentials of the client that sends the requests. The identifiers in the examples depend on the client id.
const (
	clientID     = "sandbox"
	clientSecret = "sandbox-secret"
)

// An exchange is a request and its response.
type exchange struct {
	exampleRequest
	operation  operation
	parameters map[string]*yaml.Node
	sent       *yaml.Node // the body of the request; nil: none
	status     int
	header     http.Header // of the response
	media      string      // of the response, without parameters
	received   *yaml.Node  // the body of the response; nil: none
}

// examplesOf lists the exchanges that are the examples of an operation: its first success, and those with a name.
func examplesOf(op operation, exchanges []*exchange) (found []*exchange) {
	for _, x := range exchanges {
		if x.operation.id == op.id && x.status < 300 && !x.Setup && (len(found) == 0 || x.Example != "") {
			found = append(found, x)
		}
	}
	return found
}

// newService returns a service like that of `payctl serve --seed 1 --clock manual`, so that the responses are the same in
// each run. It limits rates, so that responses have the headers of the limit, by a clock that stands still.
func newService() (*refserver.Server, error) {
	start := sandbox.SeededStart
	return refserver.New(refserver.Config{
		Seed:      new(uint64(1)),
		Clock:     sandbox.ClockSetting{Mode: payments.ClockModeManual, Start: start},
		RateLimit: &server.RateLimit{Requests: 1000, Window: time.Minute, Now: func() time.Time { return start }},
	})
}

// record sends the requests of a list, one after the other.
func record(api openAPI, list requestList) ([]*exchange, error) {
	service, err := newService()
	if err != nil {
		return nil, err
	}
	defer service.Close()
	r := recording{
		openAPI: api, requestList: list, service: service.Handler,
		responses: responses{}, operationOf: map[string]operation{},
	}
	for _, op := range api.operations() {
		r.operationOf[op.id] = op
	}
	for i, s := range list.Requests {
		if err := r.send(s); err != nil {
			return nil, fmt.Errorf("request %d, %s: %w", i+1, s.Operation, err)
		}
	}
	return r.recorded, nil
}

// A recording sends the requests of a list and keeps their exchanges.
type recording struct {
	openAPI
	requestList
	service     http.Handler
	responses   responses
	operationOf map[string]operation
	recorded    []*exchange
}

// send sends one request, and keeps the exchange if the response has the expected status.
func (r *recording) send(s exampleRequest) error {
	op, known := r.operationOf[s.Operation]
	if !known {
		return errors.New("the document has no such operation")
	}
	x := &exchange{exampleRequest: s, operation: op, parameters: map[string]*yaml.Node{}}
	recorder, err := r.serve(x)
	for n := 1; err == nil && n < s.Repeat && recorder.Code != s.Status; n++ {
		recorder, err = r.serve(x)
	}
	if err != nil {
		return err
	}
	x.status, x.header = recorder.Code, recorder.Header()
	if s.Status != x.status && (s.Status != 0 || x.status >= 300) {
		return fmt.Errorf("the response is %d: %s", x.status, recorder.Body)
	}
	if recorder.Body.Len() > 0 {
		if err := r.readResponse(x, recorder.Body.Bytes()); err != nil {
			return err
		}
	}
	r.recorded = append(r.recorded, x)
	return nil
}

func (r *recording) serve(x *exchange) (*httptest.ResponseRecorder, error) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	request, err := r.request(ctx, x)
	if err != nil {
		return nil, err
	}
	recorder := httptest.NewRecorder()
	r.service.ServeHTTP(&firstPart{recorder, cancel}, request)
	return recorder, nil
}

// firstPart ends a stream at its first flush, after the events that are there already.
type firstPart struct {
	*httptest.ResponseRecorder
	end context.CancelFunc
}

// Flush implements http.Flusher.
func (f *firstPart) Flush() { f.end() }

func (r *recording) request(ctx context.Context, x *exchange) (*http.Request, error) {
	path, query, header := x.operation.path, url.Values{}, http.Header{}
	for _, u := range r.parameters(x.operation) {
		value, err := r.parameter(x, u.name)
		if err != nil {
			return nil, err
		}
		if value == nil {
			continue
		}
		x.parameters[u.name] = value
		encoded := value.Value
		if value.Kind == yaml.SequenceNode {
			var all []string
			for _, element := range value.Content {
				all = append(all, element.Value)
			}
			encoded = strings.Join(all, ",")
		}
		switch u.in {
		case "path":
			path = strings.ReplaceAll(path, "{"+u.name+"}", url.PathEscape(encoded))
		case "query":
			query.Set(u.name, encoded)
		case "header":
			header.Set(u.name, encoded)
		}
	}
	body, err := r.body(x, header)
	if err != nil {
		return nil, err
	}
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	method := cmp.Or(x.Method, x.operation.method)
	request := httptest.NewRequestWithContext(ctx, method, r.Server+path, bytes.NewReader(body))
	request.Header = header
	for name, value := range x.Headers {
		header.Set(name, value)
	}
	switch kind := r.security(x.operation); {
	case kind == "" || x.Token == "none":
	case kind == "basic":
		request.SetBasicAuth(clientID, clientSecret)
	default:
		token, err := r.responses.fill(text(cmp.Or(x.Token, r.Token)))
		if err != nil {
			return nil, err
		}
		header.Set("Authorization", "Bearer "+token.Value)
	}
	return request, nil
}

// parameter returns the value of a parameter, or nil if the request does not send it. The defaults are for the example of
// an operation only, which is its first success.
func (r *recording) parameter(x *exchange, name string) (*yaml.Node, error) {
	value, given := x.Parameters[name]
	isExample := !x.Setup && x.Status < 400 && len(examplesOf(x.operation, r.recorded)) == 0
	if !given && isExample {
		value, given = r.Defaults[name]
	}
	if !given || value.Tag == "!!null" {
		return nil, nil
	}
	return r.responses.fill(&value)
}

// body returns the encoded body of a request.
func (r *recording) body(x *exchange, header http.Header) (encoded []byte, err error) {
	media := pairs(get(r.resolve(get(x.operation.node, "requestBody")), "content"))
	if x.Size > 0 {
		encoded = bytes.Repeat([]byte(" "), x.Size)
	} else if !x.Body.IsZero() {
		if x.sent, err = r.responses.fill(&x.Body); err != nil {
			return nil, err
		}
		if encoded, err = encodeJSON(x.sent); err != nil {
			return nil, err
		}
	}
	if len(encoded) > 0 && len(media) > 0 {
		header.Set("Content-Type", media[0].key)
	}
	return encoded, nil
}

// readResponse sets the media type and the body of the response of an exchange.
func (r *recording) readResponse(x *exchange, body []byte) error {
	var err error
	if x.media, _, err = mime.ParseMediaType(x.header.Get("Content-Type")); err != nil {
		return err
	}
	switch {
	case !x.Response.IsZero():
		x.received = &x.Response
	case strings.HasSuffix(x.media, "json"):
		var document yaml.Node // JSON is YAML
		if err := yaml.Unmarshal(body, &document); err != nil {
			return err
		}
		x.received = document.Content[0]
	default:
		x.received = text(string(body))
	}
	if x.As != "" {
		r.responses[x.As] = clone(x.received)
	}
	schema := get(r.response(x.operation, x.status), "content", x.media, "schema", "$ref")
	for name, value := range r.Replace {
		owner, member, _ := strings.Cut(name, ".")
		if schema != nil && strings.HasSuffix(schema.Value, "/"+owner) {
			set(x.received, member, &value)
		}
	}
	return nil
}
