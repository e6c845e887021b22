package client

import (
	"cmp"
	"net/http"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/payctl/payctl/internal/payments"
)

const mediaProblem = "application/problem+json"

// readProblem reads a problem document (RFC 9457) from an error response; nil if it has none. Members of a wrong type
// are ignored: the other members are still useful.
func readProblem(response *Response, now time.Time) *payments.ProblemError {
	problem, ok := parseProblem(response.contentType(), response.Body)
	if !ok {
		return nil
	}
	// The member status is only advisory (RFC 9457 section 3.1.2).
	problem.Status = response.Status
	// A missing type means about:blank (RFC 9457 section 4.2.1). A service must not report the problems of this client.
	if problem.Type == "" || strings.Contains(problem.Type, payments.LocalPrefix) {
		problem.Type = "about:blank"
	}
	problem.Title = cmp.Or(problem.Title, http.StatusText(response.Status))
	problemError := &payments.ProblemError{Problem: problem, Document: response.Body}
	addHeaders(problemError, response.Header, now)
	return problemError
}

// addHeaders adds what the header of an error response says.
func addHeaders(problem *payments.ProblemError, header http.Header, now time.Time) {
	if after, ok := RetryAfter(header, now); ok {
		problem.RetryAfter = max(after, payments.AtOnce)
	}
	problem.Challenge = strings.Join(header.Values("WWW-Authenticate"), ", ")
	isGap := func(c rune) bool { return c == ',' || c == ' ' || c == '\t' }
	problem.Allow = strings.FieldsFunc(strings.Join(header.Values("Allow"), ","), isGap)
}

// parseProblem reads a problem document. An object of another JSON media type counts as one only if it has at least two
// of its members.
func parseProblem(contentType string, body []byte) (payments.Problem, bool) {
	const leastMembers = 2
	var problem payments.Problem
	media := mediaTypeOf(contentType)
	if !isJSON(media) {
		return problem, false
	}
	var members map[string]jsontext.Value
	if json.Unmarshal(body, &members) != nil || members == nil {
		return problem, false
	}
	found := 0
	for name, into := range map[string]*string{"type": &problem.Type, "title": &problem.Title, "detail": &problem.Detail} {
		if json.Unmarshal(members[name], into) == nil && *into != "" {
			found++
		}
	}
	if json.Unmarshal(members["status"], &problem.Status) == nil {
		found++
	}
	_ = json.Unmarshal(members["instance"], &problem.Instance)
	_ = json.Unmarshal(members["requestId"], &problem.RequestID)
	_ = json.Unmarshal(members["traceId"], &problem.TraceID)
	problem.Errors = fieldErrors(members["errors"])
	return problem, media == mediaProblem || found >= leastMembers
}

// fieldErrors reads the member errors, which maps the name of a field to its messages or to a single message.
func fieldErrors(value jsontext.Value) payments.FieldErrors {
	var fields map[string]jsontext.Value
	if json.Unmarshal(value, &fields) != nil || len(fields) == 0 {
		return nil
	}
	errors := payments.FieldErrors{}
	for name, value := range fields {
		var messages []string
		var message string
		switch {
		case json.Unmarshal(value, &messages) == nil:
			errors[name] = messages
		case json.Unmarshal(value, &message) == nil:
			errors.Add(name, message)
		}
	}
	return errors
}

// isJSON reports whether a media type is JSON or based on JSON (RFC 6839 section 3.1).
func isJSON(media string) bool {
	return media == "application/json" || strings.HasSuffix(media, "+json")
}
