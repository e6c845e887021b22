package server

import (
	"bytes"
	"io"
	"maps"
	"net/http"
	"net/url"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/contract/servicemap"
	"github.com/payctl/payctl/internal/payments"
)

// hasElsewhere reports whether Config.As does not have an operation at the contract's path. The OpenAPI documents
// count, because they do not describe the imitated service.
func (s *Server) hasElsewhere(op *contract.Operation) bool {
	if s.config.As == nil {
		return false
	}
	_, isMapped := s.config.As.Route(op)
	return isMapped || op == &contract.GetOpenAPIDocumentJSON || op == &contract.GetOpenAPIDocumentYAML
}

// imitate answers a request like the service of Config.As. Sandbox operations, the page and probes stay unchanged.
func (s *Server) imitate(w http.ResponseWriter, r *http.Request) {
	as, method := s.config.As, r.Method
	if method == http.MethodHead {
		method = http.MethodGet
	}
	op, _, _ := as.Find(method, r.URL.EscapedPath())
	if op == nil || op.IsSandbox() || op.Access == contract.Open {
		s.answer(w, r, nil, nil)
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, s.config.Bounds.BodyBytes))
	if err != nil {
		s.answer(w, r, op, payments.NewProblem(payments.ProblemContentTooLarge, "The body cannot be read: %v.", err))
		return
	}
	call, _, refusal := as.Accept(servicemap.Wire{Method: method, Path: r.URL.EscapedPath(), Query: r.URL.Query(),
		Body: body})
	if refusal != nil {
		refusal = malformed("%s", payments.Sentence(refusal.Error()))
	} else if missing := as.Missing(call, body); len(missing) > 0 {
		refusal = payments.NewValidationProblem(missing)
	}
	if refusal != nil {
		s.answer(w, r, op, refusal)
		return
	}
	header := r.Header.Clone()
	if as.KeyHeader != "" {
		header["Idempotency-Key"] = r.Header.Values(as.KeyHeader)
	}
	switch {
	case len(call.Body) == 0:
		header.Del("Content-Type")
	case mediaType(r) == mediaJSON:
		header.Set("Content-Type", op.BodyMedia)
	}
	get := func(query url.Values) *payments.Response {
		inner := r.Clone(r.Context())
		inner.Header, inner.URL.RawQuery = header.Clone(), query.Encode()
		inner.Body, inner.ContentLength = io.NopCloser(bytes.NewReader(call.Body)), int64(len(call.Body))
		for i, name := range contract.Parameters(op.Path) {
			inner.SetPathValue(name, call.Params[i])
		}
		response := &imitation{below: w, as: as, bufferedResponse: bufferedResponse{header: http.Header{}}}
		s.answer(response, inner, op, nil)
		if response.isSent {
			return nil
		}
		return &payments.Response{Status: response.status, Header: response.header, Body: response.body.Bytes()}
	}
	reply := as.Page(call, get)
	if reply == nil {
		return
	}
	written := reply
	if jsontext.Value(reply.Body).IsValid() { // a fault may have cut it
		if written, err = as.Answer(call, r.URL, reply); err != nil {
			s.answer(w, r, op, payments.NewProblem(payments.ProblemInternal, "The imitated service cannot show it: %v.", err))
			return
		}
		written.Header["Content-Length"] = []string{strconv.Itoa(len(written.Body))}
	}
	maps.Copy(w.Header(), written.Header)
	w.WriteHeader(written.Status)
	_, _ = w.Write(written.Body) // the client may be gone
}

// An imitation keeps a response until it is complete. It translates a stream of events message by message.
type imitation struct {
	bufferedResponse
	below  http.ResponseWriter
	as     *servicemap.Map
	isSent bool // the header of a stream or of a cut response has left
}

// WriteHeader implements http.ResponseWriter.
func (w *imitation) WriteHeader(status int) {
	w.status = status
	if w.header.Get("Content-Type") == mediaEventStream {
		w.send()
	}
}

func (w *imitation) send() {
	w.isSent = true
	maps.Copy(w.below.Header(), w.header)
	w.below.WriteHeader(w.status)
}

// Write implements http.ResponseWriter. Each message of a stream comes in one piece.
func (w *imitation) Write(p []byte) (int, error) {
	if !w.isSent {
		return w.body.Write(p)
	}
	const data = "data: "
	lines := bytes.Split(p, []byte("\n"))
	for i, line := range lines {
		if event, isData := bytes.CutPrefix(line, []byte(data)); isData {
			translated, err := w.as.AnswerEvent(event)
			if err != nil {
				return 0, err
			}
			lines[i] = append([]byte(data), translated...)
		}
	}
	_, err := w.below.Write(bytes.Join(lines, []byte("\n")))
	return len(p), err
}

// FlushError implements the interface that http.ResponseController looks for.
func (w *imitation) FlushError() error {
	if !w.isSent {
		w.send()
		_, _ = w.below.Write(w.body.Bytes()) // if that fails, Flush fails too
	}
	return http.NewResponseController(w.below).Flush()
}

// Unwrap lets http.ResponseController reach the connection.
func (w *imitation) Unwrap() http.ResponseWriter { return w.below }
