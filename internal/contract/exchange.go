package contract

import (
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
)

// An Exchange is a response with what is known of its request.
type Exchange struct {
	// Operation is nil if the contract has no operation for the method and path.
	Operation *Operation
	// Method and Path are the request's; the path is escaped as it was sent.
	Method, Path string
	Status       int
	// Header has canonical names.
	Header map[string][]string
	// Body is the response's; for HEAD, the one that GET would have got.
	Body []byte
}

// A Violation is a place where a response differs from the contract.
type Violation struct {
	// Place is status, headers or body, or a part of these such as body.data[0].id.
	Place  string `json:"place"`
	Reason string `json:"reason"`
}

// UnknownMember is the reason of a member that the contract does not have.
const UnknownMember = "the contract has no such member"

// Check compares a response with the contract: the operation must have its status, with the right headers, media type and
// body, and the body must have no unknown member. An error must be a problem document with the same status and the
// request's path. Check returns nil if the response keeps the contract.
func (e *Exchange) Check() []Violation {
	r := Report{isResponse: true}
	var response *Response
	switch {
	case e.Operation != nil:
		response = e.Operation.ResponseFor(e.Status)
	case e.Status >= 400:
		response = &responseProblem // an unknown operation is refused
	case e.Method == "OPTIONS" && e.Status == 204:
		response = &responseOptions
	}
	if response == nil {
		r.add("status", "must be one that the contract has for this request, not %d", e.Status)
		return r.violations()
	}
	for _, header := range response.Headers {
		if value, there := e.get(header.Name); there {
			r.checkValue(header.Schema, "headers."+header.Name, value)
		} else if header.Required {
			r.add("headers."+header.Name, "is required")
		}
	}
	if e.Status >= 400 {
		e.checkFailure(&r)
	}
	e.checkBody(&r, response)
	return r.violations()
}

// responseOptions is the response to OPTIONS (RFC 9110 section 9.3.7), which the document does not describe.
var responseOptions = Response{Headers: []Member{{Name: "Allow", Schema: &Schema{Kind: String, MinLength: 1}, Required: true}}}

func (e *Exchange) get(header string) (value string, there bool) {
	values := e.Header[header]
	if len(values) == 0 {
		return "", false
	}
	return values[0], true
}

func (e *Exchange) checkBody(r *Report, response *Response) {
	media, _ := e.get("Content-Type")
	i := slices.IndexFunc(response.Content, func(m Media) bool { return m.Type == media })
	switch {
	case len(response.Content) == 0:
		if len(e.Body) > 0 {
			r.add("body", "must be empty, and has %d bytes", len(e.Body))
		}
	case i < 0:
		r.add("headers.Content-Type", "must be a media type of this response, not %q", media)
	case strings.HasSuffix(media, "json"):
		if err := r.validateBody(response.Content[i].Schema, e.Body, "body"); err != nil {
			r.add("body", "cannot be read: %v", err)
		}
	}
}

// violations returns what a report found, sorted by field.
func (r *Report) violations() (found []Violation) {
	for _, field := range slices.Sorted(maps.Keys(r.Errors)) {
		for _, message := range r.Errors[field] {
			found = append(found, Violation{field, message})
		}
	}
	for _, field := range r.Unknown {
		found = append(found, Violation{field, UnknownMember})
	}
	return found
}

// checkFailure checks an error against RFC 9457 and the specification heading "Errors".
func (e *Exchange) checkFailure(r *Report) {
	var problem struct {
		Type, Title, Detail, Instance string
		Status                        int
		Errors                        map[string][]string
	}
	if err := json.Unmarshal(e.Body, &problem, json.MatchCaseInsensitiveNames(true)); err != nil {
		return // checkBody reports it
	}
	if problem.Status != e.Status {
		r.add("body.status", "must be the response's status %d, not %d", e.Status, problem.Status)
	}
	if problem.Title == "" || problem.Detail == "" {
		r.add("body", "must have a title and a detail")
	}
	if problem.Instance != e.Path {
		r.add("body.instance", "must be the request's path %q, not %q", e.Path, problem.Instance)
	}
	if isValidation := strings.HasSuffix(problem.Type, "/problems/validation-error"); isValidation != (len(problem.Errors) > 0) {
		r.add("body.errors", "must be there for a validation error, and for no other problem")
	}
	// RFC 9110 sections 15.5.2 and 15.5.6
	if header := map[int]string{401: "Www-Authenticate", 405: "Allow"}[e.Status]; header != "" && len(e.Header[header]) == 0 {
		r.add("headers."+header, "is required with status %d", e.Status)
	}
}
