package client

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"mime"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// decode reads a good answer's JSON object. It says why that cannot be done, without repeating anything of the answer;
// empty when it can.
func decode(answer *Response, into any) string {
	if what := notObject(answer); what != "" {
		return what
	}
	return describe(json.Unmarshal(answer.Body, into))
}

// notObject says why an answer holds no JSON object; empty when it may.
func notObject(answer *Response) string {
	contentType := answer.Header.Get("Content-Type")
	media, _, err := mime.ParseMediaType(contentType)
	switch body := bytes.TrimLeft(answer.Body, " \t\r\n"); {
	case len(body) == 0:
		return fmt.Sprintf("status %d came without a body", answer.Status)
	case contentType != "" && (err != nil || !isJSON(media) || media == "application/problem+json"):
		return fmt.Sprintf("status %d came with a body of type %.80q in place of JSON", answer.Status, contentType)
	case body[0] != '{':
		return "the body is no JSON object"
	}
	return ""
}

// describe says what is wrong with a JSON text by its place. The libraries' own words may quote the value there.
func describe(err error) string {
	var syntactic *jsontext.SyntacticError
	var semantic *json.SemanticError
	switch {
	case err == nil:
		return ""
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return "the JSON body ends in the middle"
	case errors.As(err, &syntactic):
		return fmt.Sprintf("the body is no well-formed JSON (byte %d)", syntactic.ByteOffset)
	case errors.As(err, &semantic):
		return fmt.Sprintf("the JSON member %.80q has a value of another type or form than it should", string(semantic.JSONPointer))
	}
	return "the body cannot be decoded"
}
