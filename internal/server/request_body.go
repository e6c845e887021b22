package server

import (
	"errors"
	"io"
	"mime"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/service"
)

// readBody reads the whole body. A slow client then does not hold up other clients, and net/http notices if it goes
// away. If the length is announced, a wrong media type is refused before the body is sent (RFC 9110 section 10.1.1).
func (x *exchange) readBody() error {
	if x.r.ContentLength == 0 {
		return nil
	}
	coding := strings.Join(x.r.Header.Values("Content-Encoding"), ", ")
	if coding != "" && !strings.EqualFold(coding, "identity") {
		x.w.Header().Set("Accept-Encoding", "identity") // RFC 9110 section 12.5.3
		return payments.NewProblem(payments.ProblemUnsupportedMediaType,
			"The content encoding %q is not supported.", coding)
	}
	most := x.server.config.Bounds.BodyBytes
	if x.op == &contract.RestoreSandboxSnapshot {
		most = x.server.config.Bounds.SnapshotBytes
	}
	tooLarge := func() error {
		return payments.NewProblem(payments.ProblemContentTooLarge, "The body is larger than %d bytes.", most)
	}
	if x.r.ContentLength > most { // however slowly it comes
		x.closeConnection()
		return tooLarge()
	}
	if x.r.ContentLength > 0 {
		if err := x.checkMedia(); err != nil {
			return err
		}
	}
	body, err := io.ReadAll(http.MaxBytesReader(x.response.ResponseWriter, x.r.Body, most))
	if err != nil {
		x.closeConnection() // the end of the body is not known
	}
	if _, large := errors.AsType[*http.MaxBytesError](err); large {
		return tooLarge()
	}
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return payments.NewProblem(payments.ProblemRequestTimeout, "The body did not arrive in time.")
	case errors.Is(err, io.ErrUnexpectedEOF):
		return malformed("The body ends before its Content-Length.")
	case err != nil:
		return malformed("The body cannot be read.")
	}
	x.body = body
	if len(body) > 0 {
		return x.checkMedia()
	}
	return nil
}

func mediaType(r *http.Request) string {
	text := strings.Join(r.Header.Values("Content-Type"), ", ")
	if text == mediaJSON { // as it usually is
		return text
	}
	media, _, err := mime.ParseMediaType(text)
	if err != nil {
		return ""
	}
	return media
}

// checkMedia refuses a body with a media type that the operation does not take (RFC 9110 section 12.5.1, RFC 5789
// section 2.2).
func (x *exchange) checkMedia() error {
	media := mediaType(x.r)
	if x.op.Body == nil || media == x.op.BodyMedia || media == mediaForm && x.op.Form {
		return nil
	}
	supported := x.op.BodyMedia
	if x.op.Form {
		supported += ", " + mediaForm
	}
	x.w.Header().Set("Accept", supported)
	if x.r.Method == http.MethodPatch {
		x.w.Header().Set("Accept-Patch", supported)
	}
	if media == "" {
		media = "none that can be read"
	}
	return payments.NewProblem(payments.ProblemUnsupportedMediaType,
		"The body's media type is %s; the operation takes %s.", media, supported)
}

// decode validates and decodes the JSON body. The check, unless nil, finds faults beyond the schema. It is called only
// for a body that violates the schema, without the wrong members: the client learns of all faults together. The
// operation checks a valid body itself.
func decode[T any](x *exchange, check func(*exchange, T) payments.FieldErrors) (value T, err error) {
	if len(x.body) == 0 && x.r.Header.Get("Content-Type") != "" {
		if err := x.checkMedia(); err != nil {
			return value, err
		}
	}
	report, err := contract.Validate(x.op.Body, x.body)
	if err != nil {
		return value, malformed("The body is not well-formed JSON: %v.", err)
	}
	fields := payments.FieldErrors(report.Errors)
	if len(fields) == 0 {
		if unmarshal(x.body, &value) != nil {
			return value, malformed("The body has a value that cannot be read.")
		}
		return value, nil
	}
	var members map[string]jsontext.Value
	if check == nil || unmarshal(x.body, &members) != nil {
		return value, payments.NewValidationProblem(fields)
	}
	invalid := map[string]bool{}
	for field := range fields {
		invalid[memberOf(field)] = true
		delete(members, memberOf(field))
	}
	valid, err := json.Marshal(members)
	if err == nil && !invalid[contract.WholeBody] && unmarshal(valid, &value) == nil {
		more := check(x, value)
		for _, field := range more.Names() {
			if !invalid[memberOf(field)] && len(fields) < contract.MaxReported {
				fields[field] = more[field]
			}
		}
	}
	return value, payments.NewValidationProblem(fields)
}

// memberOf returns the member of the body that has a field.
func memberOf(field string) string {
	if end := strings.IndexAny(field, ".["); end >= 0 {
		return field[:end]
	}
	return field
}

// unmarshal decodes validated JSON, without duplicate names and invalid UTF-8.
func unmarshal(text []byte, into any) error {
	err := json.Unmarshal(text, into, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	if err != nil { // the decoder refuses some times of RFC 3339, such as leap seconds
		err = json.Unmarshal(text, into, jsontext.AllowDuplicateNames(true), json.WithUnmarshalers(timeUnmarshaler))
	}
	return err
}

// timeUnmarshaler reads every time of RFC 3339.
var timeUnmarshaler = json.UnmarshalFunc(func(text []byte, at *time.Time) error {
	unquoted, err := jsontext.AppendUnquote(nil, text)
	if err == nil {
		*at, _ = payments.ParseTime(string(unquoted))
	}
	return err
})

// decodeWrite is decode for an operation that takes an idempotency key.
func decodeWrite[T any](
	x *exchange, check func(*exchange, T) payments.FieldErrors,
) (value T, key service.WriteKey, err error) {
	value, err = decode(x, check)
	if err == nil {
		key, err = x.idempotency()
	}
	return value, key, err
}
