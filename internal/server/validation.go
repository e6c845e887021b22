package server

import (
	"context"
	"encoding"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/payments"
)

// ExtraFieldChecks find what is wrong with the fields of a request beyond its schema. The operations check the same. They
// are called only for a request that violates its schema, so that the client learns of every invalid field at once. A
// field that could not be decoded is empty.
type ExtraFieldChecks interface {
	CheckNewSavedContact(context.Context, payments.NewSavedContact) payments.FieldErrors
	CheckAccountPatch(ctx context.Context, accountID string, patch payments.AccountPatch) payments.FieldErrors
	CheckSavedContactPatch(ctx context.Context, contactID string, patch payments.SavedContactPatch) payments.FieldErrors
	CheckNewAutoTransfer(payments.NewAutoTransfer) payments.FieldErrors
	CheckKYCSubmission(ctx context.Context, accountID string, submission payments.KYCSubmission) payments.FieldErrors
	CheckSandboxClockSettings(payments.SandboxClockSettings) payments.FieldErrors
	CheckSandboxSnapshot(payments.SandboxSnapshot) payments.FieldErrors
}

// decode reads, validates and decodes the JSON body. The check, which may be nil, adds what is wrong beyond the schema.
func decode[T any](x *exchange, check func(T) payments.FieldErrors) (value T, err error) {
	body, err := x.readJSON()
	if err == nil {
		value, err = decodeBody(x, body, check)
	}
	return value, err
}

// decodeWrite is decode for an operation that takes an idempotency key.
func decodeWrite[T any](x *exchange, check func(T) payments.FieldErrors) (value T, key payments.Idempotency, err error) {
	body, err := x.readJSON()
	if err == nil {
		value, err = decodeBody(x, body, check)
	}
	if err == nil {
		key, err = x.idempotency(body)
	}
	return value, key, err
}

func decodeBody[T any](x *exchange, body []byte, check func(T) payments.FieldErrors) (T, error) {
	var value T
	if len(body) >= largeBody && x.turnEnd == nil {
		if err := x.waitForTurn(x.server.bodies); err != nil {
			return value, err
		}
	}
	report, err := contract.Validate(x.op.Body, body)
	if err != nil {
		return value, malformed("The body is not well-formed JSON: %v.", err)
	}
	fields := x.offendingFields(report)
	if len(fields) == 0 {
		// The validation has already excluded duplicate names and invalid UTF-8.
		err := json.Unmarshal(body, &value, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
		if err != nil {
			return value, malformed("The body has a value that cannot be read.")
		}
		return value, nil
	}
	if check != nil && json.Unmarshal(body, &value, jsontext.AllowDuplicateNames(true), skipUndecodable()) == nil {
		addFields(fields, check(value))
	}
	return value, payments.NewValidationProblem(fields)
}

// readUnusedBody reads the body of an operation that takes none. Under strict validation it may have no members.
func (x *exchange) readUnusedBody() ([]byte, error) {
	body, err := x.readBody()
	if err != nil || len(body) == 0 || !x.server.config.Strict {
		return body, err
	}
	var members map[string]jsontext.Value
	if json.Unmarshal(body, &members) != nil {
		return nil, malformed("The operation takes no body.")
	}
	names := slices.Sorted(maps.Keys(members))
	if len(names) == 0 {
		return body, nil
	}
	names = names[:min(len(names), contract.MaxReported)]
	for i, name := range names {
		names[i] = contract.Shorten(name, contract.MaxName)
	}
	return nil, payments.NewValidationProblem(x.offendingFields(contract.Report{Unknown: names}))
}

// checkQuery validates the query.
func (x *exchange) checkQuery() error {
	if x.r.URL.RawQuery == "" {
		return nil
	}
	query, err := parseQuery(x.r.URL.RawQuery)
	if err != nil {
		return err
	}
	fields := x.offendingFields(x.op.ValidateQuery(query))
	if len(fields) == 0 {
		return nil
	}
	problem := payments.NewValidationProblem(fields)
	problem.Detail = "The request's query failed validation."
	return problem
}

func parseQuery(raw string) (url.Values, error) {
	query, err := url.ParseQuery(raw)
	if err != nil {
		return nil, malformed("The query cannot be read: %s.", formReason(err))
	}
	return query, nil
}

// formReason describes what is wrong with a query or form that [url.ParseQuery] refuses.
func formReason(err error) string {
	if escape, ok := errors.AsType[url.EscapeError](err); ok {
		return fmt.Sprintf("%q is not an escaped byte such as %%2B", string(escape))
	}
	if strings.Contains(err.Error(), "semicolon") {
		return "it has a semicolon, which has to be escaped as %3B"
	}
	return "it has too many parameters"
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

// skipUndecodable lets the decoder skip values that do not fit their type, and decode all others.
func skipUndecodable() json.Options {
	return json.WithUnmarshalers(json.UnmarshalFromFunc(func(d *jsontext.Decoder, into any) error {
		if isComposite(d.PeekKind(), into) {
			return errors.ErrUnsupported // the decoder calls this function for each part
		}
		value, err := d.ReadValue()
		if err == nil {
			_ = json.Unmarshal(value, into) // the validation has reported what is wrong with it
		}
		return err
	}))
}

// isComposite reports whether a JSON value of a kind is decoded part by part into a Go value.
func isComposite(kind jsontext.Kind, into any) bool {
	if _, text := into.(encoding.TextUnmarshaler); text {
		return false
	}
	of := reflect.TypeOf(into).Elem().Kind()
	switch kind {
	case '{':
		return of == reflect.Struct || of == reflect.Map || of == reflect.Pointer
	case '[':
		return of == reflect.Slice || of == reflect.Pointer
	}
	return false
}

// parsePageQuery reads the parameters of every list from a query that has been validated.
func parsePageQuery(query url.Values) payments.PageQuery {
	limit, _ := strconv.Atoi(query.Get("limit"))
	after, _ := payments.ParseTime(query.Get("createdAfter"))
	before, _ := payments.ParseTime(query.Get("createdBefore"))
	return payments.PageQuery{Limit: limit, Cursor: query.Get("cursor"), CreatedAfter: after, CreatedBefore: before}
}

// listParameter reads a parameter that is a list of texts, which has been validated; none if it is absent.
func listParameter[T ~string](query url.Values, name string) (list []T) {
	for _, text := range contract.SplitList(query[name]) {
		list = append(list, T(text))
	}
	return list
}
