package contract

import (
	"fmt"
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

func violation(place, format string, args ...any) Violation {
	return Violation{place, fmt.Sprintf(format, args...)}
}

// Check compares a response with the contract: the operation must have its status, with the right headers, media type and
// body, and the body must have no unknown member. An error must be a problem document with the same status and the
// request's path. Check returns nil if the response keeps the contract.
func (e *Exchange) Check() []Violation {
	var found []Violation
	var response *Response
	switch {
	case e.Operation != nil:
		response = e.Operation.ResponseFor(e.Status)
	case e.Status >= 400:
		response = &responseProblem // an unknown operation is refused
	case e.Method == "OPTIONS" && e.Status == 204:
		response = &responseOptions
	default:
		return append(found, violation("status", "%d answers a request that is not in the contract", e.Status))
	}
	if response == nil {
		return append(found, violation("status", "%s does not answer with %d", e.Operation.ID, e.Status))
	}
	found = append(found, e.checkHeaders(response)...)
	if e.Status >= 400 {
		found = append(found, e.checkFailure()...)
	}
	return append(found, e.checkBody(response)...)
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

func (e *Exchange) checkHeaders(response *Response) (found []Violation) {
	for _, header := range response.Headers {
		place := "headers." + header.Name
		value, there := e.get(header.Name)
		switch {
		case !there && header.Required:
			found = append(found, violation(place, "it is required"))
		case there:
			report := Report{isResponse: true}
			report.checkValue(header.Schema, place, value)
			found = append(found, report.violations()...)
		}
	}
	return found
}

func (e *Exchange) checkBody(response *Response) []Violation {
	if len(response.Content) == 0 {
		if len(e.Body) > 0 {
			return []Violation{violation("body", "a response without content has a body of %d bytes", len(e.Body))}
		}
		return nil
	}
	media, _ := e.get("Content-Type")
	i := slices.IndexFunc(response.Content, func(m Media) bool { return m.Type == media })
	switch {
	case i < 0:
		return []Violation{violation("headers.Content-Type", "%q is not a media type of this response", media)}
	case !strings.HasSuffix(media, "json"):
		return nil
	}
	report := Report{isResponse: true}
	if err := report.validateBody(response.Content[i].Schema, e.Body, "body"); err != nil {
		return []Violation{violation("body", "%v", err)}
	}
	return report.violations()
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
func (e *Exchange) checkFailure() (found []Violation) {
	var problem struct {
		Type, Title, Detail, Instance string
		Status                        int
		Errors                        map[string][]string
	}
	if err := json.Unmarshal(e.Body, &problem, json.MatchCaseInsensitiveNames(true)); err != nil {
		return nil // checkBody reports it
	}
	isValidation := strings.HasSuffix(problem.Type, "/problems/validation-error")
	add := func(wrong bool, v Violation) {
		if wrong {
			found = append(found, v)
		}
	}
	add(problem.Status != e.Status, violation("body.status", "it is %d, the response's status %d", problem.Status, e.Status))
	add(problem.Title == "" || problem.Detail == "", violation("body", "its title or detail is empty"))
	add(problem.Instance != e.Path, violation("body.instance", "it is %q, not the request's path %q", problem.Instance, e.Path))
	add(isValidation != (len(problem.Errors) > 0), violation("body.errors", "a problem has errors when, and only when, it is a validation error"))
	for status, header := range map[int]string{401: "Www-Authenticate", 405: "Allow"} { // RFC 9110 sections 15.5.2 and 15.5.6
		value, _ := e.get(header)
		add(e.Status == status && value == "", violation("headers."+header, "it is required with status %d", status))
	}
	return found
}
