package contract

import (
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/payctl/payctl/internal/payments"
)

// A Violation is a place where a response differs from the contract.
type Violation struct {
	// Place is status, headers or body, or a part of these such as body.data[0].id.
	Place  string `json:"place"`
	Reason string `json:"reason"`
}

// UnknownMember is the reason for a member that is not in the contract.
const UnknownMember = "the contract has no such member"

// CheckResponse compares a response with the contract. The operation must have its status, headers, media type and
// body, and the body must not have an unknown member. An error must be a problem document with the same status and the
// request's path. Op is nil if the contract has no operation for the method and path. CheckResponse returns nil if the
// response fits.
func CheckResponse(op *Operation, given *payments.Response) []Violation {
	r := Report{isResponse: true}
	var response *Response
	switch {
	case op != nil:
		response = op.ResponseFor(given.Status)
	case given.Status >= 400:
		response = &responseProblem // an unknown operation is refused
	case given.Method == "OPTIONS" && given.Status == 204:
		response = &responseOptions
	}
	if response == nil {
		r.add("status", "must be one that the contract has for this request, not %d", given.Status)
		return r.violations()
	}
	for _, header := range response.Headers {
		if values := given.Header[header.Name]; len(values) > 0 {
			r.checkValue(header.Schema, "headers."+header.Name, values[0])
		} else if header.Required {
			r.add("headers."+header.Name, "is required")
		}
	}
	if given.Status >= 400 {
		r.checkFailure(given)
	}
	r.checkBody(response, given)
	return r.violations()
}

// responseOptions is the response to OPTIONS (RFC 9110 section 9.3.7), which the document does not describe.
var responseOptions = Response{Headers: []Member{{Name: "Allow", Schema: &Schema{Type: String, MinLength: 1},
	Required: true}}}

func (r *Report) checkBody(response *Response, given *payments.Response) {
	media := ""
	if values := given.Header["Content-Type"]; len(values) > 0 {
		media = values[0]
	}
	i := slices.IndexFunc(response.Content, func(m Media) bool { return m.Type == media })
	switch {
	case len(response.Content) == 0:
		if len(given.Body) > 0 {
			r.add("body", "must be empty, and has %d bytes", len(given.Body))
		}
	case i < 0:
		r.add("headers.Content-Type", "must be a media type of this response, not %q", media)
	case strings.HasSuffix(media, "json"):
		if err := r.validateBody(response.Content[i].Schema, given.Body, "body"); err != nil {
			r.add("body", "cannot be read: %v", err)
		}
	}
}

// violations returns the violations in a report, sorted by field.
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
func (r *Report) checkFailure(given *payments.Response) {
	var problem struct {
		Type, Title, Detail, Instance string
		Status                        int
		Errors                        map[string][]string
	}
	if err := json.Unmarshal(given.Body, &problem, json.MatchCaseInsensitiveNames(true)); err != nil {
		return // checkBody reports it
	}
	if problem.Status != given.Status {
		r.add("body.status", "must be the response's status %d, not %d", given.Status, problem.Status)
	}
	if problem.Title == "" || problem.Detail == "" {
		r.add("body", "must have a title and a detail")
	}
	if problem.Instance != given.Path {
		r.add("body.instance", "must be the request's path %q, not %q", given.Path, problem.Instance)
	}
	if isValidation := strings.HasSuffix(problem.Type,
		"/problems/validation-error"); isValidation != (len(problem.Errors) > 0) {
		r.add("body.errors", "must be there for a validation error, and for no other problem")
	}
	// RFC 9110 sections 15.5.2 and 15.5.6
	if header := map[int]string{401: "Www-Authenticate", 405: "Allow"}[given.Status]; header != "" &&
		len(given.Header[header]) == 0 {
		r.add("headers."+header, "is required with status %d", given.Status)
	}
}
