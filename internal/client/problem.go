package client

import (
	"mime"
	"net/http"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/payctl/payctl/internal/payments"
)

// refusalOf reads an error answer as a problem document (RFC 9457); nil when it is none. Members of a wrong type are
// passed over: a document that says something is worth more than none.
func refusalOf(answer *Response, now time.Time) *payments.Refusal {
	problem, ok := parseProblem(answer.Header.Get("Content-Type"), answer.Body)
	if !ok {
		return nil
	}
	// The status line decides: the member is advisory (RFC 9457 section 3.1.2).
	problem.Status = answer.Status
	// RFC 9457 section 4.2.1; what only this side can find is not a service's to say.
	if problem.Type == "" || strings.Contains(problem.Type, payments.LocalPrefix) {
		problem.Type = "about:blank"
	}
	if problem.Title == "" {
		problem.Title = http.StatusText(answer.Status)
	}
	refusal := &payments.Refusal{Problem: problem, Document: answer.Body}
	addHeaders(refusal, answer.Header, now)
	return refusal
}

// addHeaders takes over what an error answer says outside its body.
func addHeaders(refusal *payments.Refusal, header http.Header, now time.Time) {
	refusal.RetryAfter, _ = retryAfter(header, now)
	refusal.Challenge = strings.Join(header.Values("WWW-Authenticate"), ", ")
	for method := range strings.SplitSeq(strings.Join(header.Values("Allow"), ","), ",") {
		if method = strings.TrimSpace(method); method != "" {
			refusal.Allow = append(refusal.Allow, method)
		}
	}
}

// parseProblem reads a problem document. With another JSON media type than its own, at least two of its members must
// be there for an object to count as one.
func parseProblem(contentType string, body []byte) (payments.Problem, bool) {
	const leastMembers = 2
	var problem payments.Problem
	media, _, _ := mime.ParseMediaType(contentType)
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
	problem.Errors = fieldErrors(members["errors"])
	return problem, media == "application/problem+json" || found >= leastMembers
}

// fieldErrors reads the member errors: a field's name to its messages, or to a single one.
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

// isJSON says whether a media type is JSON or built on it (RFC 6839 section 3.1).
func isJSON(media string) bool {
	return media == "application/json" || strings.HasSuffix(media, "+json")
}
