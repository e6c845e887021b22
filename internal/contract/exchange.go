package contract

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
)

// mediaEventStream is the media type of the answer that does not end.
const mediaEventStream = "text/event-stream"

// An Exchange is an answer, and what it answers.
type Exchange struct {
	// Operation is nil when the contract has none of the method and path.
	Operation *Operation
	// Method and Path are the request's, the path as it was escaped.
	Method, Path string
	Status       int
	// Header has canonical names.
	Header map[string][]string
	// Body is that of the answer; to HEAD, the one that GET would have been given.
	Body []byte
}

// A Violation is a place where an answer is not as the contract has it.
type Violation struct {
	// Pointer leads there (RFC 6901) through the answer as an object with the members status, headers and body.
	Pointer string
	Reason  string
}

func breach(pointer, format string, args ...any) Violation {
	return Violation{pointer, fmt.Sprintf(format, args...)}
}

// Check holds an answer to the contract: its status is one that the operation has, with the headers, the media type and
// the body that go with it, and no member of the body is one that the contract does not know. A failure is a problem
// document that says the same as its status and names the path. It returns nil when the answer is as it should be.
func (e *Exchange) Check() []Violation {
	found := e.checkLength()
	var response *Response
	switch {
	case e.Operation != nil:
		response = e.Operation.Answer(e.Status)
	case e.Status >= 400:
		response = &responseProblem // what the contract does not have is refused
	case e.Method == "OPTIONS" && e.Status == 204:
		response = &responseOptions
	default:
		return append(found, breach("/status", "%d answers what the contract does not have", e.Status))
	}
	if response == nil || e.Status == 304 && !e.answers(304) || e.Status < 200 || e.Status > 599 {
		return append(found, breach("/status", "%s does not answer with %d", e.Operation.ID, e.Status))
	}
	found = append(found, e.checkHeaders(response)...)
	if e.Status >= 400 {
		found = append(found, e.checkFailure()...)
	}
	return append(found, e.checkBody(response)...)
}

// responseOptions is the answer to OPTIONS (RFC 9110 section 9.3.7), of which OpenAPI documents do not tell.
var responseOptions = Response{Headers: []Member{{Name: "Allow", Schema: &Schema{Kind: String, MinLength: 1}, Required: true}}}

// answers says whether the operation names a status.
func (e *Exchange) answers(status int) bool {
	return slices.ContainsFunc(e.Operation.Answers, func(a Answer) bool { return a.Status == status })
}

func (e *Exchange) get(header string) (value string, there bool) {
	values := e.Header[header]
	if len(values) == 0 {
		return "", false
	}
	return values[0], true
}

// checkLength holds Content-Length to be the body's (RFC 9110 section 8.6).
func (e *Exchange) checkLength() []Violation {
	if length, there := e.get("Content-Length"); there && e.Status != 304 && length != strconv.Itoa(len(e.Body)) {
		return []Violation{breach("/headers/Content-Length", "the body has %d bytes, not %q", len(e.Body), length)}
	}
	return nil
}

func (e *Exchange) checkHeaders(response *Response) (found []Violation) {
	for _, header := range response.Headers {
		pointer := "/headers/" + header.Name
		value, there := e.get(header.Name)
		switch {
		case !there && header.Required:
			found = append(found, breach(pointer, "it is required"))
		case there:
			report := Report{answer: true}
			report.checkValue(header.Schema, pointer, value)
			found = append(found, report.violations("")...)
		}
	}
	return found
}

func (e *Exchange) checkBody(response *Response) []Violation {
	if len(response.Content) == 0 {
		if len(e.Body) > 0 {
			return []Violation{breach("/body", "an answer without content has %d bytes of it", len(e.Body))}
		}
		return nil
	}
	media, _ := e.get("Content-Type")
	i := slices.IndexFunc(response.Content, func(m Media) bool { return m.Type == media })
	switch {
	case i < 0:
		return []Violation{breach("/headers/Content-Type", "%q is not a media type of this answer", media)}
	case media == mediaEventStream:
		var stream EventStream
		return stream.Check(e.Body)
	case !strings.HasSuffix(media, "json"):
		return nil
	}
	return checkJSON(response.Content[i].Schema, e.Body, "/body")
}

// checkJSON holds a body, or a part of one that is at the pointer, to a schema.
func checkJSON(s *Schema, body []byte, pointer string) []Violation {
	report := Report{answer: true}
	if err := report.whole(s, body); err != nil {
		return []Violation{breach(pointer, "%v", err)}
	}
	return report.violations(pointer)
}

// violations lists what a report found, in the order of the fields' names.
func (r *Report) violations(below string) (found []Violation) {
	for _, field := range slices.Sorted(maps.Keys(r.Errors)) {
		for _, message := range r.Errors[field] {
			found = append(found, Violation{below + field, message})
		}
	}
	for _, field := range r.Unknown {
		found = append(found, breach(below+field, "the contract does not know this member"))
	}
	return found
}

// checkFailure holds a failure to RFC 9457 and to the specification heading "Errors".
func (e *Exchange) checkFailure() (found []Violation) {
	var problem struct {
		Type, Title, Detail, Instance string
		Status                        int
		Errors                        map[string][]string
	}
	if err := json.Unmarshal(e.Body, &problem, json.MatchCaseInsensitiveNames(true)); err != nil {
		return nil // checkBody tells
	}
	validation := strings.HasSuffix(problem.Type, "/problems/validation-error")
	add := func(wrong bool, v Violation) {
		if wrong {
			found = append(found, v)
		}
	}
	add(problem.Status != e.Status, breach("/body/status", "it says %d, the answer %d", problem.Status, e.Status))
	add(problem.Title == "", breach("/body/title", "it is empty"))
	add(problem.Detail == "", breach("/body/detail", "it is empty"))
	add(problem.Instance != e.Path, breach("/body/instance", "it is %q, not the request's path %q", problem.Instance, e.Path))
	add(validation != (len(problem.Errors) > 0), breach("/body/errors", "a problem has errors when, and only when, it is a validation error"))
	for _, field := range slices.Sorted(maps.Keys(problem.Errors)) {
		add(len(problem.Errors[field]) == 0, breach("/body/errors", "the field %q is named without a message", field))
	}
	for status, header := range map[int]string{401: "Www-Authenticate", 405: "Allow"} { // RFC 9110 sections 15.5.2 and 15.5.6
		value, _ := e.get(header)
		add(e.Status == status && value == "", breach("/headers/"+header, "it is required with %d", status))
	}
	if value, there := e.get("Retry-After"); there {
		seconds, err := strconv.Atoi(value)
		add(err != nil || seconds < 1, breach("/headers/Retry-After", "%q is no number of seconds", value))
	}
	return found
}

// An EventStream holds a stream of server-sent events to the contract, piece by piece as it is sent.
type EventStream struct {
	// Event looks at each event that the schema allows, for what a schema cannot say; nil: nobody does.
	Event func(data []byte, pointer string) []Violation

	rest     []byte // what was sent of a message that has not ended
	messages int
}

// Check reads what is sent next. Each message has an id, and one with data is the Event of that id and type. Pointers
// count the stream's messages from 0.
func (s *EventStream) Check(piece []byte) (found []Violation) {
	s.rest = append(s.rest, piece...)
	for {
		message, rest, ended := bytes.Cut(s.rest, []byte("\n\n"))
		if !ended {
			return found
		}
		found = append(found, s.checkMessage(message, "/body/"+strconv.Itoa(s.messages))...)
		s.messages++
		s.rest = rest
	}
}

func (s *EventStream) checkMessage(message []byte, pointer string) []Violation {
	fields := map[string]string{}
	for line := range strings.SplitSeq(string(message), "\n") {
		name, value, _ := strings.Cut(line, ":")
		fields[name] = strings.TrimPrefix(value, " ")
	}
	if fields["id"] == "" {
		return []Violation{breach(pointer+"/id", "a message has to have an id")}
	}
	data, there := fields["data"]
	if !there {
		return nil
	}
	found := checkJSON(&schemaEvent, []byte(data), pointer+"/data")
	if len(found) > 0 {
		return found
	}
	var event struct{ ID, Type string }
	if err := json.Unmarshal([]byte(data), &event, json.MatchCaseInsensitiveNames(true)); err != nil {
		return []Violation{breach(pointer+"/data", "%v", err)}
	}
	if event.ID != fields["id"] || event.Type != fields["event"] {
		return []Violation{breach(pointer, "its id and event are not those of its data")}
	}
	if s.Event != nil {
		return s.Event([]byte(data), pointer+"/data")
	}
	return nil
}
