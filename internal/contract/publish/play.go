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

// The credentials with which the story is played. Identifiers depend on the client id.
const (
	clientID     = "sandbox"
	clientSecret = "sandbox-secret"
)

// An exchange is a request of the story and its response.
type exchange struct {
	scene
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

// newService returns a service like that of `payctl serve --seed 1 --clock manual`, so that the story is the same in each
// run. It limits rates, for the headers that tell the limit, and measures them by a clock that stands still.
func newService() (*refserver.Server, error) {
	start := sandbox.SeededStart
	return refserver.New(refserver.Config{
		Seed:      new(uint64(1)),
		Clock:     sandbox.ClockSetting{Mode: payments.ClockModeManual, Start: start},
		RateLimit: &server.RateLimit{Requests: 1000, Window: time.Minute, Now: func() time.Time { return start }},
	})
}

// play sends the requests of a story, one after the other.
func play(api openAPI, told story) ([]*exchange, error) {
	service, err := newService()
	if err != nil {
		return nil, err
	}
	defer service.Close()
	p := player{openAPI: api, story: told, service: service.Handler, answers: answers{}, operationOf: map[string]operation{}}
	for _, op := range api.operations() {
		p.operationOf[op.id] = op
	}
	for i, s := range told.Story {
		if err := p.send(s); err != nil {
			return nil, fmt.Errorf("request %d, %s: %w", i+1, s.Operation, err)
		}
	}
	return p.played, nil
}

// A player sends the requests of a story.
type player struct {
	openAPI
	story
	service     http.Handler
	answers     answers
	operationOf map[string]operation
	played      []*exchange
}

// send sends one request of the story.
func (p *player) send(s scene) error {
	op, known := p.operationOf[s.Operation]
	if !known {
		return errors.New("the document has no such operation")
	}
	x := &exchange{scene: s, operation: op, parameters: map[string]*yaml.Node{}}
	recorder, err := p.serve(x)
	for n := 1; err == nil && n < s.Repeat && recorder.Code != s.Status; n++ {
		recorder, err = p.serve(x)
	}
	if err != nil {
		return err
	}
	x.status, x.header = recorder.Code, recorder.Header()
	if s.Status != x.status && (s.Status != 0 || x.status >= 300) {
		return fmt.Errorf("the response is %d: %s", x.status, recorder.Body)
	}
	if recorder.Body.Len() > 0 {
		if err := p.readAnswer(x, recorder.Body.Bytes()); err != nil {
			return err
		}
	}
	p.played = append(p.played, x)
	return nil
}

func (p *player) serve(x *exchange) (*httptest.ResponseRecorder, error) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	request, err := p.request(ctx, x)
	if err != nil {
		return nil, err
	}
	recorder := httptest.NewRecorder()
	p.service.ServeHTTP(&firstPart{recorder, cancel}, request)
	return recorder, nil
}

// firstPart ends a stream after the part of it that comes at once.
type firstPart struct {
	*httptest.ResponseRecorder
	end context.CancelFunc
}

// Flush implements http.Flusher.
func (f *firstPart) Flush() { f.end() }

func (p *player) request(ctx context.Context, x *exchange) (*http.Request, error) {
	path, query, header := x.operation.path, url.Values{}, http.Header{}
	for _, u := range p.parameters(x.operation) {
		value, err := p.parameter(x, u.name)
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
	body, err := p.body(x, header)
	if err != nil {
		return nil, err
	}
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	method := cmp.Or(x.Method, x.operation.method)
	request := httptest.NewRequestWithContext(ctx, method, p.Server+path, bytes.NewReader(body))
	request.Header = header
	for name, value := range x.Headers {
		header.Set(name, value)
	}
	switch kind := p.security(x.operation); {
	case kind == "" || x.Token == "none":
	case kind == "basic":
		request.SetBasicAuth(clientID, clientSecret)
	default:
		token, err := p.answers.fill(text(cmp.Or(x.Token, p.Token)))
		if err != nil {
			return nil, err
		}
		header.Set("Authorization", "Bearer "+token.Value)
	}
	return request, nil
}

// parameter returns the value of a parameter: that of the scene or, in the example of an operation, the default.
func (p *player) parameter(x *exchange, name string) (*yaml.Node, error) {
	value, given := x.Parameters[name]
	if !given {
		if value, given = p.Defaults[name]; !given || x.Setup || len(examplesOf(x.operation, p.played)) > 0 || x.Status >= 400 {
			return nil, nil
		}
	}
	if value.Tag == "!!null" {
		return nil, nil
	}
	return p.answers.fill(&value)
}

// body returns the encoded body of a request.
func (p *player) body(x *exchange, header http.Header) (encoded []byte, err error) {
	media := pairs(get(p.resolve(get(x.operation.node, "requestBody")), "content"))
	if x.Size > 0 {
		encoded = bytes.Repeat([]byte(" "), x.Size)
	} else if !x.scene.Body.IsZero() {
		if x.body, err = p.answers.fill(&x.scene.Body); err != nil {
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
func (p *player) readAnswer(x *exchange, body []byte) error {
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
		p.answers[x.As] = clone(x.answer)
	}
	schema := get(p.response(x.operation, x.status), "content", x.media, "schema", "$ref")
	for name, value := range p.Replace {
		owner, member, _ := strings.Cut(name, ".")
		if schema != nil && strings.HasSuffix(schema.Value, "/"+owner) {
			set(x.answer, member, &value)
		}
	}
	return nil
}
