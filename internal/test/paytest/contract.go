package paytest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/gorillamux"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/payments"
)

// document is the OpenAPI document, parsed by an implementation that the service does not use.
var document = sync.OnceValues(func() (*openapi3.T, error) {
	loader := openapi3.NewLoader()
	doc, err := loader.LoadFromData(contract.YAML)
	if err != nil {
		return nil, err
	}
	doc.Servers = nil                        // the services of tests have other addresses
	return doc, doc.Validate(loader.Context) // also checks the examples
})

var router = sync.OnceValues(func() (routers.Router, error) {
	doc, err := document()
	if err != nil {
		return nil, err
	}
	return gorillamux.NewRouter(doc)
})

// Document returns the resolved OpenAPI document. It is shared: do not modify it.
func Document(t testing.TB) *openapi3.T {
	t.Helper()
	doc, err := document()
	if err != nil {
		t.Fatalf("the OpenAPI document: %v", err)
	}
	return doc
}

// CheckContract checks every exchange with a handler against the OpenAPI document, as CheckExchange does. A violation
// fails the test. The client gets the response anyway.
func CheckContract(t testing.TB, handler http.Handler) http.Handler {
	t.Helper()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var sent bytes.Buffer
		asked := r.Clone(r.Context())
		given := r.WithContext(r.Context()) // a copy: net/http checks the body of its own request if it was not read
		given.Body = &copying{r.Body, io.TeeReader(r.Body, &sent)}
		answer := &recording{ResponseWriter: w, status: http.StatusOK}
		handler.ServeHTTP(answer, given)
		if err := CheckExchange(asked, sent.Bytes(), answer.status, answer.Header(), answer.body.Bytes()); err != nil {
			t.Errorf("%s %s → %d breaks the contract: %v\nsent: %.2000s\ngot:  %.2000s",
				asked.Method, asked.URL, answer.status, err, sent.Bytes(), answer.body.Bytes())
		}
	})
}

// CheckExchange checks a request and its response against the OpenAPI document. sent is the body that the handler read.
// The operation must have such a response. A failure must be a problem document with the same status and the path. If
// the response is a success, the request must be valid.
func CheckExchange(r *http.Request, sent []byte, status int, header http.Header, body []byte) error {
	route, parameters, err := findRoute(r)
	if err := checkAnswer(r, route, status, header, body); err != nil {
		return err
	}
	switch {
	case r.Method == http.MethodOptions && status == http.StatusNoContent:
		return nil
	case err != nil && status >= http.StatusBadRequest:
		return nil // the service refuses paths that the document lacks
	case err != nil:
		return fmt.Errorf("a success of what the document does not have: %w", err)
	}
	request := r.Clone(r.Context())
	request.Body = io.NopCloser(bytes.NewReader(sent))
	options := &openapi3filter.Options{
		IncludeResponseStatus: true,
		SkipSettingDefaults:   true,
		AuthenticationFunc:    openapi3filter.NoopAuthenticationFunc,
		// These bodies are plain strings, which the library would parse.
		ExcludeResponseBody: header.Get("Content-Type") == "application/yaml" ||
			header.Get("Content-Type") == "text/event-stream",
	}
	input := &openapi3filter.RequestValidationInput{Request: request, PathParams: parameters, Route: route,
		Options: options}
	if status < http.StatusBadRequest {
		if err := openapi3filter.ValidateRequest(r.Context(), input); err != nil {
			return fmt.Errorf("a success, but the request is not valid: %w", err)
		}
	}
	if status == http.StatusNoContent || status == http.StatusNotModified {
		options.ExcludeResponseBody = true
	}
	return openapi3filter.ValidateResponse(r.Context(), &openapi3filter.ResponseValidationInput{
		RequestValidationInput: input,
		Status:                 status,
		Header:                 header,
		Body:                   io.NopCloser(bytes.NewReader(body)),
		Options:                options,
	})
}

// checkAnswer checks a response as serve --check does. The rest of CheckExchange uses another implementation.
func checkAnswer(r *http.Request, route *routers.Route, status int, header http.Header, body []byte) error {
	path := r.URL.EscapedPath()
	if path == "" && r.URL.Scheme != "" && r.URL.Host != "" {
		path = "/" // for an absolute target (RFC 9110 section 4.2.3)
	}
	var op *contract.Operation
	if route != nil {
		op = contract.Find(route.Operation.OperationID)
	}
	var wrong []error
	for _, violation := range contract.CheckResponse(op, &payments.Response{
		Method: r.Method, Path: path, Status: status, Header: header, Body: body,
	}) {
		wrong = append(wrong, fmt.Errorf("%s: %s", violation.Place, violation.Reason))
	}
	return errors.Join(wrong...)
}

// findRoute finds the operation of the document. HEAD is answered like GET. An unnecessary escape means the same as the
// character itself (RFC 3986 section 6.2.2.2).
func findRoute(r *http.Request) (*routers.Route, map[string]string, error) {
	paths, err := router()
	if err != nil {
		return nil, nil, err
	}
	r = r.Clone(r.Context())
	if r.Method == http.MethodHead {
		r.Method = http.MethodGet
	}
	if !strings.Contains(strings.ToUpper(r.URL.RawPath), "%2F") {
		r.URL.RawPath = ""
	}
	return paths.FindRoute(r)
}

// Serve sends a request to a handler and returns the response. An exchange that breaks the contract is an error.
func Serve(handler http.Handler, r *http.Request) (*http.Response, []byte, error) {
	var sent bytes.Buffer
	asked := r.Clone(r.Context())
	if r.Body != nil {
		r.Body = &copying{r.Body, io.TeeReader(r.Body, &sent)}
	}
	recorder := httptest.NewRecorder()
	handler.ServeHTTP(recorder, r)
	answer, body := recorder.Result(), recorder.Body.Bytes()
	return answer, body, CheckExchange(asked, sent.Bytes(), answer.StatusCode, answer.Header, body)
}

// copying is a request body that copies everything that is read from it.
type copying struct {
	io.Closer
	io.Reader
}

// recording keeps a copy of a response.
type recording struct {
	http.ResponseWriter
	status int
	body   bytes.Buffer
	sent   bool
}

func (r *recording) WriteHeader(status int) {
	if !r.sent && status >= http.StatusOK {
		r.status, r.sent = status, true
	}
	r.ResponseWriter.WriteHeader(status)
}

func (r *recording) Write(p []byte) (int, error) {
	r.sent = true
	r.body.Write(p)
	return r.ResponseWriter.Write(p)
}

// Unwrap lets http.ResponseController reach the original writer.
func (r *recording) Unwrap() http.ResponseWriter { return r.ResponseWriter }
