package client

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"net/http"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/payctl/payctl/internal/client/redact"
	"github.com/payctl/payctl/internal/effect"
	"github.com/payctl/payctl/internal/payments"
)

const mediaProblem = "application/problem+json"

// readProblem reads a problem document (RFC 9457) from an error response. It returns nil if there is none. An object of
// another JSON media type counts only if it has at least two members of a problem.
func readProblem(response *payments.Response, now time.Time, nameOf func(string) string) *payments.ProblemError {
	problem := &payments.ProblemError{Document: response.Body}
	media := mediaType(response)
	if !isJSON(media) || effect.Read(response.Body, &problem.Problem) != nil ||
		bytes.TrimSpace(response.Body)[0] != '{' {
		return nil //nolint:nilerr // it is not a problem document
	}
	const leastMembers = 2
	found := 0
	for _, has := range []bool{problem.Type != "", problem.Title != "", problem.Detail != "",
		problem.Problem.Status != 0} {
		if has {
			found++
		}
	}
	if media != mediaProblem && found < leastMembers {
		return nil
	}
	isRenamed := false
	problem.Errors = fieldErrors(response.Body, func(name string) string {
		isRenamed = isRenamed || nameOf(name) != name
		return nameOf(name)
	})
	if document, err := effect.Object(response.Body); isRenamed && err == nil {
		document["errors"], _ = json.Marshal(problem.Errors, json.Deterministic(true)) // texts
		problem.Document, _ = json.Marshal(document, json.Deterministic(true))
	}
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

// fieldErrors reads the member errors. It has messages by field, or a list of objects that name a field (RFC 9457
// section 3).
func fieldErrors(document jsontext.Value, nameOf func(string) string) (all payments.FieldErrors) {
	var problem struct {
		Errors jsontext.Value `json:"errors"`
	}
	_ = json.Unmarshal(document, &problem) // errors of another form do not count
	add := func(name string, messages ...string) {
		if all == nil {
			all = payments.FieldErrors{}
		}
		name = nameOf(name)
		all[name] = append(all[name], messages...)
	}
	var byName map[string]jsontext.Value
	_ = json.Unmarshal(problem.Errors, &byName)
	for name, value := range byName {
		var messages []string
		if effect.Read(value, &messages) == nil && len(messages) > 0 {
			add(name, messages...)
		}
	}
	var list []struct{ Pointer, Field, Name, Parameter, Detail, Message string }
	_ = json.Unmarshal(problem.Errors, &list, json.MatchCaseInsensitiveNames(true))
	for _, e := range list {
		at := strings.TrimPrefix(strings.TrimPrefix(e.Pointer, "#"), "/")
		name, message := cmp.Or(at, e.Field, e.Name, e.Parameter), cmp.Or(e.Detail, e.Message)
		if name != "" && message != "" {
			add(name, message)
		}
	}
	return all
}

// words returns the message of an error without a problem document, from JSON, XML or plain text.
func words(response *payments.Response) string {
	const longest = 200
	var said []string
	switch media := mediaType(response); {
	case isJSON(media):
		payments.RewriteJSON(response.Body, strings.Clone, func(at payments.Path, text string) string {
			if redact.IsSentence(at.Name()) {
				said = append(said, text)
			}
			return text
		})
	case media == "application/xml", media == "text/xml", strings.HasSuffix(media, "+xml"):
		decoder := xml.NewDecoder(bytes.NewReader(response.Body))
		for name := ""; ; {
			token, err := decoder.Token()
			if err != nil {
				break
			}
			switch token := token.(type) {
			case xml.StartElement:
				name = token.Name.Local
			case xml.CharData:
				if redact.IsSentence(name) {
					said = append(said, string(token))
				}
			}
		}
	case media == "text/plain":
		said = []string{string(response.Body)}
	}
	text := strings.Join(strings.Fields(strings.Join(said, " ")), " ")
	return strings.ToValidUTF8(text[:min(len(text), longest)], "")
}

// isJSON reports whether a media type is JSON or based on JSON (RFC 6839 section 3.1).
func isJSON(media string) bool {
	return media == "application/json" || strings.HasSuffix(media, "+json")
}
