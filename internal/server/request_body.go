package server

import (
	"encoding"
	"errors"
	"io"
	"maps"
	"net/http"
	"os"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/payments"
)

// readBody reads the whole body, so that a request that has to wait holds up no client, and net/http notices when its
// client goes away. A body whose length is announced is refused by its media type before it is sent (RFC 9110 section
// 10.1.1).
func (x *exchange) readBody() error {
	if x.r.ContentLength == 0 {
		return nil
	}
	coding := strings.Join(x.r.Header.Values("Content-Encoding"), ", ")
	if coding != "" && !strings.EqualFold(coding, "identity") {
		x.w.Header().Set("Accept-Encoding", "identity") // RFC 9110 section 12.5.3
		return payments.NewProblem(payments.KindUnsupportedMediaType,
			"The content encoding %q is not supported.", coding)
	}
	most := x.server.config.Bounds.BodyBytes
	if x.op == &contract.RestoreSandboxSnapshot {
		most = x.server.config.Bounds.SnapshotBytes
	}
	tooLarge := payments.NewProblem(payments.KindContentTooLarge, "The body is larger than %d bytes.", most)
	if x.r.ContentLength > most { // however slowly it comes
		x.closeConnection()
		return tooLarge
	}
	if x.r.ContentLength > 0 {
		if err := x.checkMedia(); err != nil {
			return err
		}
	}
	body, err := io.ReadAll(http.MaxBytesReader(x.response.ResponseWriter, x.r.Body, most))
	if err != nil {
		x.closeConnection() // it is not known where the body would end
	}
	if _, large := errors.AsType[*http.MaxBytesError](err); large {
		return tooLarge
	}
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return payments.NewProblem(payments.KindRequestTimeout, "The body did not arrive in time.")
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
	if text == mediaJSON {
		return text
	}
	media, _, _ := parseMediaType(text)
	return media
}

// checkMedia refuses a body whose media type the operation does not take, and names those that it takes (RFC 9110
// section 12.5.1, RFC 5789 section 2.2).
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
	return payments.NewProblem(payments.KindUnsupportedMediaType,
		"The body's media type is %s; the operation takes %s.", media, supported)
}

// decode validates and decodes the JSON body. The check, which may be nil, finds what is wrong beyond the schema. It is
// called only for a body that violates the schema, so that the client learns of every invalid field at once: the
// operation checks the same. A field that could not be decoded is empty then.
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
	fields := x.offendingFields(report)
	if len(fields) == 0 {
		// The validation has already excluded duplicate names and invalid UTF-8.
		err := json.Unmarshal(x.body, &value, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
		if err != nil { // a time of RFC 3339 that the decoder does not know, such as a leap second
			err = json.Unmarshal(x.body, &value, jsontext.AllowDuplicateNames(true), leniently())
		}
		if err != nil {
			return value, malformed("The body has a value that cannot be read.")
		}
		return value, nil
	}
	if check != nil && json.Unmarshal(x.body, &value, jsontext.AllowDuplicateNames(true), leniently()) == nil {
		addFields(fields, check(x, value))
	}
	return value, payments.NewValidationProblem(fields)
}

// decodeWrite is decode for an operation that takes an idempotency key.
func decodeWrite[T any](
	x *exchange, check func(*exchange, T) payments.FieldErrors,
) (value T, key payments.Idempotency, err error) {
	value, err = decode(x, check)
	if err == nil {
		key, err = x.idempotency()
	}
	return value, key, err
}

// checkUnusedBody checks the body of an operation that takes none. Under strict validation it may have no members.
func (x *exchange) checkUnusedBody() error {
	if len(x.body) == 0 || !x.server.config.Strict {
		return nil
	}
	var members map[string]jsontext.Value
	if json.Unmarshal(x.body, &members) != nil {
		return malformed("The operation takes no body.")
	}
	names := slices.Sorted(maps.Keys(members))
	if len(names) == 0 {
		return nil
	}
	names = names[:min(len(names), contract.MaxReported)]
	for i, name := range names {
		names[i] = contract.Shorten(name, contract.MaxName)
	}
	return payments.NewValidationProblem(x.offendingFields(contract.Report{Unknown: names}))
}

// offendingFields returns the fields that a report names. Unknown fields offend only under strict validation.
func (x *exchange) offendingFields(report contract.Report) payments.FieldErrors {
	fields := payments.FieldErrors(report.Errors)
	if x.server.config.Strict {
		for _, name := range report.Unknown {
			if fields == nil {
				fields = payments.FieldErrors{}
			}
			fields.Add(name, "The "+name+" field is not known.")
		}
	}
	return fields
}

// addFields adds more offending fields, unless the field or the object that it is in is named already.
func addFields(fields, more payments.FieldErrors) {
	for _, field := range more.Names() {
		object := contract.WholeBody
		if dot := strings.LastIndexByte(field, '.'); dot >= 0 {
			object = field[:dot]
		}
		if len(fields) < contract.MaxReported && fields[field] == nil && fields[object] == nil {
			fields[field] = more[field]
		}
	}
}

// leniently lets the decoder read every time of RFC 3339, skip values that do not fit their type, and decode all others.
func leniently() json.Options {
	return json.WithUnmarshalers(json.UnmarshalFromFunc(func(d *jsontext.Decoder, into any) error {
		if isComposite(d.PeekKind(), into) {
			return errors.ErrUnsupported // the decoder calls this function for each part
		}
		value, err := d.ReadValue()
		if err != nil {
			return err
		}
		if at, ok := into.(*time.Time); ok {
			text, _ := jsontext.AppendUnquote(nil, value)
			*at, _ = payments.ParseTime(string(text))
			return nil
		}
		_ = json.Unmarshal(value, into) // the validation has reported what is wrong with it
		return nil
	}))
}

// isComposite reports whether a JSON value of a kind is decoded part by part into a Go value.
func isComposite(kind jsontext.Kind, into any) bool {
	if _, text := into.(encoding.TextUnmarshaler); text {
		return false
	}
	switch of := reflect.TypeOf(into).Elem().Kind(); kind {
	case '{':
		return of == reflect.Struct || of == reflect.Map || of == reflect.Pointer
	case '[':
		return of == reflect.Slice || of == reflect.Pointer
	case 'n':
		return false
	default:
		return of == reflect.Pointer
	}
}
