package client

import (
	"bytes"
	"cmp"
	"net/http"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/payctl/payctl/internal/effect"
	"github.com/payctl/payctl/internal/payments"
)

const mediaProblem = "application/problem+json"

// readProblem reads a problem document (RFC 9457) from an error response; nil if it has none. Members are read as they
// come. An object of another JSON media type counts as one only if it has at least two of its members.
func readProblem(response *payments.Response, now time.Time) *payments.ProblemError {
	problem := &payments.ProblemError{Document: response.Body}
	media := mediaType(response)
	if !isJSON(media) || effect.Read(response.Body, &problem.Problem, nil) != nil ||
		bytes.TrimSpace(response.Body)[0] != '{' {
		return nil //nolint:nilerr // it is no problem document
	}
	const leastMembers = 2
	found := 0
	for _, has := range []bool{problem.Type != "", problem.Title != "", problem.Detail != "", problem.Problem.Status != 0} {
		if has {
			found++
		}
	}
	if media != mediaProblem && found < leastMembers {
		return nil
	}
	problem.Errors = fieldErrors(response.Body)
	// The member status is only advisory (RFC 9457 section 3.1.2).
	problem.Status = response.Status
	// A missing type means about:blank (RFC 9457 section 4.2.1). A service must not report the problems of this client.
	if problem.Type == "" || strings.Contains(problem.Type, payments.LocalPrefix) {
		problem.Type = "about:blank"
	}
	problem.Title = cmp.Or(problem.Title, http.StatusText(response.Status))
	addHeaders(problem, response.Header, now)
	return problem
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

// fieldErrors reads the member errors, which maps the name of a field to its messages or to a single message.
func fieldErrors(document jsontext.Value) (errors payments.FieldErrors) {
	var problem struct {
		Errors map[string]jsontext.Value `json:"errors"`
	}
	_ = json.Unmarshal(document, &problem) // errors of another form are none
	for name, value := range problem.Errors {
		var messages []string
		if effect.Read(value, &messages, nil) == nil && len(messages) > 0 {
			if errors == nil {
				errors = payments.FieldErrors{}
			}
			errors[name] = messages
		}
	}
	return errors
}

// isJSON reports whether a media type is JSON or based on JSON (RFC 6839 section 3.1).
func isJSON(media string) bool {
	return media == "application/json" || strings.HasSuffix(media, "+json")
}
