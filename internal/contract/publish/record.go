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

// The credentials of the client that sends the requests. Identifiers depend on the client id.
const (
	clientID     = "sandbox"
	clientSecret = "sandbox-secret"
)

// An exchange is a request and its response.
type exchange struct {
	exampleRequest
	operation  operation
	parameters map[string]*yaml.Node
	body       *yaml.Node // of the request; nil: none
	status     int
	header     http.Header
	media      string
	answer     *yaml.Node // the body of the response; nil: none
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

// newService returns a service like that of `payctl serve --seed 1 --clock manual`, so that the responses are the same in each
// run. It limits rates, for the headers that tell the limit, and measures them by a clock that stands still.
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
	r := recording{openAPI: api, requestList: list, service: service.Handler, responses: responses{}, operationOf: map[string]operation{}}
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

// send sends one request.
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
		if err := r.readAnswer(x, recorder.Body.Bytes()); err != nil {
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

// firstPart ends a stream after the part of it that comes at once.
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
		sent := value.Value
		if value.Kind == yaml.SequenceNode {
			var all []string
			for _, element := range value.Content {
				all = append(all, element.Value)
			}
			sent = strings.Join(all, ",")
		}
		switch u.in {
		case "path":
			path = strings.ReplaceAll(path, "{"+u.name+"}", url.PathEscape(sent))
		case "query":
			query.Set(u.name, sent)
		case "header":
			header.Set(u.name, sent)
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

// parameter returns the value of a parameter: that of the exampleRequest or, in the example of an operation, the default.
func (r *recording) parameter(x *exchange, name string) (*yaml.Node, error) {
	value, given := x.Parameters[name]
	if !given {
		if value, given = r.Defaults[name]; !given || x.Setup || len(examplesOf(x.operation, r.recorded)) > 0 || x.Status >= 400 {
			return nil, nil
		}
	}
	if value.Tag == "!!null" {
		return nil, nil
	}
	return r.responses.fill(&value)
}

// body returns the encoded body of a request.
func (r *recording) body(x *exchange, header http.Header) (encoded []byte, err error) {
	media := pairs(get(r.resolve(get(x.operation.node, "requestBody")), "content"))
	if x.Size > 0 {
		encoded = bytes.Repeat([]byte(" "), x.Size)
	} else if !x.exampleRequest.Body.IsZero() {
		if x.body, err = r.responses.fill(&x.exampleRequest.Body); err != nil {
			return nil, err
		}
		if encoded, err = encodeJSON(x.body); err != nil {
			return nil, err
		}
	}
	if len(encoded) > 0 && len(media) > 0 {
		header.Set("Content-Type", media[0].key)
	}
	return encoded, nil
}

// readAnswer keeps the body of a response.
func (r *recording) readAnswer(x *exchange, body []byte) error {
	var err error
	if x.media, _, err = mime.ParseMediaType(x.header.Get("Content-Type")); err != nil {
		return err
	}
	switch {
	case !x.Response.IsZero():
		x.answer = &x.Response
	case strings.HasSuffix(x.media, "json"):
		var document yaml.Node // JSON is YAML
		if err := yaml.Unmarshal(body, &document); err != nil {
			return err
		}
		x.answer = document.Content[0]
	default:
		x.answer = text(string(body))
	}
	if x.As != "" {
		r.responses[x.As] = clone(x.answer)
	}
	schema := get(r.response(x.operation, x.status), "content", x.media, "schema", "$ref")
	for name, value := range r.Replace {
		owner, member, _ := strings.Cut(name, ".")
		if schema != nil && strings.HasSuffix(schema.Value, "/"+owner) {
			set(x.answer, member, &value)
		}
	}
	return nil
}
